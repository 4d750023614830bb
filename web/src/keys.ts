// The keyboard: F8 and Shift+F8 go through the findings, Ctrl+. fixes, Ctrl+Enter checks.
import { byId } from "./dom.js";

export interface Actions {
  check(): void;
  /** Back to the text. */
  edit(): void;
  /** The finding in place `index` was reached. */
  show(index: number): void;
  /** The finding at the cursor of the editor; -1 if there is none. */
  atCursor(): number;
}

const findings = (): HTMLElement[] => [...byId("findings").querySelectorAll<HTMLElement>(".finding")];
const current = (all: HTMLElement[]): number => all.findIndex((f) => f.contains(document.activeElement));

export function startKeys(actions: Actions): void {
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    const control = event.ctrlKey || event.metaKey;
    if (event.key === "F8") go(event.shiftKey ? -1 : 1, actions);
    else if (control && event.key === "Enter") actions.check();
    else if (control && event.key === ".") fix(actions);
    else if (event.key === "Escape" && byId("findings").contains(document.activeElement)) actions.edit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
}

function go(step: number, actions: Actions): void {
  const all = findings();
  if (!all.length) return;
  const at = current(all);
  const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length;
  actions.show(next);
  all[next].querySelector<HTMLElement>(".message")?.focus();
}

function fix(actions: Actions): void {
  const all = findings();
  const at = current(all);
  const here = all[at >= 0 ? at : actions.atCursor() >= 0 ? actions.atCursor() : 0];
  here?.querySelector<HTMLButtonElement>(".fixes button:not(:disabled)")?.click();
}
