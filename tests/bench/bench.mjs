// Prints sizes and times beside the budgets of the design. A size over its budget makes the exit code 1;
// times vary with the machine and only print. --sizes prints the sizes alone.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";

const top = fileURLToPath(new URL("../../", import.meta.url));
const rows = [];
const size = (what, bytes, budget = null) => rows.push({ what, value: bytes / 1024, budget, unit: "KB", gate: true });
const row = (what, value, budget, unit) => rows.push({ what, value, budget, unit, gate: false });

// sizes
const file = (path) => readFileSync(top + path);
const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;
size("sglint.wasm, brotli", brotliCompressSync(file("wasm/dist/sglint.wasm")).length, 250);
size("sglint.wasm, raw", file("wasm/dist/sglint.wasm").length);
size("JS glue, gzip", gzip(file("wasm/dist/glue.js")), 12);
size("the package's browser.js, gzip", gzip(file("wasm/dist/browser.js")), 5);
size("cli.wasm, gzip", gzip(file("wasm/dist/cli.wasm")));
if (existsSync(`${top}web/dist/main.js`)) size("page bundle, brotli", brotliCompressSync(file("web/dist/main.js")).length);
if (existsSync(`${top}build/release/native/cli/sglint`)) size("native binary", statSync(`${top}build/release/native/cli/sglint`).size);
const [packed] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", `${top}wasm`], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
size("npm package, packed", packed.size);
size("npm package, unpacked", packed.unpackedSize);

if (!process.argv.includes("--sizes")) await times();
print();

async function times() {
  // native
  const native = JSON.parse(execFileSync(`${top}build/release/tests/bench/core_bench`, ["--benchmark_format=json", "--benchmark_repetitions=5", "--benchmark_report_aggregates_only=true"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  const nativeMedian = (name) => native.benchmarks.find((b) => b.run_name === name && b.aggregate_name === "median").real_time;
  row("native check, accepted", nativeMedian("check_text/accepted"), 100, "µs");
  row("native check, rejected, with verified fixes", nativeMedian("check_text/rejected_with_fixes"), null, "µs");

  // the command line, cold
  const cold = [];
  for (let i = 0; i < 30; i++) {
    const started = process.hrtime.bigint();
    execFileSync(`${top}build/release/native/cli/sglint`, ["check", "--machine", "h100", "--", "sglang", "serve", "--model-path", "Qwen/Qwen3-8B"]);
    cold.push(Number(process.hrtime.bigint() - started) / 1e6);
  }
  row("CLI process, cold (spawned from Node)", median(cold), 5, "ms");

  // Node: import and first check in a process of its own
  const first = [];
  const script = `const t = performance.now(); const { load } = await import("sglint"); const c = await load(); c.check({ text: "sglang serve --model-path Qwen/Qwen3-8B", machine: "h100" }); console.log(performance.now() - t);`;
  for (let i = 0; i < 9; i++) first.push(Number(execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: top, encoding: "utf8" })));
  row("Node: import + first check", median(first), 25, "ms");

  // wasm, warm
  const { load } = await import("sglint");
  const checker = await load();
  const request = { text: "python -m sglang.launch_server --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp-size 4 --mem-fraction-static 0.8\n", machine: "h100" };
  const warm = [];
  for (let i = 0; i < 400; i++) {
    const started = performance.now();
    checker.check(request);
    warm.push((performance.now() - started) * 1000);
  }
  row("wasm check in Node, warm", median(warm.slice(100)), 300, "µs");

  // the matrix of the design: 15 machines × 3 releases
  const over = { text: request.text, releases: ["0.5.16", "0.5.17", "0.5.18"] };
  const matrices = [];
  for (let i = 0; i < 40; i++) {
    const started = performance.now();
    const { machines, launches } = checker.matrix(over);
    matrices.push(performance.now() - started);
    if (machines.length !== 15 || launches[0].cells.length !== 45) throw new Error("not 15 machines × 3 releases");
  }
  row("wasm matrix, 15 machines × 3 releases", median(matrices.slice(10)), 15, "ms");
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

function print() {
  let over = 0;
  for (const { what, value, budget, unit, gate } of rows) {
    const late = budget !== null && value > budget;
    over += late && gate;
    console.log(`${what.padEnd(46)} ${value.toFixed(1).padStart(9)} ${unit.padEnd(3)} ${budget === null ? "" : `budget ${budget} ${unit}${late ? "  OVER" : ""}`}`);
  }
  if (over) console.error(`${over} ${over === 1 ? "size is" : "sizes are"} over budget`);
  process.exitCode = over ? 1 : 0;
}
