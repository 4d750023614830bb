// Builds dist/: the page, its bundle, the checker's files from the npm package, a page for every rule.
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { pagePolicy, startScript, workerPolicy } from "./csp.mjs";
import { writeRules } from "./rules/build.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const checker = fileURLToPath(new URL("../wasm/dist/", import.meta.url));
const dist = here + "dist/";

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
for (const file of ["style.css", "icon.svg"]) copyFileSync(here + file, dist + file);
copyFileSync(checker + "sglint.wasm", dist + "sglint.wasm");
writeFileSync(dist + "index.html", readFileSync(here + "index.html", "utf8").replace("{{csp}}", pagePolicy).replace("{{start}}", startScript));
const bundle = (entryPoints, external = []) => build({ entryPoints, external, outdir: dist, bundle: true, minify: true, format: "esm", target: "es2022", logLevel: "warning" });
// CodeMirror is a file of its own: it comes behind the first check.
await bundle({ main: here + "src/main.ts" }, ["./codemirror.js"]);
await bundle({ codemirror: here + "src/codemirror.ts", worker: checker + "worker.js", rules: here + "src/rulesearch.ts" });
await writeRules(dist + "rules/");

// The service worker, with the files that it keeps from the start.
const kept = ["./", "main.js", "codemirror.js", "style.css", "icon.svg", "worker.js", "sglint.wasm", "rules/", "rules.js", "rules.css"];
copyFileSync(here + "rules/rules.css", dist + "rules.css");
const hash = createHash("sha256");
for (const file of kept) hash.update(readFileSync(dist + (file.endsWith("/") ? file + "index.html" : file)));
writeFileSync(dist + "sw.js", readFileSync(here + "sw.js", "utf8").replace("{{version}}", hash.digest("hex").slice(0, 12)).replace("{{files}}", JSON.stringify(kept)));
// Headers for hosts that read this file; others can send the same.
writeFileSync(dist + "_headers", `/*\n  Content-Security-Policy: ${pagePolicy}\n  Referrer-Policy: no-referrer\n  X-Content-Type-Options: nosniff\n/worker.js\n  Content-Security-Policy: ${workerPolicy}\n/sw.js\n  Content-Security-Policy: ${workerPolicy}\n`);
