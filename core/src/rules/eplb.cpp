// ServerArgs._handle_eplb_and_dispatch and ServerArgs._handle_expert_distribution_metrics.
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kDispatchNeedsA2a{
    .id = "eplb/dispatch-algorithm-needs-all-to-all",
    .exception = "ValueError",
    .message =
        "--ep-dispatch-algorithm {} picks a different physical replica per rank, which only holds "
        "up when an a2a backend routes each token to a single rank. Use --ep-dispatch-algorithm "
        "dynamic with --moe-a2a-backend none.",
    .why =
        "Without an all-to-all backend every rank runs the experts over the same tokens and the "
        "partial results are summed, so all ranks must pick the same replica of an expert.",
    .source = "server_args.py: ServerArgs._handle_eplb_and_dispatch",
    .bad =
        {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --ep-size 2 --ep-dispatch-algorithm static"},
    .good =
        {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --ep-size 2 --ep-dispatch-algorithm dynamic"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kNeedsExpertParallelism{
    .id = "eplb/needs-expert-parallelism",
    .exception = "AssertionError",
    .message = "",
    .why =
        "--enable-eplb moves experts between expert-parallel ranks, so --ep-size must be over 1. "
        "SGLang stops here without a message.",
    .source = "server_args.py: ServerArgs._handle_eplb_and_dispatch",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --enable-eplb"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --ep-size 2 --enable-eplb"},
};

constexpr Rule kBalancednessVariable{
    .id = "eplb/balancedness-variable-removed",
    .exception = "ValueError",
    .message =
        "SGLANG_ENABLE_EPLB_BALANCEDNESS_METRIC is no longer supported. Use "
        "--expert-balancedness-report-mode with one of: off, server_log, prometheus, both.",
    .why = "Any value of the variable stops the launch, even 0: it must not be set at all.",
    .source = "server_args.py: ServerArgs._handle_expert_distribution_metrics",
    .bad = {"SGLANG_ENABLE_EPLB_BALANCEDNESS_METRIC=1 sglang serve --model-path Qwen/Qwen3-8B"},
    .good = {"--model-path Qwen/Qwen3-8B --expert-balancedness-report-mode prometheus"},
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

}  // namespace

void eplb_and_dispatch(Resolution& r) {
  const bool eplb = r.get(f::enable_eplb);
  if (eplb && !r.get(f::expert_distribution_recorder_mode)) {
    r.set(f::expert_distribution_recorder_mode, "stat", "EPLB decides from recorded expert loads.");
    r.warn("EPLB is enabled. The expert_distribution_recorder_mode is automatically set.");
  }
  const bool same_on_all_ranks = r.since(Release::v0_5_17) && r.view(f::moe_a2a_backend) == "none";
  if ((eplb || r.get(f::init_expert_location) != "trivial") && !r.get(f::ep_dispatch_algorithm))
    r.set(f::ep_dispatch_algorithm, same_on_all_ranks ? "dynamic" : "static",
          "Experts may have replicas, so SGLang needs a way to pick one.");
  const std::string_view algorithm = r.get(f::ep_dispatch_algorithm).value_or("");
  if (same_on_all_ranks && one_of(algorithm, {"static", "lp"}))
    return r.reject(
        kDispatchNeedsA2a, {algorithm},
        {{{set(f::ep_dispatch_algorithm, "dynamic")}, "replicas are picked per token row"},
         {{set(f::moe_a2a_backend, "deepep")}, "tokens travel to their experts: needs DeepEP"}});
  const bool joins = r.since(Release::v0_5_16) && r.get(f::ep_join_mode) == "scale";
  if (eplb && !joins && r.view(f::ep_size) <= 1)
    return r.reject(kNeedsExpertParallelism, {},
                    {{{set(f::ep_size, std::to_string(r.get(f::tp_size)))},
                      "experts are shared out among the GPUs"},
                     {{unset(f::enable_eplb)}, "expert loads are not balanced"}});
}

void expert_distribution_metrics(Resolution& r) {
  const bool old_flag = !r.since(Release::v0_5_18);
  if (!old_flag && r.env().is_set("SGLANG_ENABLE_EPLB_BALANCEDNESS_METRIC"))
    return r.reject(kBalancednessVariable, {},
                    {{{unset_env("SGLANG_ENABLE_EPLB_BALANCEDNESS_METRIC")}, ""}});
  const bool reports = old_flag ? r.value(f::enable_expert_distribution_metrics).truthy()
                                : r.get(f::expert_balancedness_report_mode) != "off";
  if (reports && !r.get(f::expert_distribution_recorder_mode))
    r.set(f::expert_distribution_recorder_mode, "stat",
          "Reports of expert loads need the loads recorded.");
  if (r.get(f::expert_distribution_recorder_buffer_size)) return;
  if (!r.value(f::eplb_rebalance_num_iterations).is_none()) {
    r.set(f::expert_distribution_recorder_buffer_size, r.value(f::eplb_rebalance_num_iterations),
          "One rebalancing period of loads.");
  } else if (r.get(f::expert_distribution_recorder_mode)) {
    r.set(f::expert_distribution_recorder_buffer_size, 1000, "The default length of the record.");
  }
}

RuleList eplb_rules() {
  return {&kDispatchNeedsA2a, &kNeedsExpertParallelism, &kBalancednessVariable};
}

}  // namespace sglint
