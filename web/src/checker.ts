// The checker in its worker, as promises.
import type { Catalogue, Report, Request } from "sglint";

export interface Answer {
  report: Report;
  ms: number;
}

const worker = new Worker("worker.js", { type: "module" });
const waiting = new Map<number, { resolve: (value: { result: unknown; ms: number }) => void; reject: (reason: Error) => void }>();
let last = 0;

worker.addEventListener("message", (event) => {
  const { id, result, error, ms } = event.data;
  const call = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) call?.resolve({ result, ms });
  else call?.reject(new Error(error));
});
worker.addEventListener("error", () => {
  for (const call of waiting.values()) call.reject(new Error("The checker could not be started in this browser."));
  waiting.clear();
});

function call(method: string, ...args: unknown[]): Promise<{ result: unknown; ms: number }> {
  return new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    worker.postMessage({ id: last, method, args });
  });
}

export async function check(request: Request): Promise<Answer> {
  const { result, ms } = await call("check", request);
  return { report: result as Report, ms };
}

export async function catalogue(): Promise<Catalogue> {
  return (await call("catalogue")).result as Catalogue;
}
