// The matrix and the upgrade view: made when they are looked at, and again when what they show changed.
import type { Catalogue, Edit, MatrixCell, Request } from "sglint";
import { matrix, upgrade } from "./checker.js";
import { byId, element } from "./dom.js";
import { renderMatrix } from "./matrix.js";
import { renderUpgrade } from "./upgrade.js";

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
    const key = JSON.stringify([this.#open, this.#from.value, this.#to.value, release, request]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    const into = byId(this.#open);
    try {
      if (this.#open === "matrix") await this.#matrix(into, request, release ?? "");
      else await this.#upgrade(into, request);
    } catch (error) {
      into.replaceChildren(element("p", { class: "problem" }, (error as Error).message));
    }
  }

  async #matrix(into: HTMLElement, request: Request, release: string): Promise<void> {
    const { result } = await matrix(request);  // without fixes: they are looked for where a cell is chosen
    const fixOf = async (launch: number, cell: MatrixCell): Promise<string> => {
      const one = await matrix({ ...request, machines: [cell.machine], releases: [cell.release], fixes: true });
      return one.result.launches[launch]?.cells[0]?.fix ?? "";
    };
    renderMatrix(into, result, { machine: String(request.machine), release }, this.context.pick, fixOf);
  }

  async #upgrade(into: HTMLElement, request: Request): Promise<void> {
    const { result } = await upgrade({ ...request, from: this.#from.value, to: this.#to.value });
    renderUpgrade(into, result, { text: request.text!, apply: this.context.apply });
  }
}
