// Prints the page's figures beside the budgets: node tests/browser/figures.mjs
// Times vary with the machine and its load, so a figure over its budget is marked and nothing fails.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
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
  console.log(`${what.padEnd(51)} ${value.toFixed(1).padStart(8)} ${unit.padEnd(3)}${budget === null ? "" : `  budget ${budget} ${unit}${over}`}`);
}

row("page and style, brotli", brotli("index.html", "style.css", "icon.svg"), "KB");
row("JS of the page, brotli", brotli("main.js"), "KB");
row("JS of the checker, brotli", brotli("worker.js"), "KB");
row("CodeMirror, behind the first check, brotli", brotli("codemirror.js"), "KB");
row("sglint.wasm, brotli", brotli("sglint.wasm"), "KB", 250);
row("all that a first visit transfers, brotli", brotli("index.html", "style.css", "icon.svg", "main.js", "worker.js", "codemirror.js", "sglint.wasm"), "KB");

// What the machine and the browser take for a page that does nothing: a worker answers, a word is shown.
const emptyPage = `<!doctype html><title>x</title><body><script>
  const worker = new Worker("empty.js", { type: "module" });
  worker.onmessage = () => { document.body.append("x"); performance.mark("first-check"); };
  worker.postMessage(0);
</script>`;
const empty = createServer((request, response) => {
  const script = request.url === "/empty.js";
  response.writeHead(200, { "content-type": script ? "text/javascript" : "text/html" }).end(script ? "onmessage = () => postMessage(0);" : emptyPage);
});
await new Promise((resolve) => empty.listen(0, "127.0.0.1", resolve));

const site = await Site.open();
const firstCheck = async (page) => {
  await page.waitForFunction(() => performance.getEntriesByName("first-check").length > 0);
  const time = await page.evaluate(() => performance.getEntriesByName("first-check")[0].startTime);
  await page.context().close();
  return time;
};
const cold = [];
const nothing = [];
for (let i = 0; i < VISITS; i++) {
  cold.push(await firstCheck(await site.visit()));
  const page = await (await site.browser.newContext()).newPage();
  await page.goto(`http://127.0.0.1:${empty.address().port}/`);
  nothing.push(await firstCheck(page));
}
empty.closeAllConnections();
empty.close();
row("cold load to the first check, best", Math.min(...cold), "ms", 300);
row("cold load to the first check, median", at(cold, 0.5), "ms", 300);
row("of which an empty page with an empty worker, median", at(nothing, 0.5), "ms");

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
await page.keyboard.type(" --mem-fraction-static 0.8 --nonsense".repeat(10).slice(0, KEYSTROKES), { delay: 60 });
await page.waitForTimeout(300);
const delays = await page.evaluate(() => window.delays);
row(`keystroke to findings, p50 of ${delays.length}`, at(delays, 0.5), "ms");
row(`keystroke to findings, p95 of ${delays.length}`, at(delays, 0.95), "ms", 16);
await page.context().close();
await site.close();
console.log(`load average ${loadavg()[0].toFixed(1)} on this machine`);
