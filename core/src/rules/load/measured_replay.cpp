// What a self-test of the machine (`sglint selftest`) says to --enable-linear-replayssm: facts of
// the machine, not of SGLang.

#include <algorithm>

#include "base/text.h"
#include "rules/load/linear_kernels.h"

namespace sglint {
namespace {

constexpr std::string_view kExampleMachine =
    "{\"platform\":\"cuda\",\"sm\":[9,0],\"gpu_name\":\"NVIDIA H200\",\"num_gpus\":1,"
    "\"gpu_mem_mib\":143771,\"cuda\":\"13.0\",\"flashinfer\":\"0.6.17\",\"replayssm\":[{"
    "\"gate\":\"gdn\",\"state\":\"float32\",\"v_heads\":32,\"speedups\":[[1,0.88],[8,1.07],"
    "[64,1.62]]}]}";

constexpr Rule kMeasuredSlower{
    .id = "replayssm/measured-slower-here",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message =
        "On this {}, ReplaySSM was measured slower than plain decode ({} states): {} of its speed "
        "at a batch of {}.",
    .why =
        "`sglint selftest` timed both kernels on this machine. Replay reads a ring of earlier "
        "steps besides the state: a gain where memory bandwidth decides, a loss where latency "
        "does. With this --max-running-requests and these heads per GPU the server stays where it "
        "loses.",
    .source = "sglint selftest",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct-FP8 --enable-linear-replayssm "
            "--mamba-radix-cache-strategy no_buffer --disable-overlap-schedule "
            "--max-running-requests 4",
            kExampleMachine},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct-FP8 --enable-linear-replayssm "
             "--mamba-radix-cache-strategy no_buffer --disable-overlap-schedule "
             "--max-running-requests 64",
             kExampleMachine},
};

}  // namespace

void measured_replay(Resolution& r, std::string_view gate, const Value& config,
                     const Value& value_heads) {
  if (!r.get(f::enable_linear_replayssm)) return;
  const std::string_view state = state_dtype(r, config);
  for (const Value& measured : r.machine().replayssm.as_list()) {
    if (measured["gate"].as_str() != gate || measured["state"].as_str() != state) continue;
    // The work of a launch is rows times heads: batches count as if they had the heads measured.
    const int64_t heads = std::max<int64_t>(1, measured["v_heads"].as_int(1));
    const int64_t own = value_heads.as_int(heads * r.get(f::tp_size)) / r.get(f::tp_size);
    const int64_t reach = r.value(f::max_running_requests).as_int(1 << 20) * own / heads;
    double best = 0;
    int64_t best_batch = 0;
    for (const Value& at : measured["speedups"].as_list()) {
      const Value::List& pair = at.as_list();
      if (pair.size() != 2 || (best_batch > 0 && pair[0].as_int() > reach)) continue;
      if (pair[1].as_real() <= best) continue;
      best = pair[1].as_real();
      best_batch = pair[0].as_int();
    }
    if (best_batch > 0 && best < 1)
      r.note(kMeasuredSlower,
             {r.machine().gpu_name, state, fill("{} %", {static_cast<int64_t>(best * 100)}),
              best_batch},
             {{{unset(f::enable_linear_replayssm)}, ""}}, {f::enable_linear_replayssm.id});
    return;
  }
}

RuleList measured_replay_rules() { return {&kMeasuredSlower}; }

}  // namespace sglint
