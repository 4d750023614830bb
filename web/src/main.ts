// The page: editor and pickers in, findings and resolved values out.
import type { Report } from "sglint";
import { catalogue, check } from "./checker.js";
import { button, byId, element } from "./dom.js";
import { Editor } from "./editor.js";
import { examples } from "./examples.js";
import { renderFindings } from "./findings.js";
import { renderResolved } from "./resolved.js";

const TYPING_PAUSE_MS = 120;

const verdict = byId("verdict");
const release = byId<HTMLSelectElement>("release");
const machine = byId<HTMLSelectElement>("machine");

let timer = 0;
let running = 0;

const editor = new Editor(byId("editor"), examples[0].text, (pasted) => {
  clearTimeout(timer);
  timer = window.setTimeout(refresh, pasted ? 0 : TYPING_PAUSE_MS);
});

function words(report: Report): string {
  if (report.launches.length === 0) return report.diagnostics[0]?.message ?? "Paste a launch command of SGLang.";
  return report.launches
    .map((launch) => {
      const where = `SGLang ${launch.release} on ${launch.machine}`;
      const failsLater = launch.outcome === "ok" && launch.diagnostics.some((d) => d.severity === "error");
      if (failsLater) return `✕ ${where} accepts the arguments, then fails while it loads or serves.`;
      if (launch.outcome === "ok") return `✓ ${where} accepts this command.`;
      const behind = launch.diagnostics.filter((d) => d.behind).length;
      return `✕ ${where} stops here${behind ? `, ${behind} more behind it` : ""}.`;
    })
    .join(" ");
}

async function refresh(): Promise<void> {
  const turn = ++running;
  try {
    const { report, ms } = await check({ text: editor.text, release: release.value || undefined, machine: machine.value || undefined });
    if (turn !== running) return;  // a newer check is under way
    const ok = report.launches.length > 0 && report.launches.every((l) => l.outcome === "ok" && l.diagnostics.every((d) => d.severity !== "error"));
    verdict.className = ok ? "ok" : "stop";
    verdict.textContent = `${words(report)} (${ms.toFixed(1)} ms)`;
    editor.mark([...report.diagnostics, ...report.launches.flatMap((l) => l.diagnostics)]);
    renderFindings(byId("findings"), report, editor);
    renderResolved(byId("resolved"), report);
  } catch (error) {
    if (turn !== running) return;
    verdict.className = "stop";
    verdict.textContent = (error as Error).message;
  }
}

byId("examples").append(
  ...examples.map((example) =>
    button(example.name, () => {
      machine.value = example.machine;
      editor.replace(example.text);
    }),
  ),
);

const theme = byId<HTMLButtonElement>("theme");
function setDark(dark: boolean): void {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  theme.setAttribute("aria-pressed", String(dark));
}
function remembered(): string | null {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;  // storage is blocked: the choice lasts as long as the page
  }
}
setDark((remembered() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark");
theme.addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme !== "dark";
  setDark(dark);
  try {
    localStorage.setItem("theme", dark ? "dark" : "light");
  } catch {
    // storage is blocked
  }
});

catalogue()
  .then((known) => {
    release.append(...known.releases.map((r) => element("option", { value: r }, r)));
    machine.append(...known.machines.map((m) => element("option", { value: m }, m)));
    release.value = known.releases[0];
    machine.value = examples[0].machine;
    release.addEventListener("change", refresh);
    machine.addEventListener("change", refresh);
    return refresh();
  })
  .catch((error: Error) => {
    verdict.className = "stop";
    verdict.textContent = `The checker could not be loaded: ${error.message} Your text is kept.`;
  });
