// Both themes, small screens, reduced motion; the screenshots to look at.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import { settled, shot, Site } from "./harness.mjs";

let site;
before(async () => (site = await Site.open()));
after(() => site?.close());

async function serious(page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 200)} ${v.nodes[0].failureSummary}`);
}

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds no serious issue (${colorScheme}): check, dialog, matrix, rule`, async () => {
    const page = await site.visit({ colorScheme });
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
    await page.locator("#resolved summary").first().click();
    assert.deepEqual(await serious(page), []);
    await page.locator("#resolved summary").first().click();
    await shot(page, colorScheme);
    await page.click("#fix-all");
    assert.deepEqual(await serious(page), []);
    await page.keyboard.press("Escape");
    await page.locator("#examples button", { hasText: "Compose" }).click();
    await page.click("#tab-matrix");
    await page.waitForSelector("#matrix .cell.ok");
    await page.locator("#matrix .cell.stop").nth(16).click();
    await page.waitForSelector(".cell-fix b");
    assert.deepEqual(await serious(page), []);
    await shot(page, `matrix-${colorScheme}`);
    await page.goto(`${site.address}rules/replayssm/needs-no-buffer.html`);
    assert.deepEqual(await serious(page), []);
    if (colorScheme === "dark") await shot(page, "rule-dark");
    await page.context().close();
  });
}

test("320 px wide without sideways scrolling, every view", async () => {
  const page = await site.visit({ viewport: { width: 320, height: 640 } });
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
  assert.ok(await fits());
  await shot(page, "phone");
  for (const tab of ["#tab-matrix", "#tab-upgrade", "#tab-check"]) {
    await page.click(tab);
    await page.waitForTimeout(100);
    assert.ok(await fits(), tab);
  }
  await page.click("#fix-all");
  assert.ok(await fits());
  await page.keyboard.press("Escape");
  for (const name of ["Compose", "Kubernetes"]) {
    await page.locator("#examples button", { hasText: name }).click();
    await settled(page);
    assert.ok(await fits(), name);
  }
  for (const path of ["rules/", "rules/replayssm/needs-no-buffer.html"]) {
    await page.goto(site.address + path);
    assert.ok(await fits(), path);
  }
  await page.context().close();
});

test("nothing moves where motion is unwanted", async () => {
  const page = await site.visit({ reducedMotion: "reduce" });
  const moving = await page.evaluate(() => [...document.querySelectorAll("main *, header *")].filter((n) => parseFloat(getComputedStyle(n).transitionDuration) > 0 || getComputedStyle(n).animationName !== "none").map((n) => n.className));
  assert.deepEqual(moving, []);
  await page.context().close();
});

test("the verdict does not jump when the checker arrives", async () => {
  const page = await site.visit({ wait: false, prepare: (p) => p.route("**/sglint.wasm", async (route) => (await new Promise((r) => setTimeout(r, 700)), route.continue())) });
  await page.waitForSelector("#verdict");
  const top = () => page.evaluate(() => document.querySelector("#tabs").getBoundingClientRect().top);
  await page.waitForSelector(".cm-content");
  const before = await top();
  await page.waitForFunction(() => document.body.dataset.ready === "true");
  assert.ok(Math.abs((await top()) - before) < 30, `${before} → ${await top()}`);
  await page.context().close();
});

test("no console error, policy violation or request elsewhere", () => site.assertClean());
