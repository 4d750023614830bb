// Paste, see, fix.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { load } from "sglint";
import { Site, editor, editorText, headline, paste, ready, settled, shot, verdict } from "./harness.mjs";

const cases = JSON.parse(readFileSync(new URL("../parity/founding.json", import.meta.url), "utf8"));
const replayssm = cases[0].request.text.trim();
let site, page;

before(async () => {
  site = await Site.open();
  page = await site.visit();
});
after(() => site?.close());

for (const c of cases) {
  test(`${c.name}: the page says what SGLang says`, async () => {
    await paste(page, c.request.text.trim(), c.request.machine);
    const messages = await page.locator(".finding.error .message").allTextContents();
    assert.equal(messages.length, c.errors.length);
    c.errors.forEach((error, i) => assert.ok(messages[i].endsWith(error), `${messages[i]} ends with ${error}`));
    assert.match(await headline(page), c.outcome === "ok" ? /SGLang 0\.5\.18 on 8× H100 80GB (accepts|starts, then fails)/ : /SGLang 0\.5\.18 on 8× H100 80GB stops here/);
    for (const [field, value] of Object.entries(c.resolved ?? {})) {
      const row = page.locator("#resolved tr", { has: page.getByRole("rowheader", { name: field, exact: true, includeHidden: true }) });
      assert.equal(await row.locator("code").first().textContent(), value);
    }
  });

  test(`${c.name}: the worker gives the bytes that Node gives`, async () => {
    const expected = (await load()).checkJson(c.request);
    const got = await page.evaluate(
      (request) =>
        new Promise((resolve) => {
          const worker = new Worker("worker.js", { type: "module" });
          worker.onmessage = (e) => {
            resolve(e.data.result);
            worker.terminate();
          };
          worker.postMessage({ id: 1, method: "checkJson", args: [request] });
        }),
      c.request,
    );
    assert.equal(got, expected);
  });
}

test("fix buttons lead to a clean command, with the reason and the price beside them", async () => {
  await paste(page, replayssm, "h100");
  assert.match(await verdict(page), /ValueError: --enable-linear-replayssm requires Triton.*1 more behind it/);
  const second = page.locator(".finding").nth(1);
  assert.match(await second.innerText(), /Next, once this is fixed/);
  assert.match(await second.locator(".fixes li").first().innerText(), /Costs: overlap scheduling off/);
  for (let i = 0; i < 6 && (await page.locator(".finding.error").count()) > 0; i++) {
    await page.locator(".finding.error .fixes button:enabled").first().click();
    await settled(page);
  }
  assert.match(await headline(page), /accepts this command/);
  assert.match(await editorText(page), /--linear-attn-decode-backend triton.*--disable-overlap-schedule/);
});

test("Fix all shows the difference before it changes anything", async () => {
  await paste(page, replayssm, "h100");
  await page.click("#fix-all");
  const dialog = page.getByRole("dialog", { name: "Fix all" });
  assert.match(await dialog.locator(".gone").innerText(), /--linear-attn-decode-backend flashinfer/);
  assert.match(await dialog.locator(".come").innerText(), /--linear-attn-decode-backend triton .*--disable-overlap-schedule/);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal((await editorText(page)).trim(), replayssm);
  await page.click("#fix-all");
  await shot(page, "fix-all", false);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await settled(page);
  assert.match(await headline(page), /accepts this command/);
});

test("the fixed text is copied, with the user's own secrets in it", async () => {
  await paste(page, `${replayssm} --api-key sk-of-the-user-1234`, "h100");
  await page.click("#copy-fixed");
  await page.waitForFunction(() => /copied/.test(document.querySelector("#toast").textContent));
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /triton/);
  assert.match(copied, /sk-of-the-user-1234/);
});

test("a finding of the load stage is told from a rejection", async () => {
  await paste(page, "sglang serve --model-path moonshotai/Kimi-Linear-48B-A3B-Instruct --trust-remote-code --tp 8 --linear-attn-decode-backend flashinfer", "h100");
  assert.match(await headline(page), /starts, then fails while it loads/);
  assert.match(await page.locator(".finding").first().innerText(), /Only after the weights are loaded/);
});

test("an accepted command is told in a sentence", async () => {
  await paste(page, "python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --trust-remote-code --tp-size 8 --dp-size 8 --enable-dp-attention", "h200");
  assert.match(await verdict(page), /Serves deepseek-ai\/DeepSeek-V3 on 8 GPUs: tensor parallel 8, attention data-parallel 8/);
});

test("the resolved view filters, and says where a value came from", async () => {
  await paste(page, "sglang serve --model-path Qwen/Qwen3-8B --tp 2", "h100");
  await page.fill("#filter", "tp_size");
  const row = page.locator("#resolved .values tr", { hasText: "tp_size" });
  assert.match(await row.innerText(), /2\s+you.*--tp.* was given/s);
  await page.fill("#filter", "nothing like it");
  assert.match(await page.locator("#resolved").innerText(), /Nothing matches/);
  await page.fill("#filter", "");
});

test("every example loads and leads somewhere", async () => {
  const expected = {
    ReplaySSM: /stops here/, FlashKDA: /stops here/, "Fails after loading": /fails while it loads/, Typo: /stops here/, "Renamed flag": /stops here/, "TP 8": /accepts/,
    "DP attention": /stops here/, EAGLE: /accepts|stops here/, "PD pair": /accepts|stops here/, Compose: /SGLang 0\.5\.17.*stops here/, Kubernetes: /stops here/, AMD: /MI300X.*stops here|MI300X.*accepts/,
  };
  const names = await page.locator("#examples button").allTextContents();
  assert.deepEqual(names, Object.keys(expected));
  for (const name of names) {
    await page.locator("#examples button", { hasText: name }).click();
    await settled(page);
    assert.match((await verdict(page)).replaceAll("\n", " "), expected[name], name);
  }
});

test("text typed while the checker loads is kept and checked", async () => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const slow = await site.visit({
    wait: false,
    prepare: (page) => page.route("**/sglint.wasm", async (route) => {
      await held;
      await route.continue();
    }),
  });
  await editor(slow).focus();
  await slow.keyboard.press("Control+a");
  await slow.keyboard.insertText("sglang serve --model-path Qwen/Qwen3-8B --typed-early");
  assert.match(await headline(slow), /Loading the checker/);
  release();
  await slow.waitForFunction(() => document.body.dataset.ready === "true" && document.body.dataset.state === "idle");
  assert.match(await verdict(slow), /unrecognized arguments: --typed-early/);
  await slow.context().close();
});

test("text typed before the page's script has come is kept and checked", async () => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const slow = await site.visit({
    wait: false,
    waitUntil: "commit",
    prepare: (page) => page.route("**/main.js", async (route) => {
      await held;
      await route.continue();
    }),
  });
  await editor(slow).fill("sglang serve --model-path Qwen/Qwen3-8B --typed-first");
  release();
  await ready(slow);
  assert.match(await verdict(slow), /unrecognized arguments: --typed-first/);
  await slow.keyboard.type(" --and-more");  // the keyboard is still in the text
  await settled(slow);
  assert.match(await verdict(slow), /--typed-first --and-more/);
  await slow.context().close();
});

test("without CodeMirror the text box stays: check, jump, fix", async () => {
  const plain = await site.visit({ expected: [/Failed to load resource|net::ERR_FAILED/], prepare: (page) => page.route("**/codemirror.js", (route) => route.abort()) });
  assert.match(await plain.locator("#toast").innerText(), /marks could not be fetched/);
  await editor(plain).fill("sglang serve \\\n  --model-path Qwen/Qwen3-8B \\\n  --tp-sise 2");
  await settled(plain);
  assert.match(await plain.locator(".finding").first().innerText(), /line 3/);
  await plain.locator(".finding .message").first().click();
  assert.equal(await plain.evaluate(() => document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)), "--tp-sise");
  await plain.locator(".fixes button:enabled").first().click();
  await settled(plain);
  assert.match(await editor(plain).inputValue(), /--model-path Qwen\/Qwen3-8B \\\n  --tp-size 2/);
  assert.match(await headline(plain), /accepts this command/);
  await plain.context().close();
});

test("no console error, policy violation or request elsewhere", () => site.assertClean());
