// The built page in real Chromium.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import AxeBuilder from "@axe-core/playwright";
import { chromium } from "playwright-core";
import { load } from "sglint";
import { serve } from "../../web/serve.mjs";

const cases = JSON.parse(readFileSync(new URL("../parity/founding.json", import.meta.url), "utf8"));
const shots = fileURLToPath(new URL("../../build/screenshots/", import.meta.url));
const browserArgs = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
let server, browser, page, address;
const violations = [];

before(async () => {
  mkdirSync(shots, { recursive: true });
  server = await serve();
  address = `http://127.0.0.1:${server.address().port}/`;
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: browserArgs });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  page.on("console", (m) => m.type() === "error" && violations.push(m.text()));
  page.on("pageerror", (e) => violations.push(e.message));
  page.on("request", (r) => !r.url().startsWith(address) && !r.url().startsWith("data:") && violations.push(`request to ${r.url()}`));
  await page.goto(address);
  await checked();
});

after(async () => {
  await browser?.close();
  server?.close();
});

async function checked() {
  await page.waitForFunction(() => /ms\)$/.test(document.querySelector("#verdict").textContent));
}

const clearVerdict = () => page.evaluate(() => (document.querySelector("#verdict").textContent = ""));

async function paste(text, machine = "h100") {
  await page.selectOption("#machine", machine);
  await page.locator(".cm-content").click();
  // A text of its own first: to put the same text in its place would be no change.
  for (const next of [`first text ${performance.now()}`, text]) {
    await page.keyboard.press("Control+a");
    await clearVerdict();
    await page.keyboard.insertText(next);
    await checked();
  }
}

for (const c of cases) {
  test(`${c.name}: the page says what SGLang says`, async () => {
    await paste(c.request.text.trim(), c.request.machine);
    const messages = await page.locator(".finding.error .message").allTextContents();
    assert.equal(messages.length, c.errors.length);
    c.errors.forEach((error, i) => assert.ok(messages[i].endsWith(error), `${messages[i]} ends with ${error}`));
    for (const [field, value] of Object.entries(c.resolved ?? {})) {
      const row = page.locator("#resolved tr", { has: page.getByRole("rowheader", { name: field, exact: true, includeHidden: true }) });
      assert.ok((await row.textContent()).includes(JSON.stringify(value)));
    }
    await page.screenshot({ path: `${shots}${c.name.replaceAll(" ", "-")}.png`, fullPage: true });
  });

  test(`${c.name}: the worker gives the bytes that Node gives`, async () => {
    const expected = (await load()).checkJson(c.request);
    const got = await page.evaluate(
      (request) =>
        new Promise((resolve) => {
          const worker = new Worker("worker.js", { type: "module" });
          worker.onmessage = (e) => resolve(e.data.result);
          worker.postMessage({ id: 1, method: "checkJson", args: [request] });
        }),
      c.request,
    );
    assert.equal(got, expected);
  });
}

test("fix buttons lead to a clean command", async () => {
  await paste(cases[0].request.text.trim());
  for (let i = 0; i < 6 && (await page.locator(".finding.error").count()) > 0; i++) {
    await clearVerdict();
    await page.locator(".finding.error .fix button").first().click();
    await checked();
  }
  assert.match(await page.locator("#verdict").textContent(), /accepts this command/);
});

test("Fix all applies every fix at once", async () => {
  await paste(cases[0].request.text.trim());
  await clearVerdict();
  await page.getByRole("button", { name: "Fix all" }).click();
  await checked();
  assert.match(await page.locator("#verdict").textContent(), /accepts this command/);
});

test("release and machine pickers check again", async () => {
  await paste("sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp-size 4");
  const machines = await page.locator("#machine option").allTextContents();
  assert.ok(machines.includes("b200") && machines.includes("mi300x"));
  await clearVerdict();
  await page.selectOption("#machine", "b200");
  await checked();
  assert.match(await page.locator("#verdict").textContent(), /on b200/);
  await clearVerdict();
  await page.selectOption("#release", "0.5.16");
  await checked();
  assert.match(await page.locator("#verdict").textContent(), /SGLang 0\.5\.16/);
  await page.selectOption("#release", "0.5.18");
});

test("empty text and noise get a sentence", async () => {
  for (const text of ["hello world, this is no command", "\u0001\u0002 %%% {{{"]) {
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(text);
    await page.waitForFunction(() => document.querySelector("#verdict").textContent.length > 10);
  }
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.waitForFunction(() => /Paste|No SGLang|launch command/.test(document.querySelector("#verdict").textContent));
});

for (const theme of ["light", "dark"]) {
  test(`axe finds no serious issue (${theme})`, async () => {
    await paste(cases[0].request.text.trim());
    if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await page.click("#theme");
    const { violations: found } = await new AxeBuilder({ page }).analyze();
    const serious = found.filter((v) => ["serious", "critical"].includes(v.impact));
    assert.deepEqual(serious.map((v) => `${v.id}: ${v.nodes[0].html}`), []);
    await page.screenshot({ path: `${shots}${theme}.png`, fullPage: true });
  });
}

test("320 px wide without sideways scrolling", async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 320));
  await page.screenshot({ path: `${shots}phone.png`, fullPage: true });
  await page.setViewportSize({ width: 1280, height: 900 });
});

test("no console error, CSP violation or request elsewhere", () => {
  assert.deepEqual(violations, []);
});
