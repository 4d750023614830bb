// The matrix and the upgrade view: made when they are looked at, and again when what they show changed.
import type { Catalogue, Edit, Request } from "sglint";
import { matrix, upgrade } from "./checker.js";
import { byId, element } from "./dom.js";
import { type Matrix, renderMatrix } from "./matrix.js";
import { renderUpgrade, type Upgrade } from "./upgrade.js";

export interface Context {
  request(): Request;
  /** A cell of the matrix was chosen to be checked. */
  pick(machine: string, release: string): void;
  /** The edits of an upgrade were asked for. */
  apply(edits: Edit[], release: string): void;
}

export class Views {
  #open = "check";
  #drawn = "";
  readonly #from = byId<HTMLSelectElement>("upgrade-from");
  readonly #to = byId<HTMLSelectElement>("upgrade-to");

  constructor(readonly context: Context) {
    for (const select of [this.#from, this.#to]) select.addEventListener("change", () => void this.draw());
  }

  fill(known: Catalogue): void {
    for (const select of [this.#from, this.#to]) select.replaceChildren(...known.releases.map((r) => element("option", { value: r }, r)));
    this.#from.value = known.releases[2] ?? known.releases.at(-1)!;
    this.#to.value = known.releases[0];
  }

  open(view: string): void {
    this.#open = view;
    void this.draw();
  }

  async draw(): Promise<void> {
    if (this.#open === "check") return;
    const { release, ...request } = this.context.request();
    const body = this.#open === "matrix" ? { ...request, fixes: true } : { ...request, from: this.#from.value, to: this.#to.value };
    const key = JSON.stringify([this.#open, body]);
    if (key === this.#drawn) return;
    const into = byId(this.#open === "matrix" ? "matrix" : "upgrade");
    try {
      if (this.#open === "matrix") {
        const { result } = await matrix(body);
        renderMatrix(into, result as Matrix, { machine: String(request.machine), release: release ?? "" }, this.context.pick);
      } else {
        const { result } = await upgrade(body);
        renderUpgrade(into, result as Upgrade, { text: request.text!, apply: this.context.apply });
      }
      this.#drawn = key;
    } catch (error) {
      into.replaceChildren(element("p", { class: "problem" }, (error as Error).message));
    }
  }
}
