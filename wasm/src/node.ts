import type { Checker } from "./checker.js";
import { compile, instantiate, type WasmSource } from "./loader.js";

export * from "./types.js";
export { Checker } from "./checker.js";

let shared: Promise<Checker> | undefined;

async function read(url: URL | string): Promise<BufferSource | Response> {
  const text = String(url);
  if (/^https?:/.test(text)) return fetch(text);
  const fs = "node:fs/promises";  // in a variable, so that bundlers for browsers do not follow it
  const { readFile } = await import(fs);
  return readFile(text.startsWith("file:") ? new URL(text) : text);
}

/** As in browser.ts; the file is read from disk. */
export function load(options: { wasm?: WasmSource } = {}): Promise<Checker> {
  const open = (source: WasmSource) => compile(source, read).then(instantiate);
  if (options.wasm !== undefined) return open(options.wasm);
  shared ??= open(new URL("./sglint.wasm", import.meta.url)).catch((error) => {
    shared = undefined;
    throw error;
  });
  return shared;
}
