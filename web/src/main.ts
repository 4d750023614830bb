// The page: editor and pickers in, verdict, findings and resolved values out.
import type { Report } from "sglint";
import { catalogue, check } from "./checker.js";
import { copy } from "./copy.js";
import { button, byId, element } from "./dom.js";
import { startDrop } from "./drop.js";
import { Editor } from "./editor.js";
import { allEdits, applied } from "./edits.js";
import { examples } from "./examples.js";
import { renderFindings } from "./findings.js";
import { reviewFixes } from "./fixall.js";
import { startKeys } from "./keys.js";
import { fromFragment, settingsOf } from "./link.js";
import { MachinePicker } from "./machinepicker.js";
import { learnMachines } from "./machines.js";
import { ModelFile } from "./modelfile.js";
import { startOffline } from "./offline.js";
import { findingsOf } from "./order.js";
import { renderResolved } from "./resolved.js";
import { announce, say } from "./say.js";
import { Schedule } from "./schedule.js";
import { configNamed, defaults, requestOf } from "./settings.js";
import { share } from "./share.js";
import { tab } from "./storage.js";
import { startTabs } from "./tabs.js";
import { startTheme } from "./theme.js";
import { renderVerdict, renderTrouble } from "./verdict.js";
import { Views } from "./views.js";
import { summary } from "./words.js";

const MAX_KEPT = 200000;

startTheme();
const settings = defaults();
const release = byId<HTMLSelectElement>("release");
const filter = byId<HTMLInputElement>("filter");
let last: { report: Report; text: string } | null = null;

const editor = new Editor(tab.get("text") ?? examples[0].text, (pasted) => (pasted ? checkNow() : schedule.request()));
const schedule = new Schedule(refresh);
const checkNow = () => void schedule.now();
const machines = new MachinePicker(settings, checkNow);
const model = new ModelFile(settings, checkNow);
const views = new Views({
  request: () => requestOf(editor.text, settings),
  pick: (machine, wanted) => {
    const [, base, count] = /^(.+?)(?:x(\d+))?$/.exec(machine)!;
    machines.pick(base, Number(count));
    moveTo(wanted);
  },
  apply: (edits, wanted) => {
    editor.apply(edits);
    moveTo(wanted);
  },
});
function moveTo(wanted: string): void {
  settings.release = release.value = wanted;
  choose("check");
  checkNow();
}
const choose = startTabs(byId("tabs"), (view) => views.open(view));

async function refresh(): Promise<number> {
  const text = editor.text;
  try {
    const answer = check(requestOf(text, settings));
    if (text.length < MAX_KEPT) tab.set("text", text);  // while the worker checks
    const { result: report, ms } = await answer;
    const received = performance.now();
    last = { report, text };
    const current = editor.text === text;
    if (current) editor.mark(findingsOf(report));  // first: CodeMirror measures, which is dear behind a change of the page
    renderVerdict(report, ms);
    const unknown = findingsOf(report).some((d) => d.rule === "model/unknown-model");
    model.show(modelOf(report), unknown);
    byId("fix-all").hidden = byId("copy-fixed").hidden = allEdits(report).length === 0;
    if (current) renderFindings(byId("findings"), report, editor);
    renderResolved(byId("resolved"), report, filter.value);
    announce(summary(report));
    performance.mark("first-check");
    void views.draw();
    return ms + performance.now() - received;
  } catch (error) {
    last = null;
    renderTrouble((error as Error).message);
    announce((error as Error).message);
    return 0;
  }
}

function modelOf(report: Report): string {
  for (const launch of report.launches) {
    if (launch.model) return launch.model;
    const path = launch.resolved.model_path?.value;
    if (typeof path === "string") return path;
  }
  return "";
}

// Buttons
byId("fix-all").addEventListener("click", () => last && last.text === editor.text && reviewFixes(last.report, editor));
byId("copy-fixed").addEventListener("click", () => last && void copy(applied(last.text, allEdits(last.report)), "Fixed text"));
byId("share").addEventListener("click", () => void share(editor.text, settings, last?.text === editor.text ? last.report : null));
byId("clear").addEventListener("click", () => {
  editor.replace("");
  editor.focus();
});
filter.addEventListener("input", () => last && renderResolved(byId("resolved"), last.report, filter.value));
release.addEventListener("change", () => {
  settings.release = release.value;
  checkNow();
});
byId("examples").append(
  ...examples.map((example) =>
    button(
      example.name,
      () => {
        const own = !examples.some((e) => e.text === editor.text) && editor.text.trim() !== "";
        Object.assign(settings, { ...defaults(), release: settings.release });
        machines.pick(example.machine);
        editor.replace(example.text);
        checkNow();
        if (own) say("Example shown. Ctrl+Z brings your text back.");
      },
      { title: example.about },
    ),
  ),
);

startKeys({
  check: checkNow,
  edit: () => editor.focus(),
  show: (index) => {
    const span = last && findingsOf(last.report)[index]?.spans[0];
    if (span) editor.select(span, false);
  },
  atCursor: () => (last ? findingsOf(last.report).findIndex((d) => d.spans.some(([b, e]) => b <= editor.cursor && editor.cursor <= e)) : -1),
});
startDrop((text, name) => {
  if (name.endsWith(".json") && model.looksLikeConfig(text)) return void model.use(text, "");
  const config = configNamed(editor.text, name);
  if (config) {
    settings.files[config] = text;
    say(`${name} is read for --config.`);
    return checkNow();
  }
  editor.replace(text);
  checkNow();
});

async function openLink(): Promise<void> {
  try {
    const shared = await fromFragment(location.hash);
    if (!shared) return;
    settingsOf(shared, settings);
    machines.show();
    if (settings.release) release.value = settings.release;
    editor.replace(shared.t);
  } catch (error) {
    say((error as Error).message);
  }
}
addEventListener("hashchange", () => void openLink().then(checkNow));

async function fillPickers(): Promise<void> {
  try {
    const found = await catalogue();
    learnMachines(found);
    release.replaceChildren(...found.releases.map((r) => element("option", { value: r }, r)));
    release.value = settings.release || found.releases[0];
    machines.fill(found);
    views.fill(found);
    if (last) await schedule.now();  // now with the machine's name in words, and without the time of loading
  } catch (error) {
    renderTrouble((error as Error).message);
  }
}

async function start(): Promise<void> {
  await openLink();
  await schedule.now();
  // What the first check does not need.
  await Promise.all([fillPickers(), editor.enhance().catch(() => say("The editor's marks could not be fetched. All else works."))]);
  document.body.dataset.ready = "true";
  startOffline();
}
void start();
