var __typeError = (msg) => {
  throw TypeError(msg);
};
var __accessCheck = (obj, member, msg) => member.has(obj) || __typeError("Cannot " + msg);
var __privateGet = (obj, member, getter) => (__accessCheck(obj, member, "read from private field"), getter ? getter.call(obj) : member.get(obj));
var __privateAdd = (obj, member, value) => member.has(obj) ? __typeError("Cannot add the same private member more than once") : member instanceof WeakSet ? member.add(obj) : member.set(obj, value);
var __privateSet = (obj, member, value, setter) => (__accessCheck(obj, member, "write to private field"), setter ? setter.call(obj, value) : member.set(obj, value), value);
var __privateMethod = (obj, member, method) => (__accessCheck(obj, member, "access private method"), method);

// src/spans.ts
function toUtf16(report, text) {
  if (isAscii(text)) return report;
  const offsets = utf16Offsets(text);
  const convert = (span) => {
    span[0] = offsets[span[0]] ?? text.length;
    span[1] = offsets[span[1]] ?? text.length;
  };
  const visit = (value) => {
    if (Array.isArray(value)) {
      value.forEach(visit);
    } else if (value && typeof value === "object") {
      for (const [key, inner] of Object.entries(value)) {
        if (key === "span") convert(inner);
        else if (key === "spans") inner.forEach(convert);
        else if (key !== "value" && key !== "argv" && key !== "env") visit(inner);
      }
    }
  };
  visit(report);
  return report;
}
function isAscii(text) {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
function utf16Offsets(text) {
  const out = [];
  for (let i = 0; i < text.length; ) {
    const point = text.codePointAt(i);
    const bytes = point < 128 ? 1 : point < 2048 ? 2 : point < 65536 ? 3 : 4;
    for (let k = 0; k < bytes; k++) out.push(i);
    i += point > 65535 ? 2 : 1;
  }
  out.push(text.length);
  return Uint32Array.from(out);
}

// src/types.ts
var SglintError = class extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
    this.name = "SglintError";
  }
};

// src/checker.ts
var _core, _decoder, _Checker_instances, call_fn;
var Checker = class {
  constructor(core) {
    __privateAdd(this, _Checker_instances);
    __privateAdd(this, _core);
    __privateAdd(this, _decoder, new TextDecoder());
    __privateSet(this, _core, core);
  }
  /** What SGLang would do with the command. Throws SglintError if the request cannot be carried out. */
  check(request) {
    const full = typeof request === "string" ? { text: request } : request;
    const report = JSON.parse(this.checkJson(full));
    if (report.error !== null) throw new SglintError("bad-request", report.error);
    return full.text === void 0 ? report : toUtf16(report, full.text);
  }
  /** The report as the core writes it: the same bytes as `sglint check --format json`, spans in bytes. */
  checkJson(request) {
    return __privateMethod(this, _Checker_instances, call_fn).call(this, "check", JSON.stringify(request));
  }
  /** One line of a batch: request in, result out (see the README). */
  batchLine(line) {
    return __privateMethod(this, _Checker_instances, call_fn).call(this, "batch", line);
  }
  /** The record of a rule as text; "" if there is no such rule. */
  explain(rule) {
    return __privateMethod(this, _Checker_instances, call_fn).call(this, "explain", rule);
  }
  /** Known releases, machines and models. */
  catalogue() {
    return JSON.parse(__privateMethod(this, _Checker_instances, call_fn).call(this, "catalogue", ""));
  }
};
_core = new WeakMap();
_decoder = new WeakMap();
_Checker_instances = new WeakSet();
call_fn = function(name, input) {
  return __privateGet(this, _decoder).decode(__privateGet(this, _core).call(name, input));
};

// src/loader.ts
async function compile(source, read2) {
  try {
    if (source instanceof WebAssembly.Module) return source;
    if (typeof source === "string" || source instanceof URL) source = await read2(source);
    if (typeof Response !== "undefined" && source instanceof Response) {
      if (!source.ok) throw new Error(`HTTP status ${source.status}`);
      source = await source.arrayBuffer();
    }
    return await WebAssembly.compile(source);
  } catch (error) {
    throw new SglintError("wasm-unavailable", `sglint.wasm could not be loaded: ${error.message}`);
  }
}
async function instantiate(module) {
  const { default: glue } = await import("./glue.js");
  const core = await new Promise((resolve, reject) => {
    glue({
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(module, imports).then(
          done,
          (error) => reject(new SglintError("wasm-unavailable", `sglint.wasm does not fit its glue: ${error.message}`))
        );
        return {};
      }
    }).then(resolve, reject);
  });
  return new Checker(core);
}

// src/node.ts
var shared;
async function read(url) {
  const text = String(url);
  if (/^https?:/.test(text)) return fetch(text);
  const fs = "node:fs/promises";
  const { readFile } = await import(fs);
  return readFile(text.startsWith("file:") ? new URL(text) : text);
}
function load(options = {}) {
  const open = (source) => compile(source, read).then(instantiate);
  if (options.wasm !== void 0) return open(options.wasm);
  shared ?? (shared = open(new URL("./sglint.wasm", import.meta.url)).catch((error) => {
    shared = void 0;
    throw error;
  }));
  return shared;
}
export {
  Checker,
  SglintError,
  load
};
