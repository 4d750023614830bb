// The built page in real Chromium. Whatever the console, the content security policy or the network
// has to object to is collected and fails the file's last test.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "../../web/serve.mjs";

export const shots = fileURLToPath(new URL("../../build/screenshots/", import.meta.url));
const browserArgs = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export class Site {
  problems = [];
  #contexts = [];

  static async open() {
    const site = new Site();
    mkdirSync(shots, { recursive: true });
    site.server = await serve();
    site.address = `http://127.0.0.1:${site.server.address().port}/`;
    site.browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: browserArgs });
    return site;
  }

  async close() {
    await this.browser?.close();
    this.server?.closeAllConnections();
    this.server?.close();
  }

  /** A new visitor. `prepare(page)` runs before the page is fetched. */
  async visit({ path = "", prepare, wait = true, waitUntil = "load", expected = [], ...options } = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 900 }, serviceWorkers: "block", permissions: ["clipboard-read", "clipboard-write"], ...options });
    this.#contexts.push(context);
    const page = await context.newPage();
    const object = (text) => expected.some((known) => known.test(text)) || this.problems.push(text);
    page.on("console", (m) => m.type() === "error" && object(m.text()));
    page.on("pageerror", (e) => object(e.message));
    page.on("request", (r) => r.url().startsWith(this.address) || /^(data|blob):/.test(r.url()) || object(`request to ${r.url()}`));
    await page.exposeFunction("policyViolation", (what) => object(`policy violation: ${what}`));
    await page.addInitScript(() => addEventListener("securitypolicyviolation", (e) => window.policyViolation(`${e.violatedDirective} ${e.blockedURI}`)));
    await prepare?.(page, context);
    await page.goto(this.address + path, { waitUntil });
    if (wait) await ready(page);
    return page;
  }

  assertClean() {
    assert.deepEqual(this.problems, []);
  }
}

/** The checker is loaded, and no check is under way or waits. */
export async function ready(page) {
  await page.waitForFunction(() => document.body.dataset.ready === "true");
  await settled(page);
}

export const settled = (page) => page.waitForFunction(() => document.body.dataset.state === "idle");

/** The text box of a page that still loads, or CodeMirror in its place. */
export const editor = (page) => page.getByRole("textbox", { name: "Launch command" });

/** Puts the text into the editor as a person does who pastes over everything. */
export async function paste(page, text, machine) {
  if (machine) await page.selectOption("#machine", machine);
  await editor(page).focus();
  await page.keyboard.press("Control+a");
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
  await settled(page);
}

/** All of the editor's text, also what is not drawn. */
export async function editorText(page) {
  await editor(page).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+c");
  return page.evaluate(() => navigator.clipboard.readText());
}

export const verdict = (page) => page.locator("#verdict-text").innerText();
export const headline = (page) => page.locator("#verdict .headline").first().innerText();
export const shot = (page, name, fullPage = true) => page.screenshot({ path: `${shots}${name}.png`, fullPage });
