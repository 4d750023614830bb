// Machine: one of the catalogue with a count, or what nvidia-smi says.
import type { Catalogue } from "sglint";
import { check } from "./checker.js";
import { openDialog } from "./dialog.js";
import { byId, element } from "./dom.js";
import { factsOf, machineOptions } from "./machines.js";
import { machineOf, type Settings } from "./settings.js";

const PASTED = "pasted";
const PROBE = "sglang serve --model-path Qwen/Qwen3-8B";

export class MachinePicker {
  readonly #select = byId<HTMLSelectElement>("machine");
  readonly #count = byId<HTMLInputElement>("count");

  constructor(
    readonly settings: Settings,
    readonly changed: () => void,
  ) {
    this.#select.addEventListener("change", () => {
      if (this.#select.value === PASTED) return;
      this.pick(this.#select.value);
      changed();
    });
    this.#count.addEventListener("input", () => {
      const count = Math.floor(Number(this.#count.value));
      if (!(count >= 1 && count <= 1024)) return;
      settings.count = count;
      changed();
    });
    byId("paste-machine").addEventListener("click", () => this.#ask());
  }

  fill(known: Catalogue): void {
    this.#select.replaceChildren(...machineOptions(known));
    this.show();
  }

  show(): void {
    const { machine, machineText } = this.settings;
    const count = this.settings.count || (factsOf(machine)?.num_gpus ?? 0);
    this.#select.querySelector(`[value=${PASTED}]`)?.remove();
    if (machineText) this.#select.append(element("option", { value: PASTED }, "as pasted"));
    this.#select.value = machineText ? PASTED : machine;
    this.#count.value = String(count);
    this.#count.disabled = machineText !== "" || (factsOf(machine)?.num_gpus ?? 1) === 0;
  }

  /** Without a count the catalogue's. */
  pick(name: string, count = 0): void {
    this.settings.machine = name;
    this.settings.count = count || (factsOf(name)?.num_gpus ?? 0);
    this.settings.machineText = "";
    this.show();
  }

  #ask(): void {
    const box = element("textarea", { rows: "8", "aria-label": "Output of nvidia-smi, or facts as JSON", spellcheck: "false", placeholder: "GPU 0: NVIDIA H200 (UUID: GPU-…)" });
    box.value = this.settings.machineText;
    const problem = element("p", { class: "problem", role: "alert" });
    openDialog(
      "Your machine",
      [element("p", {}, "Paste the output of ", element("code", {}, "nvidia-smi"), ", ", element("code", {}, "nvidia-smi -L"), ", rocm-smi or amd-smi, or the JSON of ", element("code", {}, "sglint detect --json"), ". It stays in this tab."), box, problem],
      [{ label: "Use this machine", main: true, act: () => this.#take(box.value, problem) }, { label: "Cancel" }],
    );
  }

  async #take(text: string, problem: HTMLElement): Promise<boolean> {
    try {
      if (!text.trim()) throw new Error("Nothing is pasted yet.");
      await check({ text: PROBE, machine: machineOf({ ...this.settings, machineText: text }) });
    } catch (error) {
      problem.textContent = error instanceof SyntaxError ? `This is not JSON: ${error.message}` : (error as Error).message.replace(/; known: .*/, ": no GPU was found in it.");
      return false;
    }
    this.settings.machineText = text;
    this.show();
    this.changed();
    return true;
  }
}
