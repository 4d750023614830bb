// The command line of the package answers as the native one: the same bytes and exit codes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { binary } from "../../tests/parity/native.mjs";
import { native } from "../../tests/parity/lines.mjs";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sglint-cli-"));
const texts = readFileSync(new URL("../../tests/golden/text/texts.ndjson", import.meta.url), "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
const bad = "sglang serve --model-path moonshotai/Kimi-Linear-48B-A3B-Instruct --linear-attn-decode-backend flashkda\n";
writeFileSync(join(folder, "bad.sh"), bad);
writeFileSync(join(folder, "config.json"), "{");
writeFileSync(join(folder, "facts.json"), JSON.stringify({ platform: "cuda" }));
writeFileSync(join(folder, "batch.ndjson"), `${texts.slice(0, 5).map(({ id, text }) => JSON.stringify({ id, text })).join("\n")}\nnot json\n`);

function run(program, args, { input = "", env = {} } = {}) {
  const { status, stdout, stderr } = spawnSync(program[0], [...program.slice(1), ...args], { cwd: folder, input, env: { ...process.env, ...env }, encoding: "utf8", maxBuffer: 1 << 28 });
  return { status, stdout, stderr };
}
const same = (args, options) => {
  const expected = run([binary], args, options);
  assert.deepEqual(run([process.execPath, cli], args, options), expected);
  return expected;
};

for (const [args, options] of [
  [["--version"]],
  [["--help"]],
  [["check", "--help"]],
  [[]],
  [["chekc"]],
  [["check"]],
  [["check", "--nonsense"]],
  [["check", "--format", "yaml", "bad.sh"]],
  [["check", "nowhere.sh"]],
  [["check", "--machine", "", "bad.sh"]],
  [["check", "--tp", "2"]],
  [["check", ...bad.trim().split(" ")]],
  [["check", bad.trim(), "--format", "json"]],
  [["check", ...bad.trim().split(" "), "--machine", "h100"]],
  [["matrix", "--help"]],
  [["help"]],
  [["check", "."]],
  [["check", "bad.sh"]],
  [["check", "bad.sh"], { env: { NO_COLOR: "1" } }],
  [["check", "bad.sh", "--format", "json"]],
  [["check", "bad.sh", "--fix"]],
  [["check", "bad.sh", "--resolved", "--machine", "b200"]],
  [["check", "bad.sh", "--machine", "h9000"]],
  [["check", "bad.sh", "--machine", "facts.json"]],
  [["check", "bad.sh", "--model-config", "config.json"]],
  [["check", "bad.sh", "--release", "0.1"]],
  [["check", "--why", "attention_backend", "--", "sglang", "serve", "--model-path", "Qwen/Qwen3-8B"]],
  [["check", "-", "--fail-on", "info"], { input: bad }],
  [["check", "-", "--format", "json"], { input: `# é😀\n${bad}` }],
  [["check", "--batch", "batch.ndjson"]],
  [["check", "--batch", "-", "--format", "json"], { input: readFileSync(join(folder, "batch.ndjson")) }],
  [["explain", "linear-attention/flashkda-is-prefill-only"]],
  [["explain", "no/such-rule"]],
  [["rules"]],
  [["rules", "--json"]],
  [["selftest", "--nonsense"]],
  [["selftest", "--merge", "facts.json"]],
]) {
  test(`sglint ${args.join(" ")}${options?.input ? " < input" : ""}`, () => void same(args, options));
}

test("what a launch names is read from this disk: a config beside the script, a model's folder, the Hub's cache", () => {
  const put = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  put("conf/run.sh", "sglang serve --config prod.yaml\n");
  put("conf/prod.yaml", "model-path: ./mine\ntp-size: 3\n");
  put("conf/mine/config.json", JSON.stringify({ architectures: ["LlamaForCausalLM"], model_type: "llama", num_attention_heads: 32, num_key_value_heads: 8, hidden_size: 4096, num_hidden_layers: 2 }));
  put("hub/models--acme--small/refs/main", "abc");
  put("hub/models--acme--small/snapshots/abc/config.json", readFileSync(join(folder, "conf/mine/config.json")));
  const script = same(["check", "--machine", "h100", "--format", "json", "conf/run.sh"]);
  assert.equal(script.stderr, "sglint: read conf/prod.yaml\nsglint: read conf/./mine/config.json\n");
  const [launch] = JSON.parse(script.stdout).launches;
  assert.deepEqual(launch.diagnostics.map((d) => d.rule), ["layout/vocabulary"]);
  const cached = same(["check", "--", "sglang", "serve", "--model-path", "acme/small"], { env: { HF_HUB_CACHE: join(folder, "hub") } });
  assert.match(cached.stderr, /read .*hub\/models--acme--small\/snapshots\/abc\/config\.json/);
  assert.doesNotMatch(cached.stdout, /unknown-model/);
  assert.match(same(["check", "--", "sglang", "serve", "--config", "nowhere.yaml"]).stdout, /nowhere\.yaml was not given to this check/);
});

test("every text, as a report and repaired", () => {
  for (const { id, text } of texts) {
    writeFileSync(join(folder, id), text);
    same(["check", id, "--format", "json", "--machine", "h100"]);
  }
});

test("a batch larger than a pipe holds", async () => {
  const requests = Array.from({ length: 300 }, (_, i) => JSON.stringify({ id: i, argv: ["--model-path", "Qwen/Qwen3-8B", "--tp", String(1 + (i % 8))] }));
  const expected = [];
  for await (const line of native("results", requests)) expected.push(line);
  const got = run([process.execPath, cli], ["check", "--batch", "-"], { input: `${requests.join("\n")}\n` });
  assert.equal(got.status, 0);
  assert.deepEqual(got.stdout.trimEnd().split("\n"), expected);
});

test("the tests of the native command line hold for this one", () => {
  const file = fileURLToPath(new URL("../../tests/cli/command_line_test.py", import.meta.url));
  const { status, stderr } = spawnSync("python3", [file, process.execPath, cli], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
});

test("what needs the host says so", () => {
  for (const args of [["detect"], ["selftest"], ["check", "--here", "bad.sh"]]) {
    const { status, stdout, stderr } = run([process.execPath, cli], args);
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, /the npm package cannot ask this host or its GPUs; the native sglint can/);
  }
});
