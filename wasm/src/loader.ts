import { Checker, type Core } from "./checker.js";
import { SglintError } from "./types.js";

type Glue = (options: {
  instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): object;
}) => Promise<Core>;

/** Anything that a WebAssembly.Module can be made of. */
export type WasmSource = URL | string | Response | BufferSource | WebAssembly.Module;

export async function compile(source: WasmSource, read: (url: URL | string) => Promise<BufferSource | Response>): Promise<WebAssembly.Module> {
  try {
    if (source instanceof WebAssembly.Module) return source;
    if (typeof source === "string" || source instanceof URL) source = await read(source);
    if (typeof Response !== "undefined" && source instanceof Response) {
      if (!source.ok) throw new Error(`HTTP status ${source.status}`);
      source = await source.arrayBuffer();
    }
    return await WebAssembly.compile(source as BufferSource);
  } catch (error) {
    throw new SglintError("wasm-unavailable", `sglint.wasm could not be loaded: ${(error as Error).message}`);
  }
}

export async function instantiate(module: WebAssembly.Module): Promise<Checker> {
  // @ts-ignore: written by build.mjs beside this file
  const { default: glue } = (await import("./glue.js")) as { default: Glue };
  const core = await new Promise<Core>((resolve, reject) => {
    glue({
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(module, imports).then(done, (error) =>
          reject(new SglintError("wasm-unavailable", `sglint.wasm does not fit its glue: ${error.message}`)),
        );
        return {};
      },
    }).then(resolve, reject);
  });
  return new Checker(core);
}
