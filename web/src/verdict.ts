// The verdict: one line a launch, in words, with the reason under it.
import type { Report } from "sglint";
import { byId, element } from "./dom.js";
import { type Tone, type Verdict, verdicts } from "./words.js";

const icons: Record<Tone, string> = { ok: "✓", warn: "!", stop: "✕", late: "!", wait: "…" };
const weight: Tone[] = ["stop", "late", "warn", "wait", "ok"];

export function renderVerdict(report: Report, ms: number): void {
  const all = verdicts(report);
  show(all, `checked in ${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`);
}

/** Something that is no finding: the checker is missing, the request could not be carried out. */
export function renderTrouble(sentence: string): void {
  show([{ tone: "stop", headline: sentence, detail: "Your text is kept." }], "");
}

function show(all: Verdict[], time: string): void {
  byId("verdict").className = weight.find((tone) => all.some((v) => v.tone === tone))!;
  byId("verdict-text").replaceChildren(
    ...all.map((v) =>
      element(
        "div",
        { class: `line ${v.tone}` },
        element("span", { class: "icon", "aria-hidden": "true" }, icons[v.tone]),
        element("div", {}, element("p", { class: "headline" }, v.headline), v.detail !== "" && element("p", { class: "detail" }, v.detail)),
      ),
    ),
  );
  byId("time").textContent = time;
}
