import type { Checker } from "./checker.js";
import { type WasmSource } from "./loader.js";
export * from "./types.js";
export { Checker } from "./checker.js";
/**
 * Loads the checker. Without options sglint.wasm is looked for beside this file, once, however often
 * load() is called.
 */
export declare function load(options?: {
    wasm?: WasmSource;
}): Promise<Checker>;
