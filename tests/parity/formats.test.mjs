// What CI systems read: SARIF by its official schema, JUnit by a real XML parser, annotations in the form
// that GitHub documents; exit codes, and files that are rewritten.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { sglint } from "./native.mjs";

const require = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "sglint-formats-"));
const put = (name, text) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const bad = "sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp 4 \\\n  --enable-linear-replayssm --linear-attn-decode-backend flashinfer\n";
const texts = {
  accepted: "sglang serve --model-path Qwen/Qwen3-8B\n",
  rejected: bad,
  "usage error": "sglang serve --model-path 'a<&>\"%,:b' --nonsens\n",
  unread: "sglang serve --model-path Qwen/Qwen3-8B --served-model-name 'demo\n",
  "no launch": "echo hello\n",
  suppressed: `# sglint: ignore replayssm/needs-triton-or-helion-decode 100 % <known>, really: yes\n${bad}`,
  unused: "# sglint: ignore replayssm/needs-no-buffer, no/such a reason\nsglang serve --model-path Qwen/Qwen3-8B\n",
  several: `${bad}sglang serve --model-path é😀 --tp 3 --node-rank 4\n`,
  pair: "sglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode prefill --page-size 64\nsglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode decode --page-size 32\n",
};
const answers = (format) => Object.entries(texts).map(([name, text]) => [name, text, sglint(["check", "-", "--machine", "h100", "--format", format], text)]);

test("SARIF is valid by the official schema", () => {
  const schemas = join(dirname(require.resolve("@microsoft/jest-sarif")), "schemas");
  const schema = JSON.parse(readFileSync(join(schemas, readdirSync(schemas).find((f) => f.startsWith("sarif-2.1.0"))), "utf8"));
  // The schema is of draft 4, of which the package's own validator knows all that it uses.
  const Ajv = createRequire(require.resolve("@microsoft/jest-sarif"))("ajv");
  const ajv = new Ajv({ schemaId: "auto", meta: false, unknownFormats: "ignore", logger: false });
  ajv.addMetaSchema(createRequire(require.resolve("@microsoft/jest-sarif"))("ajv/lib/refs/json-schema-draft-04.json"));
  const valid = ajv.compile(schema);
  assert.equal(valid({ version: "2.1.0", runs: [{}] }), false, "the schema refuses a run without a tool");
  for (const [name, , { out }] of answers("sarif")) assert.ok(valid(JSON.parse(out)), `${name}: ${JSON.stringify(valid.errors)}`);
});

test("SARIF: regions in UTF-16, unique and stable fingerprints, fixes, suppressions", () => {
  const runOf = (text) => JSON.parse(sglint(["check", "-", "--machine", "h100", "--format", "sarif"], text).out).runs[0];
  const run = runOf(texts.several);
  const prints = run.results.map((r) => r.partialFingerprints["sglint/v1"]);
  assert.equal(new Set(prints).size, prints.length);
  assert.deepEqual(runOf(`# a line above\n\n${texts.several}`).results.map((r) => r.partialFingerprints["sglint/v1"]), prints);
  for (const r of run.results) assert.equal(run.tool.driver.rules[r.ruleIndex].id, r.ruleId);
  // The link leads to a page that is built.
  const site = new URL(run.tool.driver.informationUri);
  for (const rule of Object.values(texts).flatMap((text) => runOf(text).tool.driver.rules)) {
    assert.ok(rule.helpUri.startsWith(site.href), rule.helpUri);
    assert.ok(existsSync(new URL(`../../web/dist/${rule.helpUri.slice(site.href.length)}`, import.meta.url)), rule.helpUri);
  }
  const [first] = runOf(bad).results;
  const { startLine, startColumn, endColumn } = first.locations[0].physicalLocation.region;
  assert.equal(bad.split("\n")[startLine - 1].slice(startColumn - 1, endColumn - 1), "--enable-linear-replayssm --linear-attn-decode-backend flashinfer");
  assert.ok(first.fixes.length > 0 && first.fixes[0].artifactChanges[0].replacements.length > 0);
  const known = runOf(texts.suppressed).results.find((r) => r.ruleId === "replayssm/needs-triton-or-helion-decode");
  assert.deepEqual(known.suppressions, [{ kind: "inSource", justification: "100 % <known>, really: yes" }]);
});

test("JUnit is read by an XML parser, and its counts are right", () => {
  const count = `
import sys, xml.etree.ElementTree as E
r = E.fromstring(sys.stdin.buffer.read())
cases = list(r.iter("testcase"))
assert r.tag == "testsuites" and int(r.get("tests")) == len(cases), r.attrib
assert int(r.get("failures")) == len(list(r.iter("failure"))), r.attrib
assert all(c.get("name") and c.get("classname") for c in cases)
print(r.get("failures"))
for f in r.iter("failure"): print(f.get("message"))
`;
  for (const [name, , { out }] of answers("junit")) {
    const run = spawnSync("python3", ["-c", count], { input: out, encoding: "utf8" });
    assert.equal(run.status, 0, `${name}: ${run.stderr}`);
    const [failures, ...messages] = run.stdout.trim().split("\n");
    assert.equal(failures > 0, !["accepted", "unused"].includes(name) && (name !== "no launch" || failures > 0), `${name}: ${failures}`);
    if (name === "usage error") assert.match(messages[0], /--nonsens/);
  }
});

test("annotations have the form that GitHub documents", () => {
  const decode = (s) => s.replace(/%3A/g, ":").replace(/%2C/g, ",").replace(/%0D/g, "\r").replace(/%0A/g, "\n").replace(/%25/g, "%");
  for (const [name, text] of Object.entries(texts)) {
    const file = put("a,b:100%.sh", text);
    const { out } = sglint(["check", file, "--machine", "h100", "--format", "github"]);
    for (const line of out.split("\n").filter(Boolean)) {
      const parts = /^::(error|warning|notice) ([^:]*)::(.*)$/.exec(line);
      assert.ok(parts, `${name}: ${line}`);
      const properties = Object.fromEntries(parts[2].split(",").map((p) => p.split("=")));
      assert.equal(decode(properties.file), file);
      assert.ok(properties.line >= 1 && properties.endLine >= properties.line && properties.col >= 1 && properties.title);
      assert.doesNotMatch(parts[3], /[\r\n]|%(?!25|0D|0A)/);
    }
    if (name === "suppressed") assert.doesNotMatch(out, /needs-triton-or-helion-decode/);
  }
});

test("exit codes", () => {
  const code = (text, ...options) => sglint(["check", "-", "--machine", "h100", ...options], text).code;
  assert.equal(code(texts.accepted), 0);
  assert.equal(code(texts.rejected), 1);
  assert.equal(code(texts["usage error"]), 1);
  assert.equal(code(texts["no launch"]), 1);
  assert.equal(code(texts.unused), 0);
  assert.equal(code(texts.unused, "--fail-on", "warning"), 1);
  assert.equal(code(texts.unused, "--fail-on", "warning", "--ignore", "suppression/unused", "--ignore", "suppression/unknown-rule"), 0);
  const rules = new Set(JSON.parse(sglint(["check", "-", "--machine", "h100", "--format", "json"], bad).out).launches[0].diagnostics.map((d) => d.rule));
  assert.equal(code(bad, ...[...rules].flatMap((rule) => ["--ignore", rule])), 0, "a rejection that is wanted so");
  for (const wrong of [["check"], ["check", "nowhere.sh"], ["check", "-", "--format", "pdf"], ["check", "--nonsense"], ["explain", "no/rule"], ["nonsense"], ["check", "-", "--machine", "h9"]]) {
    const run = sglint(wrong, "sglang serve --model-path a\n");
    assert.equal(run.code, 2, wrong.join(" "));
    assert.equal(run.out, "", "nothing on standard output");
    assert.notEqual(run.err, "");
  }
});

test("--in-place keeps mode, links and every other line, and leaves no file behind", () => {
  const before = `#!/bin/sh\n# kept  \n${bad}`;
  const file = put("start.sh", before);
  chmodSync(file, 0o751);
  const link = join(folder, "link.sh");
  symlinkSync("start.sh", link);
  const files = readdirSync(folder);
  assert.equal(sglint(["check", "--in-place", link, "--machine", "h100"]).code, 0);
  const after = readFileSync(file, "utf8");
  assert.notEqual(after, before);
  assert.ok(after.startsWith("#!/bin/sh\n# kept  \nsglang serve"));
  assert.equal(statSync(file).mode & 0o7777, 0o751);
  assert.deepEqual(readdirSync(folder), files);
  const { ino, mtimeMs } = statSync(file);
  assert.equal(sglint(["check", "--in-place", file, "--machine", "h100"]).code, 0);
  assert.equal(statSync(file).ino, ino, "what needs no change is not written");
  assert.equal(statSync(file).mtimeMs, mtimeMs);
  assert.equal(sglint(["check", "--in-place", join(folder, "nowhere.sh")]).code, 2);
});

test("--why and --help", () => {
  const why = (field, text = bad) => sglint(["check", "-", "--machine", "h100", "--why", field], text);
  const near = why("attention_backnd", texts.accepted);
  assert.equal(near.code, 2);
  assert.match(near.err, /attention_backend/);
  const usual = why("log_level", texts.accepted);
  assert.equal(usual.code, 0);
  assert.match(usual.out, /because: SGLang's default/);
  const help = sglint(["check", "--help"]);
  assert.equal(help.code, 0);
  for (const option of ["--ignore", "--fail-on", "--in-place", "--why"]) assert.match(help.out, new RegExp(option));
});
