import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { test } from "node:test";
import { load, loadSync, SglintError } from "sglint";

const url = new URL("../dist/sglint.wasm", import.meta.url);
const bytes = readFileSync(url);
const works = (checker) => assert.equal(checker.check("sglang serve --model-path Qwen/Qwen3-8B").launches[0].outcome, "ok");
const withCode = (code, message = /\w/) => (e) => e instanceof SglintError && e.code === code && message.test(e.message);

test("load() is idempotent", async () => {
  assert.equal(await load(), await load());
  assert.equal(loadSync(), loadSync());
  const module = await WebAssembly.compile(bytes);
  for (const wasm of [url, bytes, module]) assert.equal(await load({ wasm }), await load({ wasm }));
});

test("load() takes bytes, a module, a URL and a response", async () => {
  const module = await WebAssembly.compile(bytes);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  for (const wasm of [bytes, buffer, module, url, url.href, new Response(bytes), new Response(bytes, { headers: { "content-type": "application/wasm" } })]) works(await load({ wasm }));
  const server = createServer((request, response) => (request.url === "/sglint.wasm" ? response.writeHead(200, { "content-type": "application/wasm" }).end(bytes) : response.writeHead(404).end()));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const site = `http://127.0.0.1:${server.address().port}`;
  try {
    works(await load({ wasm: `${site}/sglint.wasm` }));
    await assert.rejects(load({ wasm: `${site}/nowhere.wasm` }), withCode("wasm-unavailable", /HTTP status 404 for http/));
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("loadSync() takes bytes, a module and a URL", () => {
  for (const wasm of [bytes, new WebAssembly.Module(bytes), url, url.href]) works(loadSync({ wasm }));
});

test("one that could not be loaded can be tried again", async () => {
  let there = false;
  const wasm = { ok: true, status: 200, arrayBuffer: async () => { if (!there) throw new Error("offline"); return bytes; } };
  await assert.rejects(load({ wasm }), withCode("wasm-unavailable", /offline/));
  there = true;
  works(await load({ wasm }));
});

test("a wasm of another build is refused", async () => {
  const other = Buffer.from(bytes);
  other[other.length - 1] ^= 1;
  const none = bytes.subarray(0, bytes.length - 25);
  for (const [wasm, found] of [[other, "[0-9a-f]{15}."], [none, "none"]]) {
    const refused = withCode("build-mismatch", new RegExp(`sglint\\.wasm is of build ${found}, its JavaScript of build [0-9a-f]{16}: take both from one sglint package`));
    await assert.rejects(load({ wasm }), refused);
    assert.throws(() => loadSync({ wasm }), refused);
  }
});

test("what is no wasm is refused with a sentence", async () => {
  for (const wasm of [Buffer.from("no wasm"), {}, 5, true, "nowhere.wasm", new URL("nowhere.wasm", import.meta.url), new URL("file:///"), new Response("", { status: 500 })]) {
    await assert.rejects(load({ wasm }), withCode("wasm-unavailable", /sglint.wasm could not be loaded: .+/), String(wasm));
  }
  for (const wasm of [Buffer.from("no wasm"), {}, 5, "nowhere.wasm"]) assert.throws(() => loadSync({ wasm }), withCode("wasm-unavailable"));
});

test("require() gives the same as import", () => {
  const required = createRequire(import.meta.url)("sglint");
  works(required.loadSync());
  assert.throws(() => required.loadSync().check({}), (e) => e instanceof required.SglintError && e.code === "bad-request");
});

test("fix() gives the text as `--fix` does, with UTF-16 offsets", async () => {
  const checker = await load();
  const text = "# é😀\nsglang serve --model-path Qwen/Qwen3-8B --nonsense\n";
  const { text: fixed, changed, report } = checker.fix({ text, machine: "h100" });
  assert.equal(fixed, "# é😀\nsglang serve --model-path Qwen/Qwen3-8B\n");
  assert.ok(changed && report.launches[0].outcome === "usage_error");
  assert.deepEqual([checker.fix(fixed).text, checker.fix(fixed).changed], [fixed, false]);
  assert.throws(() => checker.fix({ argv: ["--model-path", "m"] }), withCode("bad-request", /needs "text"/));
});

test("explain() and version", async () => {
  const checker = await load();
  assert.match(checker.explain("replayssm/needs-no-buffer"), /replayssm\/needs-no-buffer/);
  assert.equal(checker.explain("no/such-rule"), "");
  assert.equal(checker.version, JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version);
});

test("text that is no text: lone surrogates, nulls, a megabyte", async () => {
  const checker = await load();
  for (const text of ["sglang serve \ud800 --model-path m", "sglang serve\0 --model-path m", "x".repeat(1 << 20)]) {
    try {
      checker.check(text);
    } catch (error) {
      assert.ok(withCode("bad-request")(error), String(error));
    }
  }
  works(checker);
});

test("spans are UTF-16 offsets", async () => {
  const text = "sglang serve --model-path /models/é😀 --nonsense\n";
  const report = (await load()).check({ text, machine: "h100" });
  const [begin, end] = report.launches[0].diagnostics[0].spans[0];
  assert.equal(text.slice(begin, end), "--nonsense");
});

test("bad requests are one sentence", async () => {
  const checker = await load();
  assert.throws(() => checker.check({ text: "sglang serve", machine: "h9000" }), /Unknown machine 'h9000'; known: h100/);
  assert.throws(() => checker.check({}), /needs "text"/);
  assert.throws(() => checker.check({ text: "sglang serve --model-path m", model_config: "{" }), /model_config is not JSON/);
  assert.throws(() => checker.check({ text: "sglang serve --model-path m", release: "0.1" }), /Unknown release '0.1'; known: /);
});

test("the report says where secrets stand, also where quotes hide them", async () => {
  const text = `NAME=é HF_TOKEN='hf_abc' sglang serve --model-path m --api-key "sk-a\\"bcd" --admin-api-key=zzzz # zzzz`;
  const { secrets } = (await load()).check(text);
  assert.deepEqual(secrets.map(({ span }) => text.slice(...span)), ["'hf_abc'", `"sk-a\\"bcd"`, "zzzz", "zzzz"]);
});

test("the catalogue has the facts of every machine, and every rule its record", async () => {
  const checker = await load();
  const { machines, machine_facts } = checker.catalogue();
  assert.deepEqual(Object.keys(machine_facts), machines);
  assert.ok(checker.rules().some((rule) => rule.id === "replayssm/needs-no-buffer" && rule.bad && rule.good));
});
