// Builds dist/ from the TypeScript sources and the Emscripten output (build/wasm/wasm at the top).
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { minify } from "terser";

const here = fileURLToPath(new URL(".", import.meta.url));
const emscripten = fileURLToPath(new URL("../build/wasm/wasm/", import.meta.url));
const dist = here + "dist/";

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
copyFileSync(emscripten + "sglint.wasm", dist + "sglint.wasm");
const glue = await minify(readFileSync(emscripten + "sglint.mjs", "utf8"), { module: true, compress: { passes: 2 } });
writeFileSync(dist + "glue.js", glue.code);

await build({
  entryPoints: ["src/node.ts", "src/browser.ts", "src/worker.ts"].map((f) => here + f),
  outdir: dist,
  bundle: true,
  format: "esm",
  target: "es2020",
  // The glue finds nothing by itself: the loaders hand it the wasm. It stays one file of its own.
  external: ["./glue.js", "node:*"],
  logLevel: "warning",
});
execFileSync(process.execPath, [fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url)), "-p", here], { stdio: "inherit" });
