// What changes for this command from one release to another, and the command for the new one.
import type { Diagnostic, Edit, LaunchUpgrade, MatrixCell, Upgrade, ValueChange } from "sglint";
import { button, element, prose } from "./dom.js";
import { differences } from "./differences.js";
import { inlineDiff } from "./edits.js";

const MOST_LEAVES = 6;

export interface UpgradeActions {
  text: string;
  apply(edits: Edit[], release: string): void;
}

export function renderUpgrade(into: HTMLElement, upgrade: Upgrade, actions: UpgradeActions): void {
  if (upgrade.from === upgrade.to) return into.replaceChildren(element("p", { class: "quiet" }, "Choose two different releases."));
  if (!upgrade.launches.length) return into.replaceChildren(element("p", { class: "quiet" }, "No SGLang launch command was found in the text."));
  into.replaceChildren(...upgrade.launches.map((launch) => launchPart(launch, upgrade, actions)));
}

function launchPart(l: LaunchUpgrade, u: Upgrade, actions: UpgradeActions): HTMLElement {
  const fine = l.to.outcome === "ok" && !l.to.load;
  const parts: (HTMLElement | false)[] = [
    l.name !== "" && element("h3", {}, l.name),
    element("p", { class: `headline ${fine ? "good" : "bad"}` }, element("span", { "aria-hidden": "true" }, fine ? "✓ " : "✕ "), `SGLang ${u.from} ${says(l.from)}; ${u.to} ${says(l.to)}.`),
    !fine && l.to.error !== null && element("p", { class: "detail" }, [l.to.error.type, l.to.error.message].filter(Boolean).join(": ")),
    section("Flags of this command", l.flags.map((f) => element("li", {}, ...prose(flagSentence(f, u))))),
    section("Defaults it relies on", l.defaults.map((d) => element("li", {}, ...change(d.field, d.from, d.to), d.keep && element("span", { class: "price" }, "To keep it: ", element("code", {}, d.keep))))),
    section("What really runs", l.effective.map(valueItem)),
    section("New findings", l.appeared.map(findingItem)),
    section("Findings that go away", l.gone.map(findingItem)),
    folded("Resolved values", l.resolved.filter((v) => !v.field.startsWith("_")).map(valueItem)),
    l.edits.length > 0 &&
      element(
        "div",
        { class: "edited" },
        element("h3", {}, `The command for ${u.to}`),
        inlineDiff(actions.text, l.edits),
        button(`Apply and check with ${u.to}`, () => actions.apply(l.edits, u.to), { class: "main" }),
      ),
    !l.accepted && l.edits.length === 0 && element("p", {}, `No edit was found that ${u.to} accepts.`),
    nothing(l) && element("p", {}, "Nothing changes for this command."),
  ];
  return element("section", { class: "upgrade" }, ...parts);
}

const nothing = (l: LaunchUpgrade): boolean => l.accepted && [l.flags, l.defaults, l.resolved, l.effective, l.appeared, l.gone, l.edits].every((list) => list.length === 0);

function says(end: MatrixCell): string {
  if (end.outcome !== "ok") return "rejects it";
  return end.load ? "accepts it, then fails while it loads" : "accepts it";
}

function flagSentence({ flag, change, instead }: LaunchUpgrade["flags"][number], u: Upgrade): string {
  const known: Record<string, string> = {
    renamed: `\`${flag}\` is now \`${instead}\`.`,
    removed: `\`${flag}\` is gone in ${u.to}.`,
    ignored: `\`${flag}\` is still taken but does nothing in ${u.to}.`,
    added: `\`${flag}\` is new: ${u.from} does not know it.`,
    ambiguous: `\`${flag}\` stands for several flags in ${u.to}; write \`${instead}\`.`,
    deprecated: `\`${flag}\` is deprecated in ${u.to}${instead ? `: use \`${instead}\`` : ""}.`,
  };
  return known[change] ?? `\`${flag}\`: ${change}.`;
}

function change(field: string, from: unknown, to: unknown): (Node | string)[] {
  const leaves = differences(field, from, to);
  return leaves.slice(0, MOST_LEAVES).flatMap(([name, before, after], i) => [i ? element("br") : "", element("code", { class: "name" }, name), " ", element("del", {}, before), " ", element("ins", {}, after)]);
}

const valueItem = (v: ValueChange): HTMLElement => element("li", {}, ...change(v.field, v.from, v.to), element("span", { class: "price" }, ...prose(v.because)));

const findingItem = (d: Diagnostic): HTMLElement => element("li", {}, d.message || d.why, " ", element("a", { class: "rule", href: `rules/${d.rule}.html` }, d.rule));

function section(title: string, items: HTMLElement[]): HTMLElement | false {
  return items.length > 0 && element("section", {}, element("h3", {}, title), element("ul", { class: "plain" }, ...items));
}

function folded(title: string, items: HTMLElement[]): HTMLElement | false {
  return items.length > 0 && element("details", {}, element("summary", {}, `${items.length} ${title.toLowerCase()} change`), element("ul", { class: "plain" }, ...items));
}
