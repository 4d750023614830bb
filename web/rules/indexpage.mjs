// All rules by domain, with a search over them.
import { frame, html, severityMark, severityWord } from "./html.mjs";

export function indexPage(rules) {
  const domains = new Map();
  for (const rule of rules) {
    const domain = rule.id.slice(0, rule.id.lastIndexOf("/"));
    if (!domains.has(domain)) domains.set(domain, []);
    domains.get(domain).push(rule);
  }
  return frame({
    title: "Rules · sglint",
    description: `The ${rules.length} rules that sglint knows of SGLang's launch arguments.`,
    root: "../",
    body: html`
<h1>Rules</h1>
<p class="prose">${rules.length} places where SGLang rejects, changes or warns about a launch. Paste the message you got, or part of it.</p>
<p class="search"><label for="search">Search</label> <input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="a message, a flag, a model"> <span id="found" role="status">${rules.length} rules</span></p>
${[...domains].map(
  ([domain, list]) => html`<section class="domain" data-domain="${domain}"><h2>${domain} <span class="quiet">${list.length}</span></h2><ul class="rules">${list.map(row)}</ul></section>`,
)}`,
  });
}

const row = (rule) => html`
<li data-why="${rule.why}"><a href="${rule.id}.html">${rule.id.slice(rule.id.lastIndexOf("/") + 1)}</a> <span class="badge ${rule.severity}">${severityMark[rule.severity]} ${severityWord[rule.severity]}</span><p>${rule.message || rule.why}</p></li>`;
