import { SglintError } from "./errors.js";
import { matrixMembers, upgradeMembers, version } from "./names.js";
import { asJson } from "./request.js";
import { applyEdits, toUtf16 } from "./spans.js";
import type { Catalogue, Matrix, MatrixRequest, Report, Request, RuleRecord, Upgrade, UpgradeRequest } from "./types.js";

/** The Emscripten module: one function, text in, bytes of text out. */
export interface Core {
  call(name: string, input: string): Uint8Array;
}

/** What fix() gives. */
export interface Fixed {
  /** The text with the fixes of every launch applied; the text itself if none is needed or none helps. */
  text: string;
  changed: boolean;
  /** Of the text as it was given. */
  report: Report;
}

/** A loaded checker. All calls are synchronous and independent of each other. */
export class Checker {
  /** Of sglint. */
  readonly version: string = version;
  readonly #core: Core;
  readonly #decoder = new TextDecoder();
  #failed = false;

  /** @internal */
  constructor(core: Core) {
    this.#core = core;
  }

  /** What SGLang would do with the command. Throws SglintError if the request cannot be carried out. */
  check(request: string | Request): Report {
    const report = this.#ask<Report>("check", asJson(request));
    const text = textOf(request);
    return text === undefined ? report : toUtf16(report, text);
  }

  /** The text with every fix applied, as `sglint check --fix` prints it. */
  fix(request: string | Request): Fixed {
    const text = textOf(request);
    const report = this.check(request);
    if (text === undefined) throw new SglintError("bad-request", "fix() needs \"text\": arguments alone have no source to change.");
    const fixed = applyEdits(text, report.launches.flatMap((launch) => launch.fixed_edits));
    return { text: fixed, changed: fixed !== text, report };
  }

  /** The same launches over machines and releases; with `fixes` a way out for each rejected cell. */
  matrix(request: string | MatrixRequest): Matrix {
    return this.#ask("matrix", asJson(request, matrixMembers));
  }

  /** What another release changes for the launches, and the edits that they need there. */
  upgrade(request: UpgradeRequest): Upgrade {
    const upgrade = this.#ask<Upgrade>("upgrade", asJson(request, upgradeMembers));
    return request.text === undefined ? upgrade : toUtf16(upgrade, request.text);
  }

  /** The report as the core writes it: the same bytes as `sglint check --format json`, spans in bytes. */
  checkJson(request: string | Request): string {
    return this.#call("check", asJson(request));
  }

  /** One line of a batch: request in, result out, as `sglint check --batch` prints it. */
  batchLine(line: string): string {
    return this.#call("batch", String(line));
  }

  /** The same with the whole report, as `sglint check --batch --format json` prints it; spans in bytes. */
  reportLine(line: string): string {
    return this.#call("check", String(line));
  }

  /** The record of a rule as text for people; "" if there is no such rule. */
  explain(rule: string): string {
    return this.#call("explain", String(rule));
  }

  /** The records of all rules. */
  rules(): RuleRecord[] {
    return JSON.parse(this.#call("rules", "")) as RuleRecord[];
  }

  /** Known releases, machines and models. */
  catalogue(): Catalogue {
    return JSON.parse(this.#call("catalogue", "")) as Catalogue;
  }

  /** @internal Whether a call broke the module, after which no other is safe. */
  get failed(): boolean {
    return this.#failed;
  }

  #ask<T extends { error: string | null }>(name: string, json: string): T {
    const answer = JSON.parse(this.#call(name, json)) as T;
    if (answer.error !== null) throw new SglintError("bad-request", answer.error);
    return answer;
  }

  #call(name: string, input: string): string {
    if (this.#failed) throw new SglintError("internal", "This checker failed on an earlier request; load() gives a new one.");
    let answer: Uint8Array;
    try {
      answer = this.#core.call(name, input);
    } catch (error) {
      this.#failed = true;  // its stack was not unwound
      throw new SglintError("internal", `The checker failed on this request (${(error as Error).message}); load() gives a new one.`);
    }
    return this.#decoder.decode(answer);
  }
}

function textOf(request: string | Request): string | undefined {
  return typeof request === "string" ? request : request?.text;
}
