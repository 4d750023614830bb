// A plain sentence each, and the text is never lost.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Site, editor, editorText, headline, paste, settled, verdict } from "./harness.mjs";

const COMMAND = "sglang serve --model-path Qwen/Qwen3-8B";
let site, page;
before(async () => {
  site = await Site.open();
  page = await site.visit();
});
after(() => site?.close());

test("nothing, and what is no launch", async () => {
  await paste(page, "hello world, this is no command");
  assert.ok((await headline(page)).length > 10);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await settled(page);
  assert.match(await headline(page), /Paste a launch command/);
});

for (const [name, text] of [
  ["many lines", `${COMMAND}\n` + "# padding padding padding padding\n".repeat(32000)],
  ["one line", COMMAND + " --x".repeat(280000)],
]) {
  test(`over 1 MiB pasted: ${name}`, async () => {
    const started = performance.now();
    await paste(page, text);
    assert.match(await verdict(page), /The text has \d+ bytes; at most 1048576 are read/);
    assert.ok(performance.now() - started < 10000);
    assert.equal((await editorText(page)).length, text.length);
  });
}

test("just under 1 MiB is checked", async () => {
  await paste(page, `${COMMAND} --nonsense\n` + "# padding padding padding padding\n".repeat(29000));
  assert.match(await verdict(page), /unrecognized arguments: --nonsense/);
});

test("binary pasted", async () => {
  let binary = "";
  for (let i = 0; i < 5000; i++) binary += String.fromCharCode((i * 7919) % 256);
  await paste(page, binary);
  assert.match(await headline(page), /NUL byte|UTF-8|launch|command/i);
  await paste(page, `${COMMAND} --after-binary`);
  assert.match(await verdict(page), /--after-binary/);
});

test("a 5 MiB config.json, pasted and dropped", async () => {
  await paste(page, `${COMMAND} --kept`);
  const big = JSON.stringify({ model_type: "qwen3", padding: "x".repeat(5 << 20) });
  await page.click("#model");
  const dialog = page.getByRole("dialog", { name: "Model" });
  await dialog.getByRole("textbox").evaluate((box, text) => (box.value = text), big);
  await dialog.getByRole("button", { name: "Use this config.json" }).click();
  assert.match(await dialog.locator(".problem").innerText(), /over 4 MiB/);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "config.json"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, big);
  await page.waitForFunction(() => /over 4 MiB/.test(document.querySelector("#toast").textContent));
  assert.match(await editorText(page), /--kept/);
});

async function typedInto(broken) {
  await editor(broken).focus();
  await broken.keyboard.press("Control+a");
  await broken.keyboard.insertText("my precious command");
}

test("WebAssembly blocked by the browser's policy", async () => {
  const broken = await site.visit({
    wait: false,
    expected: [/wasm|WebAssembly|unsafe-eval|worker sent an error/i],
    prepare: (page) => page.context().route("**/worker.js", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": "script-src 'self'; connect-src 'self'" } });
    }),
  });
  await typedInto(broken);
  await broken.waitForFunction(() => /blocks WebAssembly/.test(document.querySelector("#verdict").innerText));
  assert.match(await verdict(broken), /Your text is kept/);
  assert.equal(await editorText(broken), "my precious command");
  await broken.context().close();
});

test("the wasm cannot be fetched", async () => {
  const broken = await site.visit({ wait: false, expected: [/503|Failed to load resource/], prepare: (page) => page.context().route("**/sglint.wasm", (route) => route.fulfill({ status: 503, body: "" })) });
  await typedInto(broken);
  await broken.waitForFunction(() => /could not be fetched/.test(document.querySelector("#verdict").innerText));
  assert.equal(await editorText(broken), "my precious command");
  await broken.context().close();
});

test("storage blocked", async () => {
  const broken = await site.visit({
    prepare: (page) => page.addInitScript(() => {
      for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(window, name, { get() { throw new DOMException("The operation is insecure.", "SecurityError"); } });
    }),
  });
  await paste(broken, `${COMMAND} --no-storage`);
  assert.match(await verdict(broken), /--no-storage/);
  await broken.click("#theme");
  assert.equal(await broken.evaluate(() => document.documentElement.dataset.theme), "dark");
  await broken.context().close();
});

test("the text survives a reload of the tab", async () => {
  await paste(page, `${COMMAND} --survives`);
  await page.reload();
  await page.waitForFunction(() => document.body.dataset.ready === "true" && document.body.dataset.state === "idle");
  assert.match(await verdict(page), /--survives/);
});

test("no console error, policy violation or request elsewhere", () => site.assertClean());
