// The matrix and the upgrade of a command say the same, in the same order, natively and in Node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "sglint";
import { sglint } from "./native.mjs";

const checker = await load();
const texts = [
  "sglang serve --model-path Qwen/Qwen3-8B --tp 2\n",
  "sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp 4 --enable-linear-replayssm --enable-gdn-replayssm-spec\n",
  "sglang serve --model-path m --tp 3 --nonsens --api-key topsecret1\n",
  "services:\n  a:\n    image: lmsysorg/sglang:v0.5.16\n    command: sglang serve --model-path Qwen/Qwen3-8B --attention-backend fa3\n  b:\n    image: lmsysorg/sglang:v0.5.18\n    command: sglang serve --model-path deepseek-ai/DeepSeek-V3 --tp 8\n",
];

for (const [i, text] of texts.entries()) {
  test(`matrix ${i}`, () => {
    for (const fixes of [false, true]) {
      const native = sglint(["matrix", "-", "--format", "json", ...(fixes ? ["--fixes"] : [])], text);
      assert.equal(JSON.stringify(checker.matrix({ text, fixes })), JSON.stringify(JSON.parse(native.out)));
    }
  });
  test(`upgrade ${i}`, () => {
    const native = sglint(["upgrade", "-", "--from", "0.5.16", "--to", "0.5.18", "--format", "json"], text);
    assert.equal(JSON.stringify(checker.upgrade({ text, from: "0.5.16", to: "0.5.18" })), JSON.stringify(JSON.parse(native.out)));
  });
}
