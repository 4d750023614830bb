// Golden cases and texts give the same bytes natively and in Chromium. SGLINT_PARITY=sample takes every
// tenth.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { counted, digest, lines, native } from "../parity/lines.mjs";
import { launchChromium, serve } from "../support/site.mjs";

const all = lines();
if (process.env.SGLINT_PARITY === "sample") all.lines = all.lines.filter((_, i) => i % 10 === 0);

test("Chromium gives what the native command line gives", async () => {
  const started = performance.now();
  const site = await serve(fileURLToPath(new URL("../../wasm/dist", import.meta.url)), { "/index.html": "<!doctype html><title>parity</title>", "/lines.json": JSON.stringify(all.lines) });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(site.url);
    const got = await page.evaluate(async () => {
      const { load } = await import("/browser.js");
      const [checker, all] = await Promise.all([load(), fetch("/lines.json").then((r) => r.json())]);
      const digest = async (text) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).slice(0, 8)].map((b) => b.toString(16).padStart(2, "0")).join("");
      const out = { results: [], json: [] };
      for (const line of all) {
        out.results.push(await digest(checker.batchLine(line)));
        out.json.push(await digest(checker.reportLine(line)));
      }
      return out;
    });
    for (const format of ["results", "json"]) {
      let i = 0;
      for await (const expected of native(format, all.lines)) {
        assert.equal(got[format][i], digest(expected), `${format} of ${all.lines[i]}`);
        i += 1;
      }
      assert.equal(i, all.lines.length);
    }
  } finally {
    await browser.close();
    site.close();
  }
  counted("Chromium", started, all);
});
