// Dark or light: the system's choice until the button says otherwise.
import { byId } from "./dom.js";
import { kept } from "./storage.js";

const button = byId<HTMLButtonElement>("theme");
const system = matchMedia("(prefers-color-scheme: dark)");

function show(dark: boolean): void {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  button.setAttribute("aria-pressed", String(dark));
}

function chosen(): boolean {
  const choice = kept.get("theme");
  return choice === null ? system.matches : choice === "dark";
}

export function startTheme(): void {
  show(chosen());
  system.addEventListener("change", () => show(chosen()));
  button.addEventListener("click", () => {
    const dark = document.documentElement.dataset.theme !== "dark";
    show(dark);
    kept.set("theme", dark ? "dark" : "light");
  });
}
