// GPUs × releases, and what an upgrade changes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { load } from "sglint";
import { editorText, headline, paste, settled, shot, Site } from "./harness.mjs";

const REPLAYSSM = "sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp-size 4 --enable-linear-replayssm";
let site, page;
before(async () => {
  site = await Site.open();
  page = await site.visit();
});
after(() => site?.close());

test("the matrix says in colour and words what the checker says, cell by cell", async () => {
  await paste(page, REPLAYSSM, "h100");
  await page.click("#tab-matrix");
  await page.waitForSelector("#matrix .cell");
  const expected = (await load()).matrix({ text: REPLAYSSM, machine: "h100" });
  const cells = expected.launches[0].cells;
  assert.equal(await page.locator("#matrix .cell").count(), cells.length);
  const count = (kind) => page.locator(`#matrix .cell.${kind}`).count();
  assert.equal(await count("ok"), cells.filter((c) => c.outcome === "ok" && !c.load).length);
  assert.equal(await count("stop"), cells.filter((c) => c.outcome !== "ok").length);
  for (const cell of await page.locator("#matrix .cell").allInnerTexts()) assert.match(cell, /starts|rejected|fails while loading/);
  await shot(page, "matrix");
});

test("a cell tells its reason and its fix, and is checked on request", async () => {
  const cell = page.getByRole("button", { name: "8× H200, SGLang 0.5.17: rejected" });
  await cell.click();
  const detail = page.locator(".cell-detail");
  await detail.locator(".cell-fix b").waitFor();
  assert.match(await detail.innerText(), /ValueError: .*no_buffer[\s\S]*replayssm\/needs-no-buffer[\s\S]*Fix:/);
  await detail.getByRole("button", { name: "Check it there" }).click();
  await settled(page);
  assert.match(await headline(page), /SGLang 0\.5\.17 on 8× H200 stops here/);
  assert.equal(await page.inputValue("#machine"), "h200");
});

test("the matrix follows the text while it is open", async () => {
  await page.click("#tab-matrix");
  await page.evaluate(() => document.querySelector("#matrix").replaceChildren());
  await paste(page, "sglang serve --model-path Qwen/Qwen3-8B --nonsense");
  await page.waitForFunction(() => /rejected/.test(document.querySelector("#matrix caption")?.textContent ?? ""));
  assert.equal(await page.locator("#matrix .cell.ok").count(), 0);
  await page.click("#tab-check");
});

test("the upgrade view names what changes and edits the command", async () => {
  const old = "sglang serve --model-path Qwen/Qwen3-8B --cuda-graph-max-bs 64";
  await paste(page, old, "h100");
  await page.click("#tab-upgrade");
  await page.selectOption("#upgrade-from", "0.5.16");
  await page.selectOption("#upgrade-to", "0.5.18");
  const expected = (await load()).upgrade({ text: old, machine: "h100", from: "0.5.16", to: "0.5.18" }).launches[0];
  await page.waitForFunction(() => /SGLang 0\.5\.16 .*; 0\.5\.18 /.test(document.querySelector("#upgrade").innerText));
  const text = await page.locator("#upgrade").innerText();
  for (const flag of expected.flags) assert.ok(text.includes(flag.flag), flag.flag);
  for (const change of expected.defaults) assert.ok(text.includes(change.field), change.field);
  await shot(page, "upgrade");
  if (!expected.edits.length) return;
  await page.getByRole("button", { name: "Apply and check with 0.5.18" }).click();
  await settled(page);
  assert.notEqual(await editorText(page), old);
});

test("an upgrade that needs an edit: the edited command is accepted", async () => {
  const checker = await load();
  const candidates = ["--enable-expert-distribution-metrics", "--enable-ep-moe", "--disable-cuda-graph-padding"].map((flag) => `sglang serve --model-path Qwen/Qwen3-8B ${flag}`);
  const text = candidates.find((t) => checker.upgrade({ text: t, machine: "h100", from: "0.5.16", to: "0.5.18" }).launches[0].edits.length > 0);
  if (!text) return;
  await page.click("#tab-check");
  await paste(page, text, "h100");
  await page.click("#tab-upgrade");
  await page.getByRole("button", { name: "Apply and check with 0.5.18" }).click();
  await settled(page);
  assert.match(await headline(page), /SGLang 0\.5\.18 .*accepts/);
});

test("no console error, policy violation or request elsewhere", () => site.assertClean());
