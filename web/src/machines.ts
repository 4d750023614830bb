// Machines in words: "8× H100 80GB" for the catalogue's h100.
import type { Catalogue, MachineFacts } from "sglint";
import { element } from "./dom.js";

const NOISE = /\b(NVIDIA|AMD|Instinct|GeForce|Tesla|HBM3|SXM\d|AC|Blackwell|Server|Edition|Data Center GPU)\b|Intel\(R\)/g;
const PLATFORMS: Record<string, string> = { cuda: "NVIDIA", hip: "AMD", cpu: "Without GPU", none: "Without GPU" };
const NEWEST_CUDA = "13.0";

let facts: Record<string, MachineFacts> = {};

export const learnMachines = (known: Catalogue): void => void (facts = known.machine_facts ?? {});
export const factsOf = (name: string): MachineFacts | undefined => facts[name];

export function gpuLabel(name: string): string {
  const known = facts[name];
  if (!known) return name;
  if (known.platform === "cpu") return "CPU";
  if (known.platform === "none") return "no accelerator";
  const label = known.gpu_name.replace(/-/g, " ").replace(NOISE, "").replace(/\s+/g, " ").trim();
  const old = known.platform === "cuda" && known.cuda !== NEWEST_CUDA ? `, CUDA ${known.cuda}` : "";
  return label + old;
}

/** A report's machine in words; a pasted one has its GPU's name already. */
export function machineWords(name: string): string {
  const counted = /^(.+)x(\d+)$/.exec(name);
  const base = facts[name] ? name : counted && facts[counted[1]] ? counted[1] : "";
  if (!base) return name;
  const count = base === name ? facts[name].num_gpus : Number(counted![2]);
  return count > 0 ? `${count}× ${gpuLabel(base)}` : gpuLabel(base);
}

/** The catalogue by maker; a name such as h100x1 is h100 with a count and left out. */
export function machineOptions(known: Catalogue): HTMLElement[] {
  const groups = new Map<string, HTMLOptGroupElement>();
  for (const name of known.machines) {
    const base = /^(.+)x\d+$/.exec(name)?.[1];
    if (base && facts[base]) continue;
    const maker = PLATFORMS[facts[name]?.platform] ?? "Other";
    if (!groups.has(maker)) groups.set(maker, element("optgroup", { label: maker }));
    groups.get(maker)!.append(element("option", { value: name }, gpuLabel(name)));
  }
  return [...groups.values()];
}
