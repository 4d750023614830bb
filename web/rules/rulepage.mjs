// One rule: what SGLang says, why, an example of each side with what the checker makes of it, fixes.
import { fragment, frame, html, severityMark, severityWord, stageWord } from "./html.mjs";

const SGLANG = "https://github.com/sgl-project/sglang/blob";

export function rulePage(rule, checker) {
  const root = "../".repeat(rule.id.split("/").length);
  const bad = run(rule.bad, checker);
  const good = run(rule.good, checker);
  const finding = bad?.findings.find((d) => d.rule === rule.id);
  return frame({
    title: `${rule.id} · sglint`,
    description: rule.message || rule.why,
    root,
    body: html`
<nav class="crumbs" aria-label="Place"><a href="${root}rules/">Rules</a> / ${rule.id.split("/").slice(0, -1).join(" / ")}</nav>
<h1 class="rule-id">${rule.id}</h1>
<p><b class="badge ${rule.severity}">${severityMark[rule.severity]} ${severityWord[rule.severity]}</b> Found ${stageWord[rule.stage]}. SGLang ${releases(rule)}.</p>
${rule.message && html`<h2>What ${rule.stage === "read" ? "sglint" : "SGLang"} says</h2><blockquote><p>${rule.exception && html`<b>${rule.exception}:</b> `}${placeholders(rule.message)}</p></blockquote>`}
${!rule.message && rule.exception && html`<h2>What SGLang says</h2><blockquote><p><b>${rule.exception}</b>, without a message</p></blockquote>`}
<h2>Why</h2>
<p class="prose">${code(rule.why)}</p>
${finding && fixes(finding)}
${bad && example("Rejected", rule.severity === "error" ? "Rejected" : "Reported", bad, root)}
${good && example("Accepted", "Accepted", good, root)}
<h2>Where it comes from</h2>
<p>${upstream(rule)}</p>`,
  });
}

function releases({ since, until }) {
  return since === until ? since : `${since} to ${until}`;
}

// The holes of the message, and `code` of the reason.
const placeholders = (message) => message.split(/(\{\})/).map((part) => (part === "{}" ? html`<span class="hole">…</span>` : part));
const code = (text) => text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? html`<code>${part}</code>` : part));

function upstream(rule) {
  const [, file, what] = /^([\w/.]+\.py)(?::?\s*(.*))?$/.exec(rule.source) ?? [];
  if (!file) return rule.source;
  return html`<a href="${SGLANG}/v${rule.until}/python/sglang/srt/${file}" rel="noreferrer">${file}</a>${what && html`: <code>${what}</code>`}`;
}

function run(example, checker) {
  if (!example) return null;
  const text = example.source;
  const report = checker.check({ text, machine: example.machine, release: example.release });
  return { ...example, report, findings: [...report.diagnostics, ...report.launches.flatMap((l) => l.diagnostics), ...(report.deployment ?? [])] };
}

function example(title, heading, { source, machine, release, report, findings }, root) {
  const link = `${root}${fragment({ t: source.endsWith("\n") ? source : source + "\n", r: release, m: machine })}`;
  return html`
<section class="example ${title.toLowerCase()}">
<h2>${heading}, on ${machine} with SGLang ${release}</h2>
<pre tabindex="0" role="region" aria-label="${heading} example"><code>${source}</code></pre>
<p><a class="button" href="${link}">Open this example in the checker</a></p>
<h3>What the checker answers</h3>
<ul class="answers">${outcome(report)}${findings.map((d) => html`<li class="${d.severity}"><b>${severityMark[d.severity]} ${severityWord[d.severity]}</b> ${d.message || d.why} <span class="rule">${d.rule}</span></li>`)}</ul>
</section>`;
}

function outcome(report) {
  return report.launches.map((l) => {
    const late = l.outcome === "ok" && l.diagnostics.some((d) => d.severity === "error");
    const words = l.outcome !== "ok" ? "✕ SGLang stops here." : late ? "! SGLang starts, then fails while it loads." : "✓ SGLang accepts this command.";
    return html`<li class="${l.outcome !== "ok" || late ? "error" : "ok"}">${words}</li>`;
  });
}

function fixes(finding) {
  if (!finding.fixes.length) return "";
  return html`<h2>Fixes of the example below</h2><ul class="plain">${finding.fixes.map((f) => html`<li>${f.title}${f.price && html`<span class="price"><b>Costs:</b> ${f.price}</span>`}</li>`)}</ul>`;
}
