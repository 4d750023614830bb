// The core counts bytes of UTF-8, JavaScript counts UTF-16 units.
import type { Edit } from "./types.js";

/** `text` with the edits applied; of two that overlap the first stands. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let out = "";
  let at = 0;
  for (const { span: [begin, end], text: put } of [...edits].sort((a, b) => a.span[0] - b.span[0])) {
    if (begin < at || end > text.length) continue;
    out += text.slice(at, begin) + put;
    at = end;
  }
  return out + text.slice(at);
}

/** Turns every `span` and `spans` of a report from bytes to UTF-16 offsets, in place. */
export function toUtf16<T>(report: T, text: string): T {
  if (isAscii(text)) return report;
  const offsets = utf16Offsets(text);
  const convert = (span: [number, number]) => {
    span[0] = offsets[span[0]] ?? text.length;
    span[1] = offsets[span[1]] ?? text.length;
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(visit);
    } else if (value && typeof value === "object") {
      for (const [key, inner] of Object.entries(value)) {
        if (key === "span") convert(inner as [number, number]);
        else if (key === "spans") (inner as [number, number][]).forEach(convert);
        else if (key !== "value" && key !== "argv" && key !== "env") visit(inner);
      }
    }
  };
  visit(report);
  return report;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

// byte offset → UTF-16 offset, for every byte and the end
function utf16Offsets(text: string): Uint32Array {
  const out: number[] = [];
  for (let i = 0; i < text.length; ) {
    const point = text.codePointAt(i)!;
    const bytes = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (let k = 0; k < bytes; k++) out.push(i);
    i += point > 0xffff ? 2 : 1;
  }
  out.push(text.length);
  return Uint32Array.from(out);
}
