// What an accepted launch is, in one sentence: model, GPUs, how the work is spread.
import type { LaunchReport } from "sglint";

export function serves(launch: LaunchReport): string {
  const values = launch.resolved as Record<string, { value: unknown } | undefined>;
  const size = (field: string): number => Math.max(1, Number(values[field]?.value ?? 1) || 1);
  const model = launch.model || values.model_path?.value;
  if (typeof model !== "string" || model === "") return "";
  const [tp, pp, dp, ep] = ["tp_size", "pp_size", "dp_size", "ep_size"].map(size);
  const shared = values.enable_dp_attention?.value === true;  // its ranks are those of tensor parallelism
  const gpus = tp * pp * (shared ? 1 : dp);
  const layout = [
    tp > 1 && `tensor parallel ${tp}`,
    pp > 1 && `pipeline parallel ${pp}`,
    dp > 1 && (shared ? `attention data-parallel ${dp}` : `${dp} replicas`),
    ep > 1 && `expert parallel ${ep}`,
  ].filter(Boolean);
  return `Serves ${model} on ${gpus} GPU${gpus === 1 ? "" : "s"}${layout.length ? `: ${layout.join(", ")}` : ""}.`;
}
