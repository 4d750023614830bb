import { toUtf16 } from "./spans.js";
import { type Catalogue, type Matrix, type MatrixRequest, type Report, type Request, type RuleRecord, SglintError, type Upgrade, type UpgradeRequest } from "./types.js";

/** The Emscripten module: one function, text in, bytes of text out. */
export interface Core {
  call(name: string, input: string): Uint8Array;
}

/** A loaded checker. All calls are synchronous and independent of each other. */
export class Checker {
  readonly #core: Core;
  readonly #decoder = new TextDecoder();

  constructor(core: Core) {
    this.#core = core;
  }

  /** What SGLang would do with the command. Throws SglintError if the request cannot be carried out. */
  check(request: string | Request): Report {
    const full = typeof request === "string" ? { text: request } : request;
    const report = JSON.parse(this.checkJson(full)) as Report;
    if (report.error !== null) throw new SglintError("bad-request", report.error);
    return full.text === undefined ? report : toUtf16(report, full.text);
  }

  /** The same launches over machines and releases; with `fixes` a way out for each rejected cell. */
  matrix(request: MatrixRequest): Matrix {
    return this.#ask("matrix", request);
  }

  /** What another release changes for the launches, and the edits that they need there. */
  upgrade(request: UpgradeRequest): Upgrade {
    const upgrade = this.#ask<Upgrade>("upgrade", request);
    return request.text === undefined ? upgrade : toUtf16(upgrade, request.text);
  }

  /** The report as the core writes it: the same bytes as `sglint check --format json`, spans in bytes. */
  checkJson(request: Request): string {
    return this.#call("check", JSON.stringify(request));
  }

  /** One line of a batch: request in, result out (see the README). */
  batchLine(line: string): string {
    return this.#call("batch", line);
  }

  /** The record of a rule as text; "" if there is no such rule. */
  explain(rule: string): string {
    return this.#call("explain", rule);
  }

  /** Known releases, machines and models. */
  catalogue(): Catalogue {
    return JSON.parse(this.#call("catalogue", "")) as Catalogue;
  }

  /** The records of all rules. */
  rules(): RuleRecord[] {
    return JSON.parse(this.#call("rules", "")) as RuleRecord[];
  }

  #ask<T extends { error: string | null }>(name: string, request: object): T {
    const answer = JSON.parse(this.#call(name, JSON.stringify(request))) as T;
    if (answer.error !== null) throw new SglintError("bad-request", answer.error);
    return answer;
  }

  #call(name: string, input: string): string {
    return this.#decoder.decode(this.#core.call(name, input));
  }
}
