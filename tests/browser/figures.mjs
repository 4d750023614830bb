// Prints the page's figures beside the budgets: node tests/browser/figures.mjs
// Times vary with the machine and its load, so a figure over its budget is marked and nothing fails.
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { Site } from "./harness.mjs";

const dist = fileURLToPath(new URL("../../web/dist/", import.meta.url));
const KEYSTROKES = 200;
const VISITS = 7;

const brotli = (...files) => files.reduce((sum, file) => sum + brotliCompressSync(readFileSync(dist + file)).length, 0) / 1024;
const sorted = (values) => [...values].sort((a, b) => a - b);
const at = (values, share) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))];

function row(what, value, unit, budget = null) {
  const over = budget !== null && value > budget ? "  OVER" : "";
  console.log(`${what.padEnd(46)} ${value.toFixed(1).padStart(8)} ${unit.padEnd(3)}${budget === null ? "" : `  budget ${budget} ${unit}${over}`}`);
}

row("page and style, brotli", brotli("index.html", "style.css", "icon.svg"), "KB");
row("JS of the page, brotli", brotli("main.js"), "KB");
row("JS of the checker, brotli", brotli("worker.js", "glue.js"), "KB");
row("sglint.wasm, brotli", brotli("sglint.wasm"), "KB", 250);
row("all that a first visit transfers, brotli", brotli("index.html", "style.css", "icon.svg", "main.js", "worker.js", "glue.js", "sglint.wasm"), "KB");

const site = await Site.open();
const cold = [];
for (let i = 0; i < VISITS; i++) {
  const page = await site.visit();
  cold.push(await page.evaluate(() => performance.getEntriesByName("first-check")[0].startTime));
  await page.context().close();
}
row("cold load to the first check, best", Math.min(...cold), "ms", 300);
row("cold load to the first check, median", at(cold, 0.5), "ms", 300);

const page = await site.visit();
await page.evaluate(() => {
  window.delays = [];
  let pressed = 0;
  document.addEventListener("keydown", (event) => (pressed = event.timeStamp), true);
  new MutationObserver(() => {
    if (pressed) window.delays.push(performance.now() - pressed);
    pressed = 0;
  }).observe(document.querySelector("#findings"), { childList: true });
});
await page.locator(".cm-content").focus();
await page.keyboard.press("Control+End");
await page.keyboard.type(" --mem-fraction-static 0.8 --nonsense".repeat(10).slice(0, KEYSTROKES), { delay: 40 });
await page.waitForTimeout(300);
const delays = await page.evaluate(() => window.delays);
row(`keystroke to findings, p50 of ${delays.length}`, at(delays, 0.5), "ms");
row(`keystroke to findings, p95 of ${delays.length}`, at(delays, 0.95), "ms", 16);
await page.context().close();
await site.close();
console.log(`load average ${loadavg()[0].toFixed(1)} on this machine`);
