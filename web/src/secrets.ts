// Secrets out of what leaves the page: those the report marks, and what looks like one anywhere else.
import type { Report, Span } from "sglint";

export const PLACEHOLDER = "REMOVED_SECRET";

const NAME = String.raw`[\w.-]{0,60}(?:api[-_]?key|secret|passwo?r?d|access[-_]?key|(?<!per[-_])token(?!iz|s))[\w-]*`;
const VALUE = String.raw`["']?(?<value>[^\s"',;-][^\s"',;]{3,})`;

// Tokens that show what they are, and values of names that speak of secrets; group "value" is what goes.
const looks = [
  /\b(?<value>(?:hf|ghp|gho|ghs|glpat|xox[abps])[_-][\w-]{10,}|sk-[\w-]{16,}|AKIA[A-Z0-9]{16}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)/g,
  /(?:bearer|basic)\s+(?<value>[\w.~+/=-]{8,})/gi,
  /:\/\/[^\s/:@]+:(?<value>[^\s/@]+)@/g,
  new RegExp(`(?<![\\w-])--?${NAME}(?:=|[ \\t]+)${VALUE}`, "gi"),
  new RegExp(`${NAME}["']?[ \\t]*[=:][ \\t]*${VALUE}`, "gi"),
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?<value>[\s\S]*?)-----END/g,
];

/** Where secrets stand in the text, in order, without overlap. */
export function secretSpans(text: string, marked: Span[]): Span[] {
  const spans: Span[] = [...marked];
  for (const look of looks)
    for (const match of text.matchAll(look)) {
      const value = match.groups!.value;
      if (value === PLACEHOLDER || /^[*$<]/.test(value) || value.startsWith("${")) continue;
      const begin = match.index + match[0].lastIndexOf(value);
      spans.push([begin, begin + value.length]);
    }
  const out: Span[] = [];
  for (const span of spans.sort((a, b) => a[0] - b[0] || b[1] - a[1])) if (!out.length || span[0] >= out[out.length - 1][1]) out.push(span);
  return out;
}

export interface Cleaned {
  text: string;
  /** Where each one stood: "line 3, after --api-key". */
  removed: string[];
}

export function withoutSecrets(text: string, report: Report | null): Cleaned {
  const spans = secretSpans(text, (report?.secrets ?? []).map((s) => s.span));
  let out = "";
  let at = 0;
  const removed: string[] = [];
  for (const [begin, end] of spans) {
    out += text.slice(at, begin) + PLACEHOLDER;
    at = end;
    const before = /([\w.-]*\w)\W*$/.exec(text.slice(Math.max(0, begin - 60), begin))?.[1] ?? "";
    removed.push(`line ${text.slice(0, begin).split("\n").length}${before && `, after ${before}`}`);
  }
  // The same value elsewhere, where nothing marks it.
  let rest = out + text.slice(at);
  for (const [begin, end] of spans) {
    const value = text.slice(begin, end).replace(/^["']|["']$/g, "");
    if (value.length >= 8) rest = rest.replaceAll(value, PLACEHOLDER);
  }
  return { text: rest, removed };
}
