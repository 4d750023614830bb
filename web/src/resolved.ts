// What really runs, then every value that differs from SGLang's default, each with its reason.
import type { Report } from "sglint";
import { element } from "./dom.js";

export function renderResolved(into: HTMLElement, report: Report): void {
  const parts: HTMLElement[] = [];
  for (const launch of report.launches) {
    const effective = Object.entries(launch.effective);
    if (effective.length) {
      if (launch.outcome !== "ok") parts.push(element("p", { class: "quiet" }, "After the fixes:"));
      parts.push(table("Effective backends", effective.map(([name, v]) => [name, v.value, v.because])));
    }
    const changed = Object.entries(launch.resolved).filter(([, v]) => v.changed);
    if (changed.length) {
      parts.push(
        element(
          "details",
          {},
          element("summary", {}, `${changed.length} values differ from the defaults`),
          table("Resolved values", changed.map(([name, v]) => [name, JSON.stringify(v.value), v.because])),
        ),
      );
    }
    for (const sentence of launch.assumptions) parts.push(element("p", { class: "quiet" }, `Assumed: ${sentence}`));
  }
  into.replaceChildren(...(parts.length ? parts : [element("p", { class: "quiet" }, "Nothing yet: the command is not accepted.")]));
}

function table(label: string, rows: [string, string, string][]): HTMLElement {
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    element(
      "table",
      {},
      element("tbody", {}, ...rows.map(([name, value, because]) =>
        element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, element("code", {}, value)), element("td", { class: "because" }, because)),
      )),
    ),
  );
}
