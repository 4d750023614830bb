import type { Checker } from "./checker.js";
import { compile, instantiate, type WasmSource } from "./loader.js";

export * from "./types.js";
export { Checker } from "./checker.js";

let shared: Promise<Checker> | undefined;

/**
 * Loads the checker. Without options sglint.wasm is looked for beside this file, once, however often
 * load() is called.
 */
export function load(options: { wasm?: WasmSource } = {}): Promise<Checker> {
  const open = (source: WasmSource) => compile(source, (url) => fetch(url)).then(instantiate);
  if (options.wasm !== undefined) return open(options.wasm);
  shared ??= open(new URL("./sglint.wasm", import.meta.url)).catch((error) => {
    shared = undefined;  // a later call may try again
    throw error;
  });
  return shared;
}
