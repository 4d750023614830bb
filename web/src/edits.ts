// Edits as text: applied, and shown.
import type { Edit, Report } from "sglint";
import { element } from "./dom.js";

/** `text` with the edits made, which do not overlap. */
export function applied(text: string, edits: Edit[]): string {
  let out = "";
  let at = 0;
  for (const e of [...edits].sort((a, b) => a.span[0] - b.span[0])) {
    out += text.slice(at, e.span[0]) + e.text;
    at = e.span[1];
  }
  return out + text.slice(at);
}

/** Gives the number of the line, from 1, that holds an offset of `text`. */
export function linesOf(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map((end) => end.index);
  return (offset) => ends.findLastIndex((end) => end < offset) + 2;
}

/** What mends every launch of the report. */
export const allEdits = (report: Report): Edit[] => report.launches.flatMap((launch) => launch.fixed_edits);

/** One line: what goes, struck out, and what comes. */
export function inlineDiff(text: string, edits: Edit[]): HTMLElement {
  const parts = edits.flatMap((e) => {
    const gone = text.slice(e.span[0], e.span[1]).trim();
    const come = e.text.trim();
    return [gone !== "" && gone !== come && element("del", {}, gone), come !== "" && gone !== come && element("ins", {}, come)];
  });
  return element("code", { class: "diff" }, ...parts.flatMap((part) => (part ? [part, " "] : [])));
}

export interface Line {
  kind: "same" | "gone" | "come";
  text: string;
}

/** Line by line, by the longest common subsequence of the lines between the equal ends. */
export function lineDiff(before: string, after: string): Line[] {
  const a = before.split("\n");
  const b = after.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const lines: Line[] = a.slice(0, head).map((text) => ({ kind: "same", text }));
  lines.push(...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)));
  lines.push(...a.slice(a.length - tail).map((text): Line => ({ kind: "same", text })));
  return lines;
}

function middle(a: string[], b: string[]): Line[] {
  const gone = (text: string): Line => ({ kind: "gone", text });
  const come = (text: string): Line => ({ kind: "come", text });
  if (a.length * b.length > 250000) return [...a.map(gone), ...b.map(come)];
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const out: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) out.push({ kind: "same", text: a[i++] }), j++;
    else if (common[i + 1][j] >= common[i][j + 1]) out.push(gone(a[i++]));
    else out.push(come(b[j++]));
  }
  return [...out, ...a.slice(i).map(gone), ...b.slice(j).map(come)];
}
