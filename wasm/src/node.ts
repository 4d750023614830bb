import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Checker } from "./checker.js";
import { loader, openSync, unavailable, type LoadOptions } from "./loader.js";

export * from "./exports.js";

const standard = () => new URL("./sglint.wasm", import.meta.url);

/**
 * Loads the checker. Without options sglint.wasm is read from beside this file. Called again it gives the
 * same checker.
 */
export const load: (options?: LoadOptions) => Promise<Checker> = loader(standard, async (url) => (/^https?:/.test(url) ? fetch(url) : readFile(path(url))));

let shared: Checker | undefined;

/** The same at once. Without options called again it gives the same checker. */
export function loadSync(options?: { wasm?: string | { readonly href: string } | ArrayBuffer | ArrayBufferView | object }): Checker {
  const source = options?.wasm ?? undefined;
  if (source === undefined) return shared === undefined || shared.failed ? (shared = openSync(read(standard()))) : shared;
  const url = typeof source === "string" ? source : (source as { href?: string }).href;
  return openSync(url === undefined ? (source as WebAssembly.Module) : read(path(url)));
}

function read(file: URL | string): Uint8Array<ArrayBuffer> {
  try {
    return readFileSync(file);
  } catch (error) {
    throw unavailable(error);
  }
}

function path(url: string): URL | string {
  return url.startsWith("file:") ? new URL(url) : url;
}
