// All findings in the order in which they are shown: of the text, of each launch, across launches.
import type { Diagnostic, Report } from "sglint";

export const across = (report: Report): Diagnostic[] => report.deployment ?? [];

export const findingsOf = (report: Report): Diagnostic[] => [...report.diagnostics, ...report.launches.flatMap((l) => l.diagnostics), ...across(report)];
