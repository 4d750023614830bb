// GPUs × releases: where the command starts, in colour and in words.
import type { Matrix, MatrixCell as Cell } from "sglint";
import { button, element } from "./dom.js";
import { machineWords } from "./machines.js";

type Kind = "ok" | "late" | "stop";
const signs: Record<Kind, string> = { ok: "✓", late: "!", stop: "✕" };
const words: Record<Kind, string> = { ok: "starts", late: "fails while loading", stop: "rejected" };
const kindOf = (cell: Cell): Kind => (cell.outcome !== "ok" ? "stop" : cell.load ? "late" : "ok");

export function renderMatrix(into: HTMLElement, matrix: Matrix, here: { machine: string; release: string }, pick: (machine: string, release: string) => void, fixOf: (launch: number, cell: Cell) => Promise<string>): void {
  if (!matrix.launches.length) return into.replaceChildren(element("p", { class: "quiet" }, "No SGLang launch command was found in the text."));
  const detail = element("div", { class: "cell-detail", "aria-live": "polite" }, element("p", { class: "quiet" }, "Choose a cell to see what happens there."));
  into.replaceChildren(...matrix.launches.flatMap((launch, i) => [matrix.launches.length > 1 && element("h3", {}, launch.name || `Launch ${i + 1}`), grid(launch.cells, i)]).filter((node): node is HTMLElement => !!node), detail);

  function grid(cells: Cell[], launch: number): HTMLElement {
    const find = (machine: string, release: string) => cells.find((c) => c.machine === machine && c.release === release);
    return element(
      "div",
      { class: "scroll" },
      element(
        "table",
        { class: "matrix" },
        element("caption", {}, tally(cells)),
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Machine"), ...matrix.releases.map((r) => element("th", { scope: "col" }, r)))),
        element("tbody", {}, ...matrix.machines.map((m) => element("tr", {}, element("th", { scope: "row" }, machineWords(m)), ...matrix.releases.map((r) => element("td", {}, cellButton(find(m, r), launch)))))),
      ),
    );
  }

  function cellButton(cell: Cell | undefined, launch: number): HTMLElement | string {
    if (!cell) return "";
    const kind = kindOf(cell);
    const current = cell.machine === here.machine && cell.release === here.release;
    const press = button("", () => show(cell, kind, launch), { class: `cell ${kind}`, ...(current && { "aria-current": "true" }) });
    if (cell.error) press.title = [cell.error.type, cell.error.message].filter(Boolean).join(": ");
    press.append(element("span", { "aria-hidden": "true" }, signs[kind]), ` ${words[kind]}`);
    press.setAttribute("aria-label", `${machineWords(cell.machine)}, SGLang ${cell.release}: ${words[kind]}`);
    return press;
  }

  function show(cell: Cell, kind: Kind, launch: number): void {
    const fix = element("p", { class: "cell-fix" });
    if (kind === "stop") void fixOf(launch, cell).then((title) => fix.append(element("b", {}, "Fix: "), title || "none was found."), () => undefined);
    const backends = Object.entries(cell.effective ?? {}).map(([name, value]) => `${name} ${value}`).join(" · ");
    const rule = cell.rule || cell.load;
    const parts: (HTMLElement | null | false | "")[] = [
      element("h3", {}, `${machineWords(cell.machine)}, SGLang ${cell.release}: ${words[kind]}`),
      cell.error && element("p", {}, [cell.error.type, cell.error.message].filter(Boolean).join(": ")),
      rule && element("p", {}, element("a", { class: "rule", href: `rules/${rule}.html` }, rule)),
      kind === "stop" && fix,
      backends && element("p", { class: "quiet" }, backends),
      button("Check it there", () => pick(cell.machine, cell.release)),
    ];
    detail.replaceChildren(...parts.filter((part) => !!part));
  }
}

function tally(cells: Cell[]): string {
  const count = (kind: Kind) => cells.filter((c) => kindOf(c) === kind).length;
  const parts = ([["ok", "start"], ["late", "fail while loading"], ["stop", "rejected"]] as const).map(([kind, word]) => [count(kind), word] as const).filter(([n]) => n);
  return `Of ${cells.length} pairs: ${parts.map(([n, word]) => `${n} ${word}`).join(", ")}.`;
}
