import { type Catalogue, type Report, type Request } from "./types.js";
/** The Emscripten module: one function, text in, bytes of text out. */
export interface Core {
    call(name: string, input: string): Uint8Array;
}
/** A loaded checker. All calls are synchronous and independent of each other. */
export declare class Checker {
    #private;
    constructor(core: Core);
    /** What SGLang would do with the command. Throws SglintError if the request cannot be carried out. */
    check(request: string | Request): Report;
    /** The report as the core writes it: the same bytes as `sglint check --format json`, spans in bytes. */
    checkJson(request: Request): string;
    /** One line of a batch: request in, result out (see the README). */
    batchLine(line: string): string;
    /** The record of a rule as text; "" if there is no such rule. */
    explain(rule: string): string;
    /** Known releases, machines and models. */
    catalogue(): Catalogue;
}
