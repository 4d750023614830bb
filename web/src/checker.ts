// The checker in its worker, as promises. A worker that died or hangs is replaced by a new one.
import type { Catalogue, Matrix, MatrixRequest, Report, Request, Upgrade, UpgradeRequest } from "sglint";

export interface Answer<T> {
  result: T;
  ms: number;
}

interface Call {
  resolve(answer: Answer<unknown>): void;
  reject(reason: Error): void;
  timer: number;
}

const PATIENCE_MS = 15000;
const waiting = new Map<number, Call>();
let worker = started();
let last = 0;

// The page itself has begun the first one (csp.mjs); null if that could not be.
function started(): Worker {
  const early = (globalThis as { worker?: Worker | null }).worker;
  return early ? listen(early) : start();
}

function start(): Worker {
  return listen(new Worker("worker.js", { type: "module" }));
}

function listen(made: Worker): Worker {
  made.onerror = null;
  made.addEventListener("message", ({ data: { id, result, error, code, ms } }) => {
    const call = waiting.get(id);
    if (!call) return;
    waiting.delete(id);
    clearTimeout(call.timer);
    if (error === undefined) return call.resolve({ result, ms });
    if (code === "bad-request") return call.reject(new Error(error));
    if (code === "build-mismatch") return fail(call, "The files of this page are of two versions. Reload the page.");
    if (code === "wasm-unavailable") return fail(call, wasmSentence(error));
    fail(call, "The checker failed on this text and was started again.");
  });
  made.addEventListener("error", (event) => {
    event.preventDefault();
    for (const call of waiting.values()) call.reject(new Error("The checker could not be started in this browser."));
    waiting.clear();
    replace();
  });
  return made;
}

function wasmSentence(error: string): string {
  const offline = /HTTP status|fetch/i.test(error);
  return offline
    ? "The checker (sglint.wasm) could not be fetched. Reload the page once you are online."
    : "The checker could not be started: this browser blocks WebAssembly. Allow it for this page, or try another browser.";
}

function fail(call: Call, sentence: string): void {
  call.reject(new Error(sentence));
  replace();
}

function replace(): void {
  worker.terminate();
  worker = start();
  for (const call of waiting.values()) {
    clearTimeout(call.timer);
    call.reject(new Error("The checker was started again."));
  }
  waiting.clear();
}

function call<T>(method: string, ...args: unknown[]): Promise<Answer<T>> {
  return new Promise((resolve, reject) => {
    const timer = window.setTimeout(() => {
      waiting.delete(id);
      reject(new Error("The check took too long and was stopped."));
      replace();
    }, PATIENCE_MS);
    const id = ++last;
    waiting.set(id, { resolve: resolve as Call["resolve"], reject, timer });
    worker.postMessage({ id, method, args });
  });
}

export const check = (request: Request): Promise<Answer<Report>> => call("check", request);
export const matrix = (request: MatrixRequest): Promise<Answer<Matrix>> => call("matrix", request);
export const upgrade = (request: UpgradeRequest): Promise<Answer<Upgrade>> => call("upgrade", request);
export const catalogue = async (): Promise<Catalogue> => (await call<Catalogue>("catalogue")).result;
