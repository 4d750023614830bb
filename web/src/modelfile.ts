// The model's config.json: dropped, pasted, picked, or looked up on the Hub after a question.
import { openDialog } from "./dialog.js";
import { button, byId, element } from "./dom.js";
import { say } from "./say.js";
import type { Settings } from "./settings.js";

const MAX_CONFIG = 4 << 20;
const HUB = "https://huggingface.co";
const HUB_ID = /^[\w.-]+\/[\w.-]+$/;

/** The sentence to show, or "" where the text is a config.json. */
function configProblem(text: string): string {
  if (text.length > MAX_CONFIG) return "This file is over 4 MiB: a config.json has some kilobytes. Nothing was changed.";
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}. Nothing was changed.`;
  }
  if (!parsed || typeof parsed !== "object" || Array.isArray(parsed)) return "A config.json is one JSON object. Nothing was changed.";
  const config = parsed as Record<string, unknown>;
  if (!("model_type" in config || "architectures" in config)) return "This JSON names no model_type and no architectures, so it is no config.json. Nothing was changed.";
  return "";
}

export class ModelFile {
  #command = "";
  #unknown = false;

  constructor(
    readonly settings: Settings,
    readonly changed: () => void,
  ) {
    byId("model").addEventListener("click", () => this.#ask());
  }

  /** What the last report says of the command's model. */
  show(model: string, unknown: boolean): void {
    this.#command = model;
    this.#unknown = unknown;
    const state = this.settings.config ? `config.json of ${this.settings.configName || "your file"}` : !model ? "none yet" : unknown ? "config.json not known" : model;
    byId("model-name").textContent = state;
    byId("model").classList.toggle("missing", unknown && !this.settings.config);
  }

  /** Takes the text as config.json; says why not where it is none. */
  use(text: string, name: string): boolean {
    const problem = configProblem(text);
    if (problem) {
      say(problem);
      return false;
    }
    this.settings.config = text;
    this.settings.configName = name;
    say("This config.json is used for the model.");
    this.changed();
    return true;
  }

  looksLikeConfig(text: string): boolean {
    return configProblem(text) === "";
  }

  #ask(): void {
    const box = element("textarea", { rows: "8", "aria-label": "config.json", placeholder: '{"architectures": ["…"], …}', spellcheck: "false" });
    const file = element("input", { type: "file", accept: ".json,application/json", "aria-label": "config.json file" });
    const problem = element("p", { class: "problem", role: "alert" });
    box.value = this.settings.config;
    const take = (text: string): boolean => {
      problem.textContent = configProblem(text);
      return !problem.textContent && this.use(text, this.#command);
    };
    file.addEventListener("change", async () => {
      const picked = file.files?.[0];
      if (!picked) return;
      if (picked.size > MAX_CONFIG) problem.textContent = configProblem(" ".repeat(MAX_CONFIG + 1));
      else box.value = await picked.text();
    });
    const known = !this.#command
      ? "The command names no model yet."
      : this.#unknown
        ? `Nothing is known of ${this.#command}. With its config.json the check knows the architecture, the layers and the quantization.`
        : `${this.#command} is in the catalogue; its config.json is not needed. One that you give is used instead.`;
    openDialog("Model", [element("p", {}, known), box, file, problem, this.#hub(box, problem)], [
      { label: "Use this config.json", main: true, act: () => take(box.value) },
      ...(this.settings.config ? [{ label: "Forget it", act: () => this.#forget() }] : []),
      { label: "Cancel" },
    ]);
  }

  #forget(): void {
    this.settings.config = this.settings.configName = "";
    this.changed();
  }

  // Nothing is asked of the Hub before the second button is pressed.
  #hub(box: HTMLTextAreaElement, problem: HTMLElement): HTMLElement {
    const id = this.#command;
    if (!HUB_ID.test(id)) return element("p", { class: "quiet" }, "A model named organisation/name could be looked up on the Hugging Face Hub.");
    const holder = element("div", { class: "hub" });
    const send = button("Send the request", async () => {
      send.disabled = true;
      problem.textContent = "";
      try {
        const response = await fetch(`${HUB}/${id}/resolve/main/config.json`, { credentials: "omit", referrerPolicy: "no-referrer" });
        if (!response.ok) throw new Error(response.status === 404 ? `The Hub has no config.json of ${id}.` : `The Hub answers ${response.status}: the model may be gated or private.`);
        box.value = await response.text();
        problem.textContent = configProblem(box.value);
      } catch (error) {
        problem.textContent = error instanceof TypeError ? "The Hub could not be reached." : (error as Error).message;
      }
      send.disabled = false;
    });
    const look = button("Look up config.json on the Hub…", () => {
      holder.replaceChildren(element("p", {}, `One request goes to huggingface.co. It holds the model's name, ${id}, and nothing of your command.`), send);
      send.focus();
    });
    holder.append(look);
    return holder;
  }
}
