// Every golden case and every text as lines of a batch, and what the native command line makes of them.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { binary } from "./native.mjs";

const golden = fileURLToPath(new URL("../golden/", import.meta.url));

/** Requests, one a line: the recordings without what was recorded, and the texts on two machines. */
export function lines() {
  const out = [];
  const read = (file) => readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  for (const file of readdirSync(`${golden}cases`)) {
    for (const { expect, site, ...request } of read(`${golden}cases/${file}`)) out.push(JSON.stringify(request));
  }
  const cases = out.length;
  for (const { id, text } of read(`${golden}text/texts.ndjson`)) {
    for (const machine of ["h100", "b200x4"]) out.push(JSON.stringify({ id, text, machine }));
  }
  return { lines: out, cases, texts: out.length - cases };
}

/** A result as it is compared: enough of its SHA-256. */
export const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** One line out for each line in, as they are written: the results, or with "json" whole reports. */
export async function* native(format, input) {
  const child = spawn(binary, ["check", "--batch", "-", ...(format === "json" ? ["--format", "json"] : [])], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(`${input.join("\n")}\n`);
  let rest = "";
  child.stdout.setEncoding("utf8");
  for await (const chunk of child.stdout) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    yield* parts;
  }
  if (rest) throw new Error("the last line is cut");
}

/** Counts a run, for people to read. */
export function counted(what, started, { lines, cases, texts }) {
  console.log(`parity ${what}: ${lines.length} requests (${cases} recordings, ${texts} texts), result and report each, all the same bytes, ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
