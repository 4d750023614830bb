// What is checked besides the text: release, machine, the model's config.json.
import type { Request } from "sglint";
import { factsOf } from "./machines.js";

export interface Settings {
  release: string;
  machine: string;
  /** GPUs; 0 for as many as the catalogue's machine has. */
  count: number;
  /** Pasted nvidia-smi output or facts; "" for the catalogue's machine. */
  machineText: string;
  /** config.json content; "" where the command's model says enough. */
  config: string;
  configName: string;
  /** Files that `--config` names, by that name. */
  files: Record<string, string>;
}

export const defaults = (): Settings => ({ release: "", machine: "h100", count: 0, machineText: "", config: "", configName: "", files: {} });

export function machineOf(s: Settings): Request["machine"] {
  if (s.machineText) return /^\s*\{/.test(s.machineText) ? (JSON.parse(s.machineText) as Record<string, unknown>) : s.machineText;
  const usual = factsOf(s.machine)?.num_gpus;
  return usual === undefined || usual === s.count || s.count < 1 ? s.machine : `${s.machine}x${s.count}`;
}

export function requestOf(text: string, s: Settings): Request {
  return {
    text,
    machine: machineOf(s),
    ...(s.release && { release: s.release }),
    ...(s.config && { model_config: s.config }),
    ...(Object.keys(s.files).length > 0 && { files: s.files }),
  };
}

/** The name by which a `--config` in the text asks for the file; "" if none does. */
export function configNamed(text: string, file: string): string {
  for (const [, path] of text.matchAll(/--config[\s"',\\]+([^\s"',\\]+)/g)) if (path.split("/").pop() === file) return path;
  return "";
}
