#!/usr/bin/env node
// `sglint`: the native command line's own sources, compiled to WebAssembly, on Node's files.
import fs from "node:fs";
import { createRequire } from "node:module";
import tty from "node:tty";

interface Cli {
  ENV: Record<string, string | undefined>;
  FS: { streams: { tty: boolean }[] };
  callMain(args: string[]): void;
}
type CliGlue = (options: Partial<Cli> & { wasmBinary: Uint8Array; thisProgram: string; preRun: ((cli: Cli) => void)[] }) => Promise<Cli>;

function stop(sentence: string): never {
  fs.writeSync(2, `sglint: ${sentence}\n`);
  process.exit(2);
}

// A pipe that is not ready is waited for, as the operating system does for a native program.
function waiting<A extends unknown[]>(call: (...args: A) => number, atEnd?: number): (...args: A) => number {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  return (...args) => {
    for (;;) {
      try {
        return call(...args);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "EOF" && atEnd !== undefined) return atEnd;  // of a pipe, on Windows
        if (code !== "EAGAIN") throw error;
        Atomics.wait(clock, 0, 0, 5);
      }
    }
  };
}
fs.readSync = waiting(fs.readSync as (...args: unknown[]) => number, 0) as typeof fs.readSync;
fs.writeSync = waiting(fs.writeSync as (...args: unknown[]) => number) as typeof fs.writeSync;

try {
  const wasm = fs.readFileSync(new URL("./cli.wasm", import.meta.url));
  const { createCli, build } = createRequire(import.meta.url)("./cli-glue.cjs") as { createCli: CliGlue; build: string };
  const end = wasm.subarray(-build.length).toString();
  if (end !== build) stop(`cli.wasm is of another build than its JavaScript (${build}): install the package again`);
  const cli = await createCli({ wasmBinary: wasm, thisProgram: "sglint", preRun: [({ ENV }) => void Object.assign(ENV, process.env)] });
  for (const fd of [0, 1, 2]) cli.FS.streams[fd].tty = tty.isatty(fd);  // Emscripten takes all three for terminals
  cli.callMain(process.argv.slice(2));
} catch (error) {
  stop(`the command line could not be run: ${(error as Error).message ?? error}`);
}
