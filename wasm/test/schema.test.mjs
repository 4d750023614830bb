// schema.json describes what goes in and comes out, and the types are what is generated from it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { load } from "sglint";
import { lines } from "../../tests/parity/lines.mjs";
import { typesOf } from "../generate.mjs";

const schema = JSON.parse(readFileSync(new URL("../schema.json", import.meta.url), "utf8"));
const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
ajv.addSchema(schema, "sglint");
const validate = (name, value, what) => {
  const check = ajv.getSchema(`sglint#/$defs/${name}`);
  assert.ok(check(value), `${what}: ${ajv.errorsText(check.errors)}`);
};
const checker = await load();
const { lines: all } = lines();
// Every thirtieth recording, and all texts.
const some = all.filter((line, i) => i % 30 === 0 || JSON.parse(line).text !== undefined);

const types = readFileSync(new URL("../dist/names.d.ts", import.meta.url), "utf8");
const unionOf = (name) => new Set(types.match(new RegExp(`type ${name} = ([^;]+);`))[1].match(/"[^"]+"/g).map((s) => JSON.parse(s)));
const ids = unionOf("RuleId");
const fields = unionOf("FieldName");

test("types.ts is what generate.mjs writes", () => {
  assert.equal(readFileSync(new URL("../src/types.ts", import.meta.url), "utf8"), typesOf(schema), "run node wasm/generate.mjs");
});

test("reports and results are of the schema, and name rules and fields of the unions", () => {
  for (const line of some) {
    const report = JSON.parse(checker.reportLine(line));
    validate("Report", report, line);
    assert.equal(report.error, null, line);
    const result = JSON.parse(checker.batchLine(line));
    validate("BatchResult", result, line);
    for (const id of [...(result.rules ?? []), ...report.launches.flatMap((l) => l.diagnostics.map((d) => d.rule))]) assert.ok(ids.has(id), id);
    for (const field of [...Object.keys(result.resolved ?? {}), ...report.launches.flatMap((l) => Object.keys(l.resolved))]) assert.ok(fields.has(field), field);
  }
});

test("matrices, upgrades and deployments are of the schema", () => {
  const pair = "sglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode prefill --page-size 64\nsglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode decode --page-size 32\n";
  const texts = [
    pair,
    "sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp 3\n",
    "sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm --mamba-scheduler-strategy no_buffer\n",
    "sglang serve --tp x\n",
    "echo hello\n",
  ];
  for (const text of texts) {
    const matrix = { text, machines: ["h100x8", "mi300x"], releases: ["0.5.15.post1", "0.5.18"], fixes: true };
    const upgrade = { text, machine: "h100", from: "0.5.15.post1", to: "0.5.18" };
    validate("MatrixRequest", matrix, text);
    validate("Matrix", checker.matrix(matrix), text);
    validate("UpgradeRequest", upgrade, text);
    validate("Upgrade", checker.upgrade(upgrade), text);
    validate("Report", checker.check(text), text);
  }
  assert.ok(checker.check(pair).deployment.length > 0);
});

test("requests are of the schema", () => {
  const members = Object.keys(schema.$defs.Request.properties);
  for (const line of some) {
    const request = Object.fromEntries(Object.entries(JSON.parse(line)).filter(([key]) => members.includes(key)));
    validate("Request", request, line);
    checker.check(request);
  }
});

// What the schema refuses is refused with a sentence, and the other way round.
for (const [request, sentence] of [
  [null, /not null/],
  [[], /not an array/],
  [5, /not number/],
  [{}, /needs "text" \(a string\) or "argv"/],
  [{ text: 5 }, /text must be a string/],
  [{ argv: [1] }, /argv must be a list of strings/],
  [{ argv: "x" }, /needs "text"/],
  [{ text: "", modelConfig: {} }, /no member "modelConfig"; it has text, argv/],
  [{ text: "", release: 5 }, /release must be a string/],
  [{ text: "", machine: 5 }, /machine must be a JSON object/],
  [{ text: "", model: {} }, /model must be a string/],
  [{ text: "", model_config: [] }, /model_config must be a JSON object/],
  [{ text: "", env: { A: 1 } }, /env must be an object of strings/],
  [{ text: "", env: [] }, /env must be an object of strings/],
  [{ text: "", files: { "a.yaml": {} } }, /files must be an object of strings/],
  [{ text: "", extra_models: [] }, /extra_models must be an object/],
]) {
  test(`refused: ${JSON.stringify(request)}`, () => {
    assert.ok(!ajv.getSchema("sglint#/$defs/Request")(request), "the schema refuses it too");
    assert.throws(() => checker.check(request), (e) => e.code === "bad-request" && sentence.test(e.message), "");
  });
}

test("refused: what is no JSON", () => {
  const circle = { text: "" };
  circle.env = circle;
  for (const request of [undefined, circle, { text: "", env: { A: 1n } }, { text: () => "" }]) {
    assert.throws(() => checker.check(request), (e) => e.code === "bad-request" && e.message.length > 20);
  }
});

test("rules and catalogue are of the schema", () => {
  validate("Rules", checker.rules(), "rules");
  validate("Catalogue", checker.catalogue(), "catalogue");
  assert.deepEqual(new Set(checker.rules().map((rule) => rule.id)), ids);
  assert.deepEqual(JSON.parse(readFileSync(new URL("../rules.json", import.meta.url), "utf8")), checker.rules());
});
