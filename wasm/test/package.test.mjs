import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load, SglintError } from "sglint";

test("load() is idempotent", async () => {
  assert.equal(await load(), await load());
});

test("load() takes bytes, a module and a URL", async () => {
  const url = new URL("../dist/sglint.wasm", import.meta.url);
  const bytes = readFileSync(url);
  for (const wasm of [bytes, await WebAssembly.compile(bytes), url]) {
    const checker = await load({ wasm });
    assert.equal(checker.check("sglang serve --model-path Qwen/Qwen3-8B").launches.length, 1);
  }
});

test("a wasm that is not there is an SglintError", async () => {
  await assert.rejects(load({ wasm: new URL("nowhere.wasm", import.meta.url) }), (e) => e instanceof SglintError && e.code === "wasm-unavailable");
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
  assert.deepEqual(secrets.map(({ span }) => text.slice(...span)), ["hf_abc", `"sk-a\\"bcd"`, "zzzz", "zzzz"]);
});

test("the catalogue has the facts of every machine, and every rule its record", async () => {
  const checker = await load();
  const { machines, machine_facts } = checker.catalogue();
  assert.deepEqual(Object.keys(machine_facts), machines);
  assert.ok(checker.rules().some((rule) => rule.id === "replayssm/needs-no-buffer" && rule.bad && rule.good));
});
