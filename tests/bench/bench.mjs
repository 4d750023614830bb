// Prints sizes and times beside the budgets of the design. A figure over its budget makes the exit code
// 1, but times vary with the machine: CI prints them and does not fail on times.
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";

const top = fileURLToPath(new URL("../../", import.meta.url));
const rows = [];
const row = (what, value, budget, unit) => rows.push({ what, value, budget, unit });

// sizes
const wasm = readFileSync(`${top}wasm/dist/sglint.wasm`);
row("sglint.wasm, brotli", brotliCompressSync(wasm).length / 1024, 250, "KB");
row("JS glue, gzip", gzipSync(readFileSync(`${top}wasm/dist/glue.js`), { level: 9 }).length / 1024, 12, "KB");
row("page bundle, brotli", brotliCompressSync(readFileSync(`${top}web/dist/main.js`)).length / 1024, null, "KB");
console.log(`sglint.wasm raw: ${(wasm.length / 1024).toFixed(0)} KB; native binary: ${(statSync(`${top}build/release/native/cli/sglint`).size / 1024).toFixed(0)} KB`);

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

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

let over = 0;
for (const { what, value, budget, unit } of rows) {
  const late = budget !== null && value > budget;
  over += late;
  console.log(`${what.padEnd(46)} ${value.toFixed(1).padStart(9)} ${unit.padEnd(3)} ${budget === null ? "" : `budget ${budget} ${unit}${late ? "  OVER" : ""}`}`);
}
process.exit(over ? 1 : 0);
