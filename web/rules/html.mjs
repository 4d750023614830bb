// html`…` escapes what is put into it; the frame that all rule pages share.
import { deflateRawSync } from "node:zlib";
import { rulePolicy } from "../csp.mjs";

class Safe {
  constructor(text) {
    this.text = text;
  }
  toString() {
    return this.text;
  }
}

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const inner = (value) => (Array.isArray(value) ? value.map(inner).join("") : value instanceof Safe ? value.text : value === null || value === undefined || value === false ? "" : String(value).replace(/[&<>"']/g, (c) => escapes[c]));

export const html = (parts, ...values) => new Safe(parts.reduce((out, part, i) => out + inner(values[i - 1]) + part));

/** The same link as src/link.ts makes. */
export const fragment = (shared) => "#v1=" + deflateRawSync(Buffer.from(JSON.stringify(shared)), { level: 9 }).toString("base64url");

export function frame({ title, description, root, body }) {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${rulePolicy}">
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${root}style.css">
<link rel="stylesheet" href="${root}rules.css">
<link rel="icon" href="${root}icon.svg" type="image/svg+xml">
<script type="module" src="${root}rules.js"></script>
</head>
<body>
<header>
  <p class="brand"><a href="${root}">sglint</a></p>
  <nav aria-label="Site"><a href="${root}">Checker</a> <a href="${root}rules/">Rules</a></nav>
  <button id="theme" type="button" aria-pressed="false">Dark</button>
</header>
<main>
${body}
</main>
</body>
</html>
`);
}

export const severityWord = { error: "Error", warning: "Warning", info: "Note" };
export const severityMark = { error: "✕", warning: "!", info: "i" };
export const stageWord = {
  read: "while the text is read",
  arguments: "while the arguments are parsed",
  resolve: "while the arguments are resolved, before anything is loaded",
  check: "in the last check of the arguments, before anything is loaded",
  deployment: "between the launches of one text",
  load: "only after the weights are loaded",
};
