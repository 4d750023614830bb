// The findings, in SGLang's order, each with its fixes.
import type { Diagnostic, Fix, Report } from "sglint";
import { button, element, prose } from "./dom.js";
import type { Editor } from "./editor.js";
import { inlineDiff, linesOf } from "./edits.js";
import { across } from "./order.js";
import { errorText, launchName } from "./words.js";

const marks = { error: "✕", warning: "!", info: "i" } as const;
const words = { error: "Error", warning: "Warning", info: "Note" } as const;
const LATE = "Only after the weights are loaded";

/** The text that the report is of. */
interface Shown {
  text: string;
  lineOf(offset: number): number;
  editor: Editor;
}

export function renderFindings(into: HTMLElement, report: Report, editor: Editor): void {
  const shown: Shown = { text: editor.text, lineOf: linesOf(editor.text), editor };
  const items: HTMLElement[] = report.diagnostics.map((d) => finding(d, d.message, shown));
  report.launches.forEach((launch, at) => {
    const title = launchName(report, at);
    if (title && launch.diagnostics.length) items.push(element("h3", {}, title));
    launch.diagnostics.forEach((d, i) => items.push(finding(d, i === 0 && launch.error ? errorText(launch) : d.message, shown)));
  });
  const shared = across(report);
  if (shared.length) items.push(element("h3", {}, "Between the launches"), ...shared.map((d) => finding(d, d.message, shown)));
  into.replaceChildren(...(items.length ? items : [element("p", { class: "quiet" }, "No findings.")]));
}

function finding(d: Diagnostic, message: string, shown: Shown): HTMLElement {
  const span = d.spans[0];
  const line = span ? `line ${shown.lineOf(span[0])}` : "";
  const jump = button("", () => span && shown.editor.select(span), { class: "message" });
  jump.append(message || d.why);
  jump.setAttribute("aria-label", `${words[d.severity]}${line && `, ${line}`}: ${message || d.why}`);
  return element(
    "article",
    { class: `finding ${d.severity}` },
    d.behind && element("p", { class: "behind" }, "Next, once this is fixed"),
    d.suppressed != null && element("p", { class: "behind" }, `Suppressed: ${d.suppressed || "no reason given"}`),
    element(
      "div",
      { class: "head" },
      element("b", { class: "badge" }, element("span", { "aria-hidden": "true" }, marks[d.severity]), ` ${words[d.severity]}`),
      d.stage === "load" && element("span", { class: "after-load" }, LATE),
      element("a", { class: "rule", href: `rules/${d.rule}.html` }, d.rule),
      line && element("span", { class: "line" }, line),
    ),
    jump,
    d.why !== "" && message !== "" && !message.endsWith(d.why) && element("p", { class: "why" }, ...prose(d.why)),
    d.fixes.length > 0 && element("ul", { class: "fixes" }, ...d.fixes.map((fix) => element("li", {}, ...fixRow(fix, shown)))),
  );
}

function fixRow(fix: Fix, { text, editor }: Shown): HTMLElement[] {
  const possible = fix.edits.length > 0;
  const press = button("Fix", () => editor.apply(fix.edits), { "aria-label": `Fix: ${fix.title}`, ...(possible ? {} : { disabled: "" }) });
  return [
    press,
    element(
      "div",
      {},
      element("span", {}, fix.title),
      fix.price !== "" && element("span", { class: "price" }, element("b", {}, "Costs: "), fix.price),
      !fix.accepted && element("span", { class: "price" }, possible ? "Leads on to the next finding." : "Cannot be done in this text by itself."),
      possible && inlineDiff(text, fix.edits),
    ),
  ];
}
