// A page for every rule.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { load } from "sglint";
import { headline, ready, shot, Site } from "./harness.mjs";

let site, page, rules;
before(async () => {
  site = await Site.open();
  rules = (await load()).rules();
  page = await site.visit({ path: "rules/", wait: false, expected: [/503/] });
});
after(() => site?.close());

test("every rule has its page and stands in the index", async () => {
  const dist = fileURLToPath(new URL("../../web/dist/rules/", import.meta.url));
  assert.deepEqual(rules.filter((r) => !existsSync(`${dist}${r.id}.html`)).map((r) => r.id), []);
  assert.equal(await page.locator(".rules li").count(), rules.length);
  await shot(page, "rules", false);
});

test("the search takes a flag, a part of a message, and a whole message with its values", async () => {
  const found = async (text) => {
    await page.fill("#search", text);
    return page.locator(".rules li:visible a").allTextContents();
  };
  assert.ok((await found("flashkda")).includes("flashkda-is-prefill-only") || (await found("flashkda")).length > 0);
  assert.deepEqual(await found("no such thing anywhere"), []);
  const whole = await found("--enable-linear-replayssm requires Triton, or Helion for KDA, as the linear-attn decode backend; got --linear-attn-decode-backend='flashinfer'.");
  assert.ok(whole.includes("needs-triton-or-helion-decode"));
  assert.ok(whole.length < 10);
});

test("a rule's page has message, reason, real output on both sides, and opens in the checker", async () => {
  await page.goto(`${site.address}rules/replayssm/needs-no-buffer.html`);
  const text = await page.locator("main").innerText();
  for (const part of ["What SGLang says", "ValueError:", "Why", "Fixes", "SGLang stops here", "SGLang accepts this command", "0.5.16 to 0.5.18", "server_args.py"]) assert.ok(text.includes(part), part);
  await shot(page, "rule");
  await page.getByRole("link", { name: "Open this example in the checker" }).first().click();
  await ready(page);
  assert.match(await headline(page), /stops here/);
  assert.ok(await page.locator(".finding .rule", { hasText: "replayssm/needs-no-buffer" }).count());
});

test("a finding links to its rule", async () => {
  await page.locator(".finding .rule").first().click();
  await page.waitForSelector("h1.rule-id");
});

test("no console error, policy violation or request elsewhere", () => site.assertClean());
