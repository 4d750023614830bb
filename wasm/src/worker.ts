// A module worker around the checker. In: WorkerCall. Out: WorkerAnswer, in the order of the calls.
import { load } from "./browser.js";
import type { Checker } from "./checker.js";
import type { SglintErrorCode } from "./errors.js";

const METHODS = ["check", "fix", "matrix", "upgrade", "checkJson", "batchLine", "reportLine", "explain", "rules", "catalogue"] as const;

export interface WorkerCall {
  id: number;
  method: (typeof METHODS)[number];
  args: unknown[];
}

/** `ms` is the time in the checker. */
export type WorkerAnswer = { id: number; result: unknown; ms: number } | { id: number; error: string; code: SglintErrorCode };

load().catch(() => {});  // starts at once; a call says why if it failed

addEventListener("message", async (event: MessageEvent<WorkerCall>) => {
  const { id, method, args } = event.data;
  try {
    const checker = (await load()) as unknown as Record<string, (...args: unknown[]) => unknown>;
    if (!METHODS.includes(method)) throw Object.assign(new Error(`There is no method ${JSON.stringify(method)}; there are ${METHODS.join(", ")}.`), { code: "bad-request" });
    const started = performance.now();
    const result = checker[method](...(args ?? []));
    postMessage({ id, result, ms: performance.now() - started } satisfies WorkerAnswer);
  } catch (error) {
    postMessage({ id, error: (error as Error).message, code: (error as { code?: SglintErrorCode }).code ?? "internal" } satisfies WorkerAnswer);
  }
});

export type { Checker };
