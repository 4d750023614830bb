import { Checker } from "./checker.js";
/** Anything that a WebAssembly.Module can be made of. */
export type WasmSource = URL | string | Response | BufferSource | WebAssembly.Module;
export declare function compile(source: WasmSource, read: (url: URL | string) => Promise<BufferSource | Response>): Promise<WebAssembly.Module>;
export declare function instantiate(module: WebAssembly.Module): Promise<Checker>;
