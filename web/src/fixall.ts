// "Fix all": the difference first, then the change.
import type { Report } from "sglint";
import { copy } from "./copy.js";
import { openDialog } from "./dialog.js";
import { element } from "./dom.js";
import type { Editor } from "./editor.js";
import { allEdits, applied, type Line, lineDiff } from "./edits.js";

const signs = { same: " ", gone: "−", come: "+" } as const;
const spoken = { same: "", gone: "removed: ", come: "added: " } as const;

export function reviewFixes(report: Report, editor: Editor): void {
  const edits = allEdits(report);
  const before = editor.text;
  const after = applied(before, edits);
  openDialog(
    "Fix all",
    [
      element("p", {}, "These changes were checked together: SGLang accepts the result."),
      element("pre", { class: "difference", tabindex: "0", role: "region", "aria-label": "Difference" }, ...lineDiff(before, after).map(row)),
      ...prices(report),
    ],
    [
      { label: "Apply", main: true, act: () => void editor.apply(edits) },
      { label: "Copy the fixed text", act: () => void copy(after, "Fixed text") },
      { label: "Cancel" },
    ],
  );
}

function row(line: Line): HTMLElement {
  return element(
    "span",
    { class: line.kind },
    element("span", { "aria-hidden": "true" }, `${signs[line.kind]} `),
    spoken[line.kind] && element("span", { class: "hidden" }, spoken[line.kind]),
    line.text + "\n",
  );
}

function prices(report: Report): HTMLElement[] {
  const costs = new Set(report.launches.flatMap((l) => l.diagnostics.map((d) => d.fixes[0]?.price)).filter(Boolean));
  return costs.size ? [element("p", { class: "quiet" }, element("b", {}, "Costs: "), [...costs].join("; "))] : [];
}
