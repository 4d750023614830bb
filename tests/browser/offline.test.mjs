// After the first visit no network is needed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { paste, ready, Site, verdict } from "./harness.mjs";

let site;
before(async () => (site = await Site.open()));
after(() => site?.close());

test("reload without a network checks as before", async () => {
  const page = await site.visit({ serviceWorkers: "allow" });
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await page.goto(`${site.address}rules/replayssm/needs-no-buffer.html`);
  await page.goto(site.address);
  await ready(page);
  await page.context().setOffline(true);
  site.server.closeAllConnections();
  await new Promise((done) => site.server.close(done));  // the network is gone for the service worker, too
  await page.reload();
  await ready(page);
  await paste(page, "sglang serve --model-path Qwen/Qwen3-8B --offline-now");
  assert.match(await verdict(page), /unrecognized arguments: --offline-now/);
  await page.goto(`${site.address}rules/`);
  await page.getByRole("searchbox", { name: "Search" }).fill("replayssm no_buffer");
  assert.match(await page.locator("#found").innerText(), /^[1-9]/);
  await page.goto(`${site.address}rules/replayssm/needs-no-buffer.html`);
  assert.match(await page.locator("h1").innerText(), /needs-no-buffer/);
  await page.goto(`${site.address}rules/read/nul-byte.html`).catch(() => undefined);
  assert.match(await page.locator("body").innerText(), /not visited before/);
});
