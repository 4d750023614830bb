// The verdict in words.
import type { Diagnostic, LaunchReport, Report } from "sglint";
import { machineWords } from "./machines.js";
import { across, findingsOf } from "./order.js";
import { serves } from "./serves.js";

export type Tone = "ok" | "warn" | "stop" | "late" | "wait";

export interface Verdict {
  tone: Tone;
  headline: string;
  detail: string;
}

const MOST_LINES = 5;
const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;
const errors = (launch: LaunchReport): Diagnostic[] => launch.diagnostics.filter((d) => d.severity === "error");

/** "ValueError: …", as SGLang prints it; for its bare assertions the reason instead. */
export function errorText(launch: LaunchReport): string {
  const { type = "", message = "" } = launch.error ?? {};
  if (message) return type ? `${type}: ${message}` : message;
  return `${type} without a message. ${launch.diagnostics[0]?.why ?? ""}`.trim();
}

/** The service's name, or which of several unnamed ones; "" for the only one. */
export function launchName(report: Report, at: number): string {
  const { name, resolved } = report.launches[at];
  if (name || report.launches.length === 1) return name;
  const mode = resolved.disaggregation_mode?.value;
  return `Launch ${at + 1}${typeof mode === "string" && mode !== "null" ? `, ${mode}` : ""}`;
}

function launchVerdict(launch: LaunchReport, title: string): Verdict {
  const where = `SGLang ${launch.release} on ${machineWords(launch.machine)}`;
  const name = title ? `${title}: ` : "";
  const found = errors(launch);
  const behind = found.filter((d) => d.behind).length;
  if (launch.outcome !== "ok") {
    const more = behind ? ` · ${behind} more behind it` : "";
    return { tone: "stop", headline: `${name}${where} stops here`, detail: errorText(launch) + more };
  }
  if (found.length) {
    const more = found.length > 1 ? ` · ${plural(found.length - 1, "more error")}` : "";
    return { tone: "late", headline: `${name}${where} starts, then fails while it loads`, detail: found[0].message + more };
  }
  const warnings = launch.diagnostics.filter((d) => d.severity === "warning").length;
  if (warnings) return { tone: "warn", headline: `${name}${where} accepts this command`, detail: `${serves(launch)} ${plural(warnings, "warning")} to look at.`.trim() };
  return { tone: "ok", headline: `${name}${where} accepts this command`, detail: `${serves(launch)} No problem found.`.trim() };
}

export function verdicts(report: Report): Verdict[] {
  if (report.launches.length) {
    const all = report.launches.map((launch, i) => launchVerdict(launch, launchName(report, i)));
    const clash = across(report).find((d) => d.severity === "error") ?? across(report).find((d) => d.severity === "warning");
    if (clash) all.push({ tone: clash.severity === "error" ? "stop" : "warn", headline: "The launches do not fit together", detail: clash.message });
    if (all.length <= MOST_LINES) return all;
    const bad = all.filter((v) => v.tone !== "ok");
    const good = all.length - bad.length;
    const launches = report.launches.length;
    const rest = bad.length > MOST_LINES ? ` ${bad.length - MOST_LINES} more are below.` : "";
    return [...bad.slice(0, MOST_LINES), { tone: bad.length ? "wait" : "ok", headline: `${good} of ${launches} launches are accepted without a finding`, detail: rest.trim() }];
  }
  const first = report.diagnostics[0];
  if (!first) return [{ tone: "wait", headline: "Paste a launch command, a compose file or a Kubernetes manifest", detail: "It is checked as soon as it stands there." }];
  return [{ tone: "stop", headline: first.message, detail: first.why }];
}

/** What a screen reader hears after a check. */
export function summary(report: Report): string {
  const all = findingsOf(report);
  const count = (severity: string, word: string) => {
    const n = all.filter((d) => d.severity === severity).length;
    return n ? [plural(n, word)] : [];
  };
  const counts = [...count("error", "error"), ...count("warning", "warning"), ...count("info", "note")].join(", ") || "No findings";
  return `${verdicts(report).map((v) => v.headline).join(". ")}. ${counts}.`;
}
