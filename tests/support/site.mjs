// A folder served as a strict site would serve it, and the Chromium that looks at it.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json", ".wasm": "application/wasm", ".ndjson": "application/x-ndjson" };
export const CSP = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

/** Serves `folder` on a free port; `extra` holds paths that are not files. */
export async function serve(folder, extra = {}) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)).replace(/\/$/, "/index.html");
    const headers = { "content-type": TYPES[extname(path)] ?? "application/octet-stream", "content-security-policy": CSP };
    if (path in extra) return void response.writeHead(200, headers).end(extra[path]);
    const file = join(folder, path);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return void response.writeHead(404).end();
    response.writeHead(200, headers);
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => (server.closeAllConnections(), server.close()) };
}

export function launchChromium() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** Opens the page and gives what it puts into `globalThis.result`; fails on anything the page complains of. */
export async function resultOf(browser, url) {
  const page = await browser.newPage();
  const complaints = [];
  page.on("console", (m) => m.type() === "error" && !/favicon/.test(m.location().url) && complaints.push(m.text()));
  page.on("pageerror", (e) => complaints.push(e.message));
  try {
    await page.goto(url);
    const waited = page.waitForFunction(() => globalThis.result !== undefined, null, { timeout: 60_000 }).catch((e) => complaints.push(e.message));
    await waited;
    if (complaints.length) throw new Error(complaints.join("\n"));
    return await page.evaluate(() => globalThis.result);
  } finally {
    await page.close();
  }
}
