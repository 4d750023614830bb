// The packed package, installed into an empty folder, as its users meet it.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launchChromium, resultOf, serve } from "../support/site.mjs";

const top = fileURLToPath(new URL("../../", import.meta.url));
const require = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "sglint-smoke-"));
const bad = "sglang serve --model-path moonshotai/Kimi-Linear-48B-A3B-Instruct --trust-remote-code --linear-attn-decode-backend flashkda\n";
const message = "--linear-attn-decode-backend flashkda is not supported: FlashKDA is prefill-only. Use --linear-attn-prefill-backend flashkda (decode stays on triton).";
let tarball, browser;

const npm = (args, cwd) => execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const write = (name, text) => {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), text);
};
// Debian 12 has Node 18, for which these tools are too new.
const skip = Number(process.versions.node.split(".")[0]) < 20 && "needs Node 20";
const node = (args) => {
  const run = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  return run.stdout;
};

before(async () => {
  const [packed] = JSON.parse(npm(["pack", "--json", "--pack-destination", folder, `${top}wasm`], folder));
  tarball = join(folder, packed.filename);
  const kb = (bytes) => `${(bytes / 1024).toFixed(0)} KB`;
  console.log(`${packed.filename}: ${kb(packed.size)} packed, ${kb(packed.unpackedSize)} unpacked`);
  for (const { path, size } of packed.files) console.log(`  ${kb(size).padStart(8)}  ${path}`);
  write("package.json", JSON.stringify({ name: "empty", private: true }));
  npm(["install", "--offline", "--no-audit", "--no-fund", tarball], folder);
  browser = await launchChromium();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("it has no dependencies and holds its licence", () => {
  assert.deepEqual(readdirSync(join(folder, "node_modules")).filter((n) => !n.startsWith(".")), ["sglint"]);
  for (const file of ["LICENSE", "NOTICE", "README.md", "schema.json"]) readFileSync(join(folder, "node_modules/sglint", file));
});

test("nothing in it makes code of text", () => {
  const dist = join(folder, "node_modules/sglint/dist");
  for (const file of readdirSync(dist).filter((n) => /\.c?js$/.test(n))) {
    assert.doesNotMatch(readFileSync(join(dist, file), "utf8"), /\beval\s*\(|new Function\b|\bFunction\s*\(/, file);
  }
});

// The same few lines everywhere: a bad case, a good one, and what cannot be carried out.
const body = `
  const bad = checker.check({ text: ${JSON.stringify(bad)}, machine: "h100" });
  const good = checker.check("sglang serve --model-path Qwen/Qwen3-8B");
  let code; try { checker.check({ text: "x", machine: "h9000" }); } catch (e) { code = e instanceof SglintError && e.code; }
  const out = { bad: bad.launches[0].error.message, good: good.launches[0].outcome, code, version: checker.version, fixed: checker.fix(${JSON.stringify(bad)}).changed };
`;
function expectResult(out) {
  const { version } = JSON.parse(readFileSync(join(folder, "node_modules/sglint/package.json"), "utf8"));
  assert.deepEqual(out, { bad: message, good: "ok", code: "bad-request", version, fixed: true });
}

test("Node, import", () => {
  write("esm.mjs", `import { load, loadSync, SglintError } from "sglint"; import rules from "sglint/rules.json" with { type: "json" };
    for (const checker of [await load(), loadSync()]) { ${body} if (!rules.length) throw new Error("no rules"); console.log(JSON.stringify(out)); }`);
  node(["esm.mjs"]).trim().split("\n").forEach((line) => expectResult(JSON.parse(line)));
});

test("Node, require", () => {
  write("cjs.cjs", `const { load, loadSync, SglintError } = require("sglint"); require("sglint/schema.json"); require("sglint/rules.json"); require.resolve("sglint/sglint.wasm");
    load().then((loaded) => { for (const checker of [loaded, loadSync()]) { ${body} console.log(JSON.stringify(out)); } });`);
  node(["cjs.cjs"]).trim().split("\n").forEach((line) => expectResult(JSON.parse(line)));
});

test("npx sglint", () => {
  const run = (...args) => spawnSync("npx", ["--no-install", "sglint", ...args], { cwd: folder, encoding: "utf8" });
  write("deploy.sh", bad);
  const rejected = run("check", "deploy.sh", "--machine", "h100", "--format", "json");
  assert.equal(rejected.status, 1, rejected.stderr);
  assert.equal(JSON.parse(rejected.stdout).launches[0].error.message, message);
  assert.equal(run("check", "--", "sglang", "serve", "--model-path", "Qwen/Qwen3-8B").status, 0);
  const missing = run("check", "nowhere.sh");
  assert.deepEqual([missing.status, missing.stdout, missing.stderr], [2, "", "sglint: there is no file nowhere.sh; name one, - for standard input, or put the launch command after --\n"]);
});

const typed = (load) => `
import { ${load}, SglintError, type FieldName, type Report, type Request, type RuleId } from "sglint";
const request: Request = { text: "sglang serve", machine: "h100" };
declare function use(report: Report, id: RuleId, field: FieldName): string;
export async function main(): Promise<string> {
  const checker = await ${load}();
  const report = checker.check(request);
  const first = report.launches[0]?.diagnostics[0];
  // @ts-expect-error there is no such rule
  if (first?.rule === "no/such-rule") return "";
  // @ts-expect-error there is no such field
  const wrong: FieldName = "no_such_field";
  // @ts-expect-error a request has no such member
  checker.check({ text: "", modelConfig: {} });
  // @ts-expect-error the outcome is one of three
  if (report.launches[0]?.outcome === "fine") return wrong;
  const error = new SglintError("bad-request", "x");
  return use(report, "linear-attention/flashkda-is-prefill-only", "tp_size") + error.code + checker.rules()[0]?.why + String(report.launches[0]?.resolved.tp_size?.value);
}
`;
for (const [name, file, text, options] of [
  ["node16, ES module", "types/a.mts", typed("load"), { module: "node16", moduleResolution: "node16" }],
  ["node16, CommonJS", "types/b.cts", typed("loadSync"), { module: "node16", moduleResolution: "node16" }],
  ["nodenext", "types/c.mts", typed("loadSync"), { module: "nodenext", moduleResolution: "nodenext" }],
  ["bundler", "types/d.ts", typed("load"), { module: "esnext", moduleResolution: "bundler" }],
]) {
  test(`TypeScript strict, ${name}, without DOM or Node types`, () => {
    write(file, text);
    write("types/tsconfig.json", JSON.stringify({
      compilerOptions: { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true, target: "es2022", lib: ["es2022"], types: [], resolveJsonModule: true, ...options },
      files: [file.replace("types/", "")],
    }));
    node([`${top}node_modules/typescript/bin/tsc`, "-p", "types/tsconfig.json"]);
  });
}

const html = `<!doctype html><meta charset="utf-8"><title>x</title><script type="module" src="/main.js"></script>`;
const main = `import { load, SglintError } from "sglint"; const checker = await load(); ${body} globalThis.result = out;`;
async function expectSite(site, extra) {
  const served = await serve(site, extra);
  try {
    expectResult(await resultOf(browser, served.url));
  } finally {
    served.close();
  }
}

test("Vite: build", { skip }, async () => {
  write("vite/index.html", html);
  write("vite/main.js", main);
  const { build } = await import("vite");
  await build({ root: join(folder, "vite"), logLevel: "error", build: { target: "es2022" } });
  await expectSite(join(folder, "vite/dist"));
});

test("Vite: development server", { skip }, async () => {
  write("dev/index.html", html);
  write("dev/main.js", main);
  const { createServer } = await import("vite");
  // As the README says: Vite's optimiser moves a package's code away from its other files.
  const server = await createServer({ root: join(folder, "dev"), logLevel: "error", server: { port: 0, host: "127.0.0.1", fs: { strict: false } }, optimizeDeps: { exclude: ["sglint"] } });
  await server.listen();
  try {
    expectResult(await resultOf(browser, server.resolvedUrls.local[0]));
  } finally {
    await server.close();
  }
});

test("webpack", async () => {
  write("webpack/main.js", main);
  const webpack = require("webpack");
  const stats = await new Promise((resolve, reject) =>
    webpack({ mode: "production", context: join(folder, "webpack"), entry: "./main.js", output: { path: join(folder, "webpack/dist"), filename: "main.js", module: true }, experiments: { outputModule: true }, performance: false }, (error, s) => (error ? reject(error) : resolve(s))),
  );
  assert.ok(!stats.hasErrors() && !stats.hasWarnings(), stats.toString({ colors: false }));
  await expectSite(join(folder, "webpack/dist"), { "/index.html": html });
});

test("esbuild, with its file loader for the wasm", async () => {
  write("esbuild/main.js", main.replace(`await load()`, `await load({ wasm: new URL(wasm, import.meta.url) })`).replace("", `import wasm from "sglint/sglint.wasm"; `));
  const { build } = await import("esbuild");
  await build({ entryPoints: [join(folder, "esbuild/main.js")], bundle: true, format: "esm", outdir: join(folder, "esbuild/dist"), loader: { ".wasm": "file" }, logLevel: "warning" });
  await expectSite(join(folder, "esbuild/dist"), { "/index.html": html });
});

test("the files as they are, under script-src 'self' 'wasm-unsafe-eval'", async () => {
  write("plain/main.js", main.replace(`"sglint"`, `"./sglint/browser.js"`));
  mkdirSync(join(folder, "plain/sglint"));
  const dist = join(folder, "node_modules/sglint/dist");
  for (const file of ["browser.js", "worker.js", "glue.js", "sglint.wasm"]) copyFileSync(join(dist, file), join(folder, "plain/sglint", file));
  await expectSite(join(folder, "plain"), { "/index.html": html });
});

test("the worker, under the same policy", async () => {
  write("plain/worker.js", `
    const worker = new Worker("/sglint/worker.js", { type: "module" });
    const answers = [];
    worker.onmessage = (e) => { answers.push(e.data); if (answers.length === 3) globalThis.result = answers; };
    worker.postMessage({ id: 1, method: "check", args: [{ text: ${JSON.stringify(bad)}, machine: "h100" }] });
    worker.postMessage({ id: 2, method: "check", args: [{ text: "x", machine: "h9000" }] });
    worker.postMessage({ id: 3, method: "constructor", args: [] });`);
  const served = await serve(join(folder, "plain"), { "/index.html": html.replace("main.js", "worker.js") });
  const [first, second, third] = await resultOf(browser, served.url).finally(() => served.close());
  assert.equal(first.result.launches[0].error.message, message);
  assert.equal(second.code, "bad-request");
  assert.match(third.error, /There is no method "constructor"/);
});

test("Vite: the package's worker", { skip }, async () => {
  write("viteworker/index.html", html);
  write("viteworker/main.js", `
    import SglintWorker from "sglint/worker?worker";
    const worker = new SglintWorker();
    worker.onmessage = (e) => (globalThis.result = e.data);
    worker.postMessage({ id: 1, method: "check", args: [{ text: ${JSON.stringify(bad)}, machine: "h100" }] });`);
  const { build } = await import("vite");
  await build({ root: join(folder, "viteworker"), logLevel: "error", build: { target: "es2022" }, worker: { format: "es" } });
  const served = await serve(join(folder, "viteworker/dist"));
  const answer = await resultOf(browser, served.url).finally(() => served.close());
  assert.equal(answer.result.launches[0].error.message, message);
});

test("publint", () => {
  const run = spawnSync(process.execPath, [`${top}node_modules/publint/src/cli.js`, tarball, "--strict"], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stdout + run.stderr);
});

test("are the types wrong?", { skip }, () => {
  // The worker is a browser's module: require() of it means nothing.
  const run = spawnSync(process.execPath, [`${top}node_modules/@arethetypeswrong/cli/dist/index.js`, tarball, "--no-color", "--no-emoji", "--format", "table", "--exclude-entrypoints", "worker", "sglint.wasm"], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stdout + run.stderr);
});
