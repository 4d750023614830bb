// Builds dist/ from the TypeScript sources and the Emscripten output (build/wasm/wasm at the top).
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { minify } from "terser";

const here = fileURLToPath(new URL(".", import.meta.url));
const top = fileURLToPath(new URL("../", import.meta.url));
const emscripten = `${top}build/wasm/wasm/`;
const dist = `${here}dist/`;

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

// One id for both files of a build: of what they hold, so that the same sources give the same id.
function idOf(...contents) {
  const hash = createHash("sha256");
  for (const content of contents) hash.update(content);
  return hash.digest("hex").slice(0, 16);
}

// The wasm with the id as a custom section at its end.
function withBuild(wasm, id) {
  const name = Buffer.from("sglint");
  const payload = Buffer.concat([Buffer.from([name.length]), name, Buffer.from(id)]);
  return Buffer.concat([wasm, Buffer.from([0, payload.length]), payload]);
}

const wasm = readFileSync(`${emscripten}sglint.wasm`);
const glue = await minify(readFileSync(`${emscripten}sglint.mjs`, "utf8"), { module: true, compress: { passes: 2 } });
const id = idOf(wasm, glue.code);
writeFileSync(`${dist}sglint.wasm`, withBuild(wasm, id));
writeFileSync(`${dist}glue.js`, `${glue.code}export const build="${id}";\n`);

const cliWasm = readFileSync(`${emscripten}sglint-cli.wasm`);
const cliGlue = await minify(readFileSync(`${emscripten}sglint-cli.js`, "utf8"), { compress: { passes: 2 }, mangle: { reserved: ["createCli"] } });
const cliId = idOf(cliWasm, cliGlue.code);
writeFileSync(`${dist}cli.wasm`, withBuild(cliWasm, cliId));
writeFileSync(`${dist}cli-glue.cjs`, `${cliGlue.code}\nmodule.exports={createCli,build:"${cliId}"};\n`);

// What the core itself says of its rules, and the names that its argument tables know.
const { default: open } = await import(pathToFileURL(`${dist}glue.js`).href);
const core = await open({
  instantiateWasm(imports, done) {
    WebAssembly.instantiate(wasm, imports).then(({ instance }) => done(instance));
    return {};
  },
});
const ask = (name) => JSON.parse(new TextDecoder().decode(core.call(name, "")));
const rules = ask("rules");
writeFileSync(`${here}rules.json`, `${JSON.stringify(rules, null, 1)}\n`);

const schema = JSON.parse(readFileSync(`${here}schema.json`, "utf8"));
const tables = `${top}core/data/arguments/`;
const fields = new Set(readdirSync(tables).flatMap((file) => JSON.parse(readFileSync(tables + file, "utf8")).fields.map((f) => f.name)));
const union = (names) => [...names].sort().map((name) => `\n  | ${JSON.stringify(name)}`).join("");
const members = (name) => JSON.stringify(Object.keys(schema.$defs[name].properties));
writeFileSync(
  `${here}src/names.ts`,
  `// Written by build.mjs. Do not edit.

/** Every rule. */
export type RuleId =${union(rules.map((rule) => rule.id))};

/** Every field of ServerArgs, of any release. */
export type FieldName =${union(fields)};

export const version = ${JSON.stringify(ask("catalogue").version)};

export const requestMembers: readonly string[] = ${members("Request")};
export const matrixMembers: readonly string[] = ${members("MatrixRequest")};
export const upgradeMembers: readonly string[] = ${members("UpgradeRequest")};
`,
);

const common = { bundle: true, target: "es2022", logLevel: "warning", legalComments: "none" };
const src = (...names) => names.map((name) => `${here}src/${name}.ts`);
// The glue stays a file of its own, which browser.js and worker.js share.
await build({ ...common, entryPoints: src("node", "browser", "worker"), outdir: dist, format: "esm", external: ["./glue.js", "node:*"] });
await build({ ...common, entryPoints: src("cli"), outdir: dist, format: "esm", platform: "node" });
await build({
  ...common,
  entryPoints: src("node"),
  outfile: `${dist}node.cjs`,
  format: "cjs",
  platform: "node",
  plugins: [{ name: "glue", setup: (b) => void b.onResolve({ filter: /^\.\/glue\.js$/ }, () => ({ path: `${dist}glue.js` })) }],
  banner: { js: 'const sglintUrl = require("node:url").pathToFileURL(__filename).href;' },
  define: { "import.meta.url": "sglintUrl" },
});
chmodSync(`${dist}cli.js`, 0o755);

execFileSync(process.execPath, [`${top}node_modules/typescript/bin/tsc`, "-p", here], { stdio: "inherit" });
for (const file of ["cli", "request", "spans"]) rmSync(`${dist}${file}.d.ts`, { force: true });
// The same types for require(): in a package of ES modules a .d.ts speaks of an ES module.
for (const file of readdirSync(dist)) {
  if (!file.endsWith(".d.ts") || /^(browser|worker)/.test(file)) continue;
  writeFileSync(`${dist}${file.replace(/\.d\.ts$/, ".d.cts")}`, readFileSync(dist + file, "utf8").replace(/(from "\.\/\w+)\.js"/g, '$1.cjs"'));
}
for (const file of ["LICENSE", "NOTICE"]) copyFileSync(top + file, here + file);
