// A module worker around the checker: {id, method, args} in, {id, result} or {id, error} out.
import { load } from "./browser.js";
import type { Checker } from "./checker.js";

interface Call {
  id: number;
  method: "check" | "matrix" | "upgrade" | "explain" | "catalogue" | "rules" | "checkJson" | "batchLine";
  args: unknown[];
}

const checker = load();

addEventListener("message", async (event: MessageEvent<Call>) => {
  const { id, method, args } = event.data;
  try {
    const target = (await checker) as unknown as Record<string, (...a: unknown[]) => unknown>;
    const started = performance.now();
    const result = target[method].apply(target, args);
    postMessage({ id, result, ms: performance.now() - started });
  } catch (error) {
    postMessage({ id, error: (error as Error).message, code: (error as { code?: string }).code ?? "failed" });
  }
});

export type { Checker };
