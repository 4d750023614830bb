// What really runs: effective backends, then every changed value with where it came from, then what is
// assumed and what SGLang logs.
import type { LaunchReport, Report, ResolvedValue } from "sglint";
import { element, prose } from "./dom.js";
import { launchName } from "./words.js";

const sources = { typed: "you", config: "config file", default: "default", rule: "SGLang" } as const;
const open = new Map<string, boolean>();  // which folds the user opened, kept over checks
let drawn = "";  // what stands there: while someone types it mostly stays, and laying out the tables takes time

export function renderResolved(into: HTMLElement, report: Report, filter: string): void {
  const content = JSON.stringify([report.launches.map((l, i) => [launchName(report, i), l.outcome, l.effective, l.resolved, l.assumptions, l.logs]), filter]);
  if (content === drawn) return;
  drawn = content;
  const parts = report.launches.flatMap((launch, i) => launchParts(launch, launchName(report, i), filter.trim().toLowerCase()));
  into.replaceChildren(...(parts.length ? parts : [element("p", { class: "quiet" }, "Nothing yet: no launch is resolved.")]));
}

function launchParts(launch: LaunchReport, title: string, filter: string): HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (title) parts.push(element("h3", {}, title));
  const fits = (...texts: string[]) => filter === "" || texts.some((t) => t.toLowerCase().includes(filter));
  const effective = Object.entries(launch.effective).filter(([name, v]) => fits(name, v.value, v.because));
  const changed = Object.entries(launch.resolved).filter(([name, v]) => v.changed && fits(name, shown(v.value), v.because));
  if (launch.outcome !== "ok" && Object.keys(launch.effective).length) parts.push(element("p", { class: "note" }, "What runs after the fixes:"));
  if (effective.length) parts.push(list("Effective backends", effective.map(([name, v]) => row(name, v.value, v.because, ""))));
  if (changed.length) {
    const title = `${changed.length} ${filter ? "matching values" : "values"} differ from the defaults`;
    parts.push(fold("values", title, list("Resolved values", changed.map(([name, v]) => row(name, shown(v.value), history(v), sources[v.source]))), filter !== ""));
  }
  if (filter && !effective.length && !changed.length) parts.push(element("p", { class: "quiet" }, `Nothing matches “${filter}”.`));
  if (launch.assumptions.length && !filter)
    parts.push(fold("assumed", `${launch.assumptions.length} assumed`, element("ul", { class: "plain" }, ...launch.assumptions.map((a) => element("li", {}, a, / was not given to this check:/.test(a) && " Drop the file on this page to have it read."))), true));
  if (launch.logs.length && !filter)
    parts.push(fold("logs", `${launch.logs.length} log ${launch.logs.length === 1 ? "line" : "lines"} that SGLang prints`, logs(launch)));
  return parts;
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function history(v: ResolvedValue): string {
  const before = v.earlier.map((e) => e.value).filter((value) => value !== null);
  return before.length ? `${v.because} Before: ${before.map((b) => JSON.stringify(b)).join(", then ")}.` : v.because;
}

function row(name: string, value: string, because: string, source: string): HTMLElement {
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, name),
    element("td", {}, element("code", {}, value), element("p", { class: "because" }, source && element("span", { class: `source ${source.replace(" ", "-")}` }, source), ...prose(because))),
  );
}

function list(label: string, rows: HTMLElement[]): HTMLElement {
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    element("table", { class: "values" }, element("thead", { class: "hidden" }, element("tr", {}, ...["Name", "Value and why"].map((h) => element("th", { scope: "col" }, h)))), element("tbody", {}, ...rows)),
  );
}

function fold(key: string, title: string, body: HTMLElement, usuallyOpen = false): HTMLElement {
  const summary = element("summary", {}, title);
  const details = element("details", (open.get(key) ?? usuallyOpen) ? { open: "" } : {}, summary, body);
  summary.addEventListener("click", () => open.set(key, !details.open));
  return details;
}

function logs(launch: LaunchReport): HTMLElement {
  const lines = launch.logs.map(([level, line]) => element("span", { class: `log ${level.toLowerCase()}` }, `${level.toUpperCase()}  ${line}\n`));
  return element("pre", { class: "logs", tabindex: "0", role: "region", "aria-label": "Log lines" }, ...lines);
}
