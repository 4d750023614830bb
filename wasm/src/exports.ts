// What the package exports besides load() and loadSync().
export * from "./types.js";
export { Checker, type Fixed } from "./checker.js";
export { SglintError, type SglintErrorCode } from "./errors.js";
export type { LoadOptions, WasmResponse, WasmSource } from "./loader.js";
