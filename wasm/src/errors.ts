/**
 * - `bad-request`: the request is not of the schema, or names what is not known.
 * - `wasm-unavailable`: sglint.wasm could not be read or compiled.
 * - `build-mismatch`: sglint.wasm is of another build than the JavaScript beside it.
 * - `internal`: the checker itself failed; load() then gives a new one.
 */
export type SglintErrorCode = "bad-request" | "wasm-unavailable" | "build-mismatch" | "internal";

/** Thrown when a call cannot be carried out; the message is one sentence for people. */
export class SglintError extends Error {
  readonly code: SglintErrorCode;

  constructor(code: SglintErrorCode, message: string) {
    super(message);
    this.name = "SglintError";
    this.code = code;
  }
}
