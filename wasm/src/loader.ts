import { Checker, type Core } from "./checker.js";
import { SglintError } from "./errors.js";
import glue, { build, type GlueOptions } from "./glue.js";

/** A fetched sglint.wasm, as far as a `Response` is needed. */
export interface WasmResponse {
  readonly ok: boolean;
  readonly status: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * Where sglint.wasm is taken from: a URL, a fetched response, its bytes, or the `WebAssembly.Module` that
 * some hosts compile ahead. (Written without DOM types, so that no `lib` is needed to use it.)
 */
export type WasmSource = string | { readonly href: string } | WasmResponse | ArrayBuffer | ArrayBufferView | object;

export interface LoadOptions {
  /** Instead of the sglint.wasm beside the package's files. */
  wasm?: WasmSource;
}

/** @internal */
type Bytes = ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/** @internal A load() that gives one checker for one source, however often it is called. */
export function loader(standard: () => URL, read: (url: string) => Promise<Bytes | Response>): (options?: LoadOptions) => Promise<Checker> {
  const named = new Map<string, Promise<Checker>>();
  const given = new WeakMap<object, Promise<Checker>>();
  return (options) => {
    const source = options?.wasm ?? standard();
    const url = urlOf(source);
    const known = url === undefined ? given.get(source as object) : named.get(url);
    const opened = (known ?? open(source)).then((checker) => (checker.failed ? open(source) : checker));
    // A later call may try again what failed.
    const forget = () => (url === undefined ? given.delete(source as object) : named.delete(url));
    opened.catch(forget);
    if (url !== undefined) named.set(url, opened);
    else if (typeof source === "object") given.set(source, opened);
    return opened;
  };

  async function open(source: WasmSource): Promise<Checker> {
    const module = await compile(source);
    checkBuild(module);
    return new Checker(
      await new Promise<Core>((resolve, reject) => {
        const broken = (error: Error) => reject(unavailable(error));
        glue({
          instantiateWasm(imports, done) {
            WebAssembly.instantiate(module, imports).then(done).catch(broken);
            return {};
          },
        }).then(resolve, broken);
      }),
    );
  }

  async function compile(source: WasmSource): Promise<WebAssembly.Module> {
    try {
      if (isModule(source)) return source;
      const url = urlOf(source);
      const content = url === undefined ? source : await read(url);
      if (!isResponse(content)) return await WebAssembly.compile(content as Bytes);
      if (!content.ok) throw new Error(`HTTP status ${content.status}${url === undefined ? "" : ` for ${url}`}`);
      const type = (content as Response).headers?.get("content-type") ?? "";
      // Compiles while it arrives, and lets the browser keep the compiled code.
      if (type.startsWith("application/wasm") && typeof WebAssembly.compileStreaming === "function") return await WebAssembly.compileStreaming(content as Response);
      return await WebAssembly.compile(await content.arrayBuffer());
    } catch (error) {
      throw unavailable(error);
    }
  }
}

/** @internal The same at once, of bytes or a module. */
export function openSync(source: Bytes | WebAssembly.Module): Checker {
  const options: GlueOptions & Partial<Core> = {
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(module, imports);
      done(instance);
      return instance.exports;
    },
  };
  let module: WebAssembly.Module;
  try {
    module = isModule(source) ? source : new WebAssembly.Module(source);
  } catch (error) {
    throw unavailable(error);
  }
  checkBuild(module);
  try {
    glue(options).catch(() => {});  // its promise settles later, the module is there when it returns
  } catch (error) {
    throw unavailable(error);
  }
  return new Checker(options as Core);
}

// The build writes one id into both files. Of two builds the imports may differ, or worse, not differ.
function checkBuild(module: WebAssembly.Module): void {
  const [section] = WebAssembly.Module.customSections(module, "sglint");
  const found = section === undefined ? "none" : new TextDecoder().decode(section);
  if (found !== build) {
    throw new SglintError("build-mismatch", `sglint.wasm is of build ${found}, its JavaScript of build ${build}: take both from one sglint package.`);
  }
}

/** @internal */
export function unavailable(error: unknown): SglintError {
  return error instanceof SglintError ? error : new SglintError("wasm-unavailable", `sglint.wasm could not be loaded: ${(error as Error)?.message ?? error}`);
}

// By their shape: values of another realm (a frame, Jest) are instances of other classes.
function isModule(source: unknown): source is WebAssembly.Module {
  return Object.prototype.toString.call(source) === "[object WebAssembly.Module]";
}

function isResponse(source: unknown): source is WasmResponse {
  return typeof (source as WasmResponse | null)?.arrayBuffer === "function";
}

function urlOf(source: unknown): string | undefined {
  if (typeof source === "string") return source;
  const href = (source as { href?: unknown } | null)?.href;
  return typeof href === "string" ? href : undefined;
}
