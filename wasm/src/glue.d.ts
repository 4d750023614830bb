// glue.js is written by build.mjs: what Emscripten made, and the id of the build.
import type { Core } from "./checker.js";

export interface GlueOptions {
  instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): object;
}
declare const glue: (options: GlueOptions) => Promise<Core>;
export default glue;
export declare const build: string;
