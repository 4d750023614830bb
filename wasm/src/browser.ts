import type { Checker } from "./checker.js";
import { loader, openSync, type LoadOptions } from "./loader.js";

export * from "./exports.js";

/**
 * Loads the checker. Without options sglint.wasm is fetched from beside this file. Called again it gives
 * the same checker.
 */
export const load: (options?: LoadOptions) => Promise<Checker> = loader(() => new URL("./sglint.wasm", import.meta.url), (url) => fetch(url));

/** The same at once, of a compiled module or, in a worker, of bytes. */
export function loadSync(options: { wasm: ArrayBuffer | ArrayBufferView | object }): Checker {
  return openSync(options?.wasm as WebAssembly.Module);
}
