// The findings, in SGLang's order, each with its fixes.
import type { Diagnostic, LaunchReport, Report } from "sglint";
import { button, element } from "./dom.js";
import type { Editor } from "./editor.js";

const marks = { error: "✕", warning: "!", info: "i" } as const;

export function renderFindings(into: HTMLElement, report: Report, editor: Editor): void {
  const items: HTMLElement[] = report.diagnostics.map((d) => finding(d, "", editor));
  for (const launch of report.launches) {
    for (const d of launch.diagnostics) {
      const first = d === launch.diagnostics[0] && launch.error?.type;
      items.push(finding(d, first ? `${launch.error?.type}: ` : "", editor));
    }
    if (launch.fixed_command) items.push(fixedCommand(launch, editor));
  }
  into.replaceChildren(...(items.length ? items : [element("p", { class: "quiet" }, "No findings.")]));
}

function finding(d: Diagnostic, prefix: string, editor: Editor): HTMLElement {
  const jump = () => {
    const span = d.spans[0];
    if (span) editor.select(span[0], span[1]);
  };
  return element(
    "article",
    { class: `finding ${d.severity}` },
    d.behind && element("p", { class: "behind" }, "Next, once this is fixed"),
    button("", jump, { class: "jump", "aria-label": `${d.severity}: ${prefix}${d.message}` }),
    element("p", { class: "message" }, element("b", { "aria-hidden": "true" }, `${marks[d.severity]} ${d.severity} `), prefix + d.message),
    d.why !== "" && element("p", { class: "why" }, d.why),
    element("p", { class: "rule" }, d.rule),
    ...d.fixes.map((fix) =>
      element(
        "div",
        { class: "fix" },
        button("Fix", () => editor.apply(fix.edits), { "aria-label": `Fix: ${fix.title}`, ...(fix.edits.length ? {} : { disabled: "" }) }),
        element("span", {}, fix.title, fix.price !== "" && element("small", {}, ` cost: ${fix.price}`), !fix.accepted && element("small", {}, " (the next finding shows then)")),
      ),
    ),
  );
}

function fixedCommand(launch: LaunchReport, editor: Editor): HTMLElement {
  return element(
    "article",
    { class: "fixed" },
    element("h3", {}, "Fixed command"),
    element("pre", { tabindex: "0" }, launch.fixed_command),
    element(
      "div",
      { class: "fix" },
      button("Fix all", () => editor.apply(launch.fixed_edits), launch.fixed_edits.length ? {} : { disabled: "" }),
      button("Copy", () => void navigator.clipboard?.writeText(launch.fixed_command)),
    ),
  );
}
