// Runs the native command line on a request.
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const binary = fileURLToPath(new URL("../../build/release/native/cli/sglint", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sglint-"));

export function sglint(args, input = "") {
  const run = spawnSync(binary, args, { input, encoding: "utf8", maxBuffer: 1 << 28 });
  if (run.error) throw run.error;
  return { code: run.status, out: run.stdout, err: run.stderr };
}

/** The report as JSON text, for a request with text, machine and release. */
export function nativeReport(request) {
  const file = join(folder, "command.txt");
  writeFileSync(file, request.text);
  const run = sglint(["check", file, "--machine", request.machine, "--release", request.release, "--format", "json"]);
  return { ...run, json: run.out.replace(/\n$/, "") };
}
