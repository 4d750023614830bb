import type { Checker } from "./checker.js";
import { type WasmSource } from "./loader.js";
export * from "./types.js";
export { Checker } from "./checker.js";
/** As in browser.ts; the file is read from disk. */
export declare function load(options?: {
    wasm?: WasmSource;
}): Promise<Checker>;
