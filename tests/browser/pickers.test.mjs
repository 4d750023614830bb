// Release, machine and model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { headline, paste, settled, Site, verdict } from "./harness.mjs";

let site, page;
const CONFIG = JSON.stringify({ architectures: ["Qwen3ForCausalLM"], model_type: "qwen3", hidden_size: 4096, num_hidden_layers: 36, num_attention_heads: 32, num_key_value_heads: 8, vocab_size: 151936, max_position_embeddings: 40960, torch_dtype: "bfloat16", head_dim: 128, intermediate_size: 12288 });
const UNKNOWN = "sglang serve --model-path acme/private-8b --tp 2";

before(async () => {
  site = await Site.open();
  page = await site.visit();
});
after(() => site?.close());

test("release and machine check again", async () => {
  await paste(page, "sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp-size 4");
  await page.selectOption("#machine", "b200");
  await settled(page);
  assert.match(await headline(page), /on 8× B200/);
  await page.selectOption("#release", "0.5.16");
  await settled(page);
  assert.match(await headline(page), /SGLang 0\.5\.16/);
  await page.selectOption("#release", "0.5.18");
});

test("the machines are named in words, by maker, each once", async () => {
  const labels = await page.locator("#machine option").allTextContents();
  for (const label of ["H100 80GB", "H200", "RTX 5090", "MI300X", "CPU", "A100 80GB"]) assert.ok(labels.includes(label), `${label} in ${labels}`);
  assert.equal(new Set(labels).size, labels.length);
  assert.deepEqual(await page.locator("#machine optgroup").evaluateAll((g) => g.map((x) => x.label)), ["NVIDIA", "AMD", "Without GPU", "Other"]);
});

test("the number of GPUs counts", async () => {
  await page.selectOption("#machine", "h200");
  await page.fill("#count", "2");
  await settled(page);
  assert.match(await headline(page), /on 2× H200/);
  await page.selectOption("#machine", "h100");
  await settled(page);
  assert.match(await headline(page), /on 8× H100/);
});

test("pasted nvidia-smi text is the machine; noise is refused with a sentence", async () => {
  await page.click("#paste-machine");
  const dialog = page.getByRole("dialog", { name: "Your machine" });
  await dialog.getByRole("textbox").fill("hello, no machine");
  await dialog.getByRole("button", { name: "Use this machine" }).click();
  await page.waitForFunction(() => document.querySelector("dialog .problem").textContent !== "");
  await dialog.getByRole("textbox").fill("GPU 0: NVIDIA H200 (UUID: GPU-1)\nGPU 1: NVIDIA H200 (UUID: GPU-2)\n");
  await dialog.getByRole("button", { name: "Use this machine" }).click();
  await dialog.waitFor({ state: "detached" });
  await settled(page);
  assert.match(await headline(page), /NVIDIA H200/);
  assert.match(await page.locator("#resolved").innerText(), /Memory of a GPU: 143771 MiB, because the text does not say/);
});

test("facts as JSON are the machine", async () => {
  await page.click("#paste-machine");
  const dialog = page.getByRole("dialog", { name: "Your machine" });
  for (const [text, fits] of [["{broken", false], [JSON.stringify({ platform: "cuda", sm: [9, 0], gpu_name: "NVIDIA H100 NVL", num_gpus: 2, gpu_mem_mib: 95830, cuda: "12.8" }), true]]) {
    await dialog.getByRole("textbox").fill(text);
    await dialog.getByRole("button", { name: "Use this machine" }).click();
    if (!fits) await page.waitForFunction(() => /not JSON/.test(document.querySelector("dialog .problem").textContent));
  }
  await dialog.waitFor({ state: "detached" });
  await settled(page);
  assert.match(await headline(page), /NVIDIA H100 NVL/);
  await page.selectOption("#machine", "h100");
  await settled(page);
});

test("config.json: pasted, refused where it is none, forgotten", async () => {
  await paste(page, UNKNOWN);
  assert.match(await page.locator("#model").innerText(), /config.json not known/);
  await page.click("#model");
  const dialog = page.getByRole("dialog", { name: "Model" });
  await dialog.getByRole("textbox").fill('{"a": 1}');
  await dialog.getByRole("button", { name: "Use this config.json" }).click();
  assert.match(await dialog.locator(".problem").innerText(), /no config.json/);
  await dialog.getByRole("textbox").fill(CONFIG);
  await dialog.getByRole("button", { name: "Use this config.json" }).click();
  await dialog.waitFor({ state: "detached" });
  await settled(page);
  assert.equal(await page.locator(".finding", { hasText: "model/unknown-model" }).count(), 0);
  await page.click("#model");
  await dialog.getByRole("button", { name: "Forget it" }).click();
  await settled(page);
  assert.equal(await page.locator(".finding", { hasText: "model/unknown-model" }).count(), 1);
});

async function drop(name, text) {
  await page.evaluate(
    ([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    },
    [name, text],
  );
}

test("files dropped on the page: a config.json is the model's, anything else is checked", async () => {
  await paste(page, UNKNOWN);
  await drop("config.json", CONFIG);
  await page.waitForFunction(() => !document.querySelector("#findings").innerText.includes("unknown-model"));
  await drop("run.sh", "sglang serve --model-path Qwen/Qwen3-8B --dropped-flag");
  await page.waitForFunction(() => document.querySelector("#verdict").innerText.includes("--dropped-flag"));
  await paste(page, "sglang serve --config ./conf/prod.yaml");
  assert.match(await page.locator("#resolved").innerText(), /prod\.yaml was not given to this check.*Drop the file/);
  await drop("prod.yaml", "model-path: Qwen/Qwen3-8B\nfrom-the-file: 1\n");
  await page.waitForFunction(() => document.querySelector("#verdict").innerText.includes("--from-the-file"));
});

test("the Hub is asked only after a second button, for the one file, without cookies or referrer", async () => {
  const asked = [];
  const hub = await site.visit({
    expected: [/^request to https:\/\/huggingface\.co\/acme\/private-8b\/resolve\/main\/config\.json$/, /404/],
    prepare: (page) =>
      page.route("https://huggingface.co/**", (route) => {
        asked.push(route.request());
        const missing = asked.length === 1;
        return route.fulfill({ status: missing ? 404 : 200, body: missing ? "no" : CONFIG, headers: { "access-control-allow-origin": "*" } });
      }),
  });
  await paste(hub, UNKNOWN);
  await hub.click("#model");
  const dialog = hub.getByRole("dialog", { name: "Model" });
  await dialog.getByRole("button", { name: /Look up config.json on the Hub/ }).click();
  assert.equal(asked.length, 0, "the first button only explains");
  assert.match(await dialog.innerText(), /One request goes to huggingface\.co\. It holds the model's name, acme\/private-8b/);
  await dialog.getByRole("button", { name: "Send the request" }).click();
  await hub.waitForFunction(() => /no config.json of acme/.test(document.querySelector("dialog .problem").textContent));
  await dialog.getByRole("button", { name: "Send the request" }).click();
  await hub.waitForFunction((config) => document.querySelector("dialog textarea").value === config, CONFIG);
  await dialog.getByRole("button", { name: "Use this config.json" }).click();
  await settled(hub);
  assert.equal(await hub.locator(".finding", { hasText: "model/unknown-model" }).count(), 0);
  const headers = await asked[1].allHeaders();
  assert.equal(headers.cookie, undefined);
  assert.equal(headers.referer, undefined);
  assert.equal(asked[1].postData(), null);
  await hub.context().close();
});

test("the policy lets nothing else through, neither from the page nor from its worker", async () => {
  const seen = [];
  const strict = await site.visit({ expected: [/connect-src/i, /Refused to connect|violates the following|Fetch API cannot load/], prepare: (page, context) => context.route("https://example.com/**", (route) => (seen.push(route.request().url()), route.fulfill({ body: "" }))) });
  const page_ = await strict.evaluate(() => fetch("https://example.com/").then(() => "sent", () => "blocked"));
  assert.equal(page_, "blocked");
  const policy = await (await fetch(`${site.address}worker.js`)).headers.get("content-security-policy");
  assert.match(policy, /default-src 'none'.*connect-src 'self'/);
  assert.deepEqual(seen, []);
  await strict.context().close();
});

test("no console error, policy violation or request elsewhere", () => site.assertClean());
