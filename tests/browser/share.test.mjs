// The link in the fragment.
import assert from "node:assert/strict";
import { inflateRawSync } from "node:zlib";
import { after, before, test } from "node:test";
import { editorText, headline, paste, settled, Site, verdict } from "./harness.mjs";

let site, page;
before(async () => {
  site = await Site.open();
  page = await site.visit();
});
after(() => site?.close());

async function link() {
  await page.click("#share");
  const dialog = page.getByRole("dialog", { name: "Share link" });
  const url = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
  const words = await dialog.innerText();
  await dialog.getByRole("button", { name: "Close" }).click();
  return { url, words, held: JSON.parse(inflateRawSync(Buffer.from(url.split("#v1=")[1], "base64url"))) };
}

test("round trip of text, release, machine and count", async () => {
  const text = "# naïve 😀\nsglang serve --model-path Qwen/Qwen3-8B --nonsense\n";
  await paste(page, text, "b200");
  await page.fill("#count", "4");
  await page.selectOption("#release", "0.5.17");
  await settled(page);
  const { url } = await link();
  assert.ok(!new URL(url).search);
  const other = await site.visit({ path: url.slice(site.address.length) });
  assert.equal(await editorText(other), text);
  assert.match(await headline(other), /SGLang 0\.5\.17 on 4× B200 stops here/);
  assert.equal(await other.inputValue("#machine"), "b200");
  assert.equal(await other.inputValue("#release"), "0.5.17");
  await other.context().close();
});

const secrets = {
  "--api-key of the launch": ["sglang serve --model-path Qwen/Qwen3-8B --api-key mykey-4711-abc", "mykey-4711-abc", /line 1, after --api-key/],
  "a misspelt flag": ["sglang serve --model-path Qwen/Qwen3-8B --apikey=another4711", "another4711", /line 1/],
  "a variable before the launch": ["export HF_TOKEN=hf_AbCdEfGhIjKlMnOp\nsglang serve --model-path Qwen/Qwen3-8B", "hf_AbCdEfGhIjKlMnOp", /line 1, after HF_TOKEN/],
  "a compose file": ["services:\n  a:\n    image: lmsysorg/sglang:v0.5.18\n    command: sglang serve --model-path Qwen/Qwen3-8B\n    environment:\n      OPENAI_API_KEY: 'plain-value-99'\n", "plain-value-99", /line 6/],
  "a variable of a service that is no launch": ["services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: plainword\n      MY_TOKEN: another77\n", "plainword", /line 4, after POSTGRES_PASSWORD/],
  "a header in a line that is no launch": ['curl -H "Authorization: Bearer abcdef123456" http://localhost:30000\nsglang serve --model-path Qwen/Qwen3-8B', "abcdef123456", /line 1/],
  "a password in an address": ["git clone https://me:hunter2@example.com/x\nsglang serve --model-path Qwen/Qwen3-8B", "hunter2", /line 1/],
  "one that stands twice": ["# old: topsecret99\nsglang serve --model-path Qwen/Qwen3-8B --api-key topsecret99", "topsecret99", /line 2/],
};
for (const [name, [text, secret, told]] of Object.entries(secrets)) {
  test(`secrets are left out and listed: ${name}`, async () => {
    await paste(page, text);
    const { url, words, held } = await link();
    assert.ok(!JSON.stringify(held).includes(secret), held.t);
    assert.match(held.t, /REMOVED_SECRET/);
    assert.match(words, told);
    assert.ok(!url.includes(secret) && !words.includes(secret));
  });
}

test("what only looks like a secret stays", async () => {
  const text = "sglang serve --model-path Qwen/Qwen3-8B --tokenizer-path Qwen/Qwen3-8B --max-prefill-tokens 16384 --speculative-num-draft-tokens 4\n";
  await paste(page, text);
  const { held, words } = await link();
  assert.equal(held.t, text);
  assert.match(words, /No secret was found/);
});

test("a broken link is one sentence, and the text stays", async () => {
  for (const broken of ["v1=%%%", "v1=AAAA", "v1=" + "q".repeat(2000), "something"]) {
    await paste(page, "sglang serve --model-path Qwen/Qwen3-8B --mine");
    await page.evaluate((fragment) => (location.hash = fragment), broken);
    await page.waitForFunction(() => /damaged|not of this page/.test(document.querySelector("#toast").textContent));
    assert.match(await verdict(page), /--mine/);
    await page.evaluate(() => (document.querySelector("#toast").textContent = ""));
  }
});

test("a text too long for a link is refused with a sentence", async () => {
  let noise = "";
  for (let i = 0; i < 9000; i++) noise += Math.sin(i).toString(36).slice(2, 9);
  await paste(page, `sglang serve --model-path Qwen/Qwen3-8B # ${noise}`);
  await page.click("#share");
  await page.waitForFunction(() => /too long for a link/.test(document.querySelector("#toast").textContent));
});

test("no console error, policy violation or request elsewhere", () => site.assertClean());
