// The page without a mouse, and by ear.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { editorText, headline, settled, Site } from "./harness.mjs";

let site, page;
before(async () => {
  site = await Site.open();
  page = await site.visit();
});
after(() => site?.close());

const focused = () => page.evaluate(() => document.activeElement.className);

test("F8 and Shift+F8 go through the findings and select their text; Enter goes to it, Ctrl+. fixes", async () => {
  await page.locator(".cm-content").focus();
  await page.keyboard.press("F8");
  assert.match(await focused(), /message/);
  const first = await page.evaluate(() => document.activeElement.textContent);
  await page.keyboard.press("F8");
  const second = await page.evaluate(() => document.activeElement.textContent);
  assert.notEqual(first, second);
  await page.keyboard.press("Shift+F8");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), first);
  await page.keyboard.press("Enter");
  assert.match(await focused(), /cm-content/);
  assert.match(await page.evaluate(() => getSelection().toString()), /--enable-linear-replayssm/);
  for (let i = 0; i < 5 && (await page.locator(".finding.error").count()); i++) {
    await page.keyboard.press("F8");
    await page.keyboard.press("Control+.");
    await settled(page);
  }
  assert.match(await headline(page), /accepts this command/);
  assert.match(await editorText(page), /triton/);
});

test("Ctrl+Enter checks, Escape goes back to the editor", async () => {
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("sglang serve --model-path Qwen/Qwen3-8B --bad");
  await settled(page);
  const before = await editorText(page);
  await page.keyboard.press("Control+Enter");
  await settled(page);
  assert.equal(await editorText(page), before, "no line was added");
  await page.keyboard.press("F8");
  await page.keyboard.press("Escape");
  assert.match(await focused(), /cm-content/);
});

test("everything is reached with Tab, and the tabs with arrows", async () => {
  await page.evaluate(() => document.activeElement.blur());
  const seen = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    seen.add(await page.evaluate(() => document.activeElement.id || document.activeElement.className || document.activeElement.textContent));
    if (await page.evaluate(() => document.activeElement.classList.contains("cm-content"))) {
      await page.keyboard.press("Escape");  // then Tab leaves the editor
    }
  }
  for (const id of ["theme", "clear", "release", "machine", "count", "paste-machine", "model", "share", "tab-check", "filter", "message"]) assert.ok([...seen].some((s) => s.includes(id)), `${id} in ${[...seen]}`);
  await page.locator("#tab-check").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.id), "tab-matrix");
  await page.locator("#panel-matrix").waitFor();  // it has no height until the matrix is there
  await page.keyboard.press("Home");
  assert.ok(await page.locator("#panel-check").isVisible());
});

test("a screen reader hears the verdict and the counts once typing stops", async () => {
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("sglang serve --model-path Qwen/Qwen3-8B --bad-one");
  await page.waitForFunction(() => /stops here\. 1 error\./.test(document.querySelector("#live").textContent));
});

test("no console error, policy violation or request elsewhere", () => site.assertClean());
