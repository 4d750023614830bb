import { SglintError } from "./errors.js";
import { requestMembers } from "./names.js";
import type { Request } from "./types.js";

/** The request as JSON for the core, which judges the values; here is seen what JSON would not show. */
export function asJson(request: string | Request, members: readonly string[] = requestMembers): string {
  const full: unknown = typeof request === "string" ? { text: request } : request;
  if (typeof full !== "object" || full === null || Array.isArray(full)) {
    throw new SglintError("bad-request", `A request is a text or an object with "text" or "argv", not ${full === null ? "null" : Array.isArray(full) ? "an array" : `${typeof full}`}.`);
  }
  for (const key of Object.keys(full)) {
    if (!members.includes(key)) {
      throw new SglintError("bad-request", `A request has no member ${JSON.stringify(key)}; it has ${members.join(", ")}.`);
    }
  }
  try {
    return JSON.stringify(full);
  } catch (error) {
    throw new SglintError("bad-request", `The request cannot be written as JSON: ${(error as Error).message.split("\n")[0]}`);
  }
}
