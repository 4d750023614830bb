import type { Report } from "./types.js";
/** Turns every `span` and `spans` of a report from bytes to UTF-16 offsets, in place. */
export declare function toUtf16(report: Report, text: string): Report;
