// Builds dist/: the page, its bundle, and the checker's files from the npm package.
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const checker = fileURLToPath(new URL("../wasm/dist/", import.meta.url));
const dist = here + "dist/";

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
for (const file of ["index.html", "style.css"]) copyFileSync(here + file, dist + file);
for (const file of ["worker.js", "glue.js", "sglint.wasm"]) copyFileSync(checker + file, dist + file);
await build({ entryPoints: [here + "src/main.ts"], outfile: dist + "main.js", bundle: true, minify: true, format: "esm", target: "es2022", logLevel: "warning" });
