// ServerArgs._handle_elastic_ep: expert-parallel ranks that may fail, come back or join. Growing at
// run time (--max-ep-size over --tp-size) is in elastic_ep_scale.cpp.
#include "rules/elastic_ep.h"

#include "rules/checks.h"
#include "rules/ib_devices.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "server_args.py: ServerArgs._handle_elastic_ep";
constexpr ReleaseRange kWithJoining{Release::v0_5_16, Release::v0_5_18};
using Fixes = std::vector<Fix>;
using R = const Resolution&;

std::vector<Fix> not_elastic(R) {
  return {{{unset(f::elastic_ep_backend)}, "a failing rank stops the server"}};
}
std::vector<Fix> no_join(R) { return {{{unset(f::ep_join_mode)}, "the group starts on its own"}}; }
std::vector<Fix> no_offset(R) { return {{{unset(f::ep_join_rank_offset)}, ""}}; }
std::vector<Fix> no_maximum(R) { return {{{unset(f::max_ep_size)}, "the deployment cannot grow"}}; }

constexpr Rule kRejoinConflict{
    .id = "elastic-ep/rejoin-conflicts-with-join-mode",
    .exception = "AssertionError",
    .message = "--elastic-ep-rejoin (deprecated) conflicts with --elastic-ep-join-mode {}.",
    .why = "The old flag means --elastic-ep-join-mode recover.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-rejoin "
            "--elastic-ep-join-mode scale"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --ep-size 2 --elastic-ep-backend nixl "
             "--elastic-ep-join-mode recover"},
    .releases = kWithJoining,
};

constexpr Rule kEplbAlgorithm{
    .id = "elastic-ep/eplb-algorithm",
    .exception = "AssertionError",
    .message =
        "Elastic EP requires eplb_algorithm to be set to 'auto' or "
        "'elasticity_aware(_hierarchical)'.",
    .why = "Only the elasticity-aware algorithms can place experts around a missing rank.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --ep-size 2 --elastic-ep-backend nixl "
            "--enable-eplb --eplb-algorithm deepseek"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --ep-size 2 --elastic-ep-backend nixl "
             "--enable-eplb"},
};

constexpr Rule kPipeline{
    .id = "elastic-ep/without-pipeline",
    .exception = "AssertionError",
    .message = "PP size should be set to 1 under elastic EP",
    .why = "A rank that fails would take its pipeline stage along.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --pp-size 2 --elastic-ep-backend nixl"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-backend nixl"},
};

constexpr Rule kRejoinNeedsBackend{
    .id = "elastic-ep/rejoin-needs-backend",
    .exception = "AssertionError",
    .message = "Elastic EP rejoin requires elastic_ep_backend to be set.",
    .why = "A rank can only come back into a deployment that is elastic.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-rejoin", "h100",
            "0.5.15.post1"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2", "h100", "0.5.15.post1"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_15_post1},
};

constexpr Rule kJoinNeedsBackend{
    .id = "elastic-ep/join-needs-backend",
    .exception = "AssertionError",
    .message = "--elastic-ep-join-mode requires --elastic-ep-backend to be set.",
    .why = "A group can only join a deployment that is elastic.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-join-mode recover"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-backend nixl "
             "--elastic-ep-join-mode recover"},
    .releases = kWithJoining,
};

constexpr Rule kJoinNodeRank{
    .id = "elastic-ep/joining-group-is-node-1",
    .exception = "AssertionError",
    .message = "Elastic EP scale-up requires one joining TP group at --node-rank 1 (got {}).",
    .why = "The group that joins is one tensor-parallel group and counts as the second node.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-backend nixl "
            "--elastic-ep-join-mode scale"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-backend nixl "
             "--elastic-ep-join-mode scale --node-rank 1 --nnodes 2 --dist-init-addr 10.0.0.1:5000 "
             "--elastic-ep-join-rank-offset 2"},
    .releases = kWithJoining,
};

constexpr Rule kJoinOffsetMissing{
    .id = "elastic-ep/joining-group-needs-offset",
    .exception = "AssertionError",
    .message =
        "Elastic EP scale joiners require --elastic-ep-join-rank-offset set to the current "
        "effective EP size.",
    .why = "The joining ranks are numbered after the ranks that run already.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-backend nixl "
            "--elastic-ep-join-mode scale --node-rank 1 --nnodes 2 --dist-init-addr 10.0.0.1:5000"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-backend nixl "
             "--elastic-ep-join-mode scale --node-rank 1 --nnodes 2 --dist-init-addr 10.0.0.1:5000 "
             "--elastic-ep-join-rank-offset 2"},
    .releases = kWithJoining,
};

constexpr Rule kOffsetNeedsScale{
    .id = "elastic-ep/offset-needs-scale-mode",
    .exception = "AssertionError",
    .message = "--elastic-ep-join-rank-offset is only valid with --elastic-ep-join-mode scale.",
    .why = "A group that comes back takes its old numbers.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-join-rank-offset 2"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2"},
    .releases = kWithJoining,
};

constexpr Rule kOffsetNegative{
    .id = "elastic-ep/offset-negative",
    .exception = "AssertionError",
    .message = "elastic EP join rank offset must be >= 0.",
    .why = "It counts ranks of the expert-parallel group.",
    .source = kSource,
    // A negative offset already fails the check that a joining group has a positive one.
    .releases = kWithJoining,
};

constexpr Rule kMaximumNeedsBackend{
    .id = "elastic-ep/maximum-needs-backend",
    .exception = "AssertionError",
    .message = "--max-ep-size requires --elastic-ep-backend to be set.",
    .why = "Only an elastic deployment can grow.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --max-ep-size 2"},
    .good =
        {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-backend nixl --max-ep-size 2"},
    .releases = kWithJoining,
};

constexpr Rule kMaximumNotPositive{
    .id = "elastic-ep/maximum-not-positive",
    .exception = "AssertionError",
    .message = "--max-ep-size must be a positive integer.",
    .why = "It counts ranks of the expert-parallel group.",
    .source = kSource,
    .bad =
        {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-backend nixl --max-ep-size 0"},
    .good =
        {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-backend nixl --max-ep-size 2"},
    .releases = kWithJoining,
};

constexpr Rule kInitialSizeUnused{
    .id = "elastic-ep/initial-size-without-growth",
    .exception = "AssertionError",
    .message =
        "--elastic-ep-initial-size is only valid for an Elastic EP deployment with --max-ep-size "
        "larger than its local TP size.",
    .why = "Without room to grow the deployment always has its initial size.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --elastic-ep-initial-size 2"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2"},
    .releases = kWithJoining,
};

bool elastic(R r) { return r.get(f::elastic_ep_backend).has_value(); }
bool scale_joiner(R r) { return r.get(f::ep_join_mode) == "scale"; }

constexpr Check kBackendChecks[] = {
    {&kEplbAlgorithm,
     [](R r) {
       return r.get(f::enable_eplb) &&
              !one_of(r.get(f::eplb_algorithm),
                      {"elasticity_aware", "elasticity_aware_hierarchical"});
     },
     [](R r) {
       return Fixes{{{unset(f::eplb_algorithm)}, "SGLang chooses the elasticity-aware algorithm"},
                    not_elastic(r)[0]};
     }},
    {&kPipeline, [](R r) { return r.get(f::pp_size) != 1; },
     [](R r) {
       return Fixes{{{unset(f::pp_size)}, "fewer GPUs, unless --tp-size is raised"},
                    not_elastic(r)[0]};
     }},
};

constexpr Check kJoinChecks[] = {
    {&kRejoinNeedsBackend, [](R r) { return r.get(f::elastic_ep_rejoin) && !elastic(r); },
     [](R) {
       return Fixes{{{unset(f::elastic_ep_rejoin)}, "the group starts on its own"}};
     }},
    {&kJoinNeedsBackend, [](R r) { return r.get(f::ep_join_mode) && !elastic(r); }, no_join},
    {&kJoinNodeRank, [](R r) { return scale_joiner(r) && r.get(f::node_rank) != 1; }, no_join,
     [](R r) { return std::array<Value, 2>{r.value(f::node_rank)}; }},
    {&kJoinOffsetMissing, [](R r) { return scale_joiner(r) && r.get(f::ep_join_rank_offset) <= 0; },
     no_join},
    {&kOffsetNeedsScale, [](R r) { return r.get(f::ep_join_rank_offset) != 0 && !scale_joiner(r); },
     no_offset},
    {&kOffsetNegative, [](R r) { return r.get(f::ep_join_rank_offset) < 0; }, no_offset},
    {&kMaximumNeedsBackend, [](R r) { return r.get(f::max_ep_size) && !elastic(r); }, no_maximum},
    {&kMaximumNotPositive, [](R r) { return r.get(f::max_ep_size).value_or(1) <= 0; }, no_maximum},
    {&kInitialSizeUnused,
     [](R r) { return r.get(f::elastic_ep_initial_size) && !elastic_ep_can_grow(r); },
     [](R) {
       return Fixes{{{unset(f::elastic_ep_initial_size)}, ""}};
     }},
};

// --elastic-ep-rejoin is the old name of --elastic-ep-join-mode recover.
void settle_join_mode(Resolution& r) {
  if (!r.since(Release::v0_5_16) || !r.get(f::elastic_ep_rejoin)) return;
  const std::optional<std::string_view> mode = r.get(f::ep_join_mode);
  if (!mode) {
    r.warn("--elastic-ep-rejoin is deprecated, use --elastic-ep-join-mode recover instead.");
    r.set(f::ep_join_mode, "recover", "--elastic-ep-rejoin means it.");
  } else if (*mode != "recover") {
    r.reject(kRejoinConflict, {*mode}, {{{unset(f::elastic_ep_rejoin)}, ""}, no_join(r)[0]});
  }
}

}  // namespace

bool elastic_ep_can_grow(const Resolution& r) {
  return r.since(Release::v0_5_16) && elastic(r) &&
         r.get(f::max_ep_size).value_or(INT64_MIN) > r.get(f::tp_size);
}

void elastic_ep(Resolution& r) {
  settle_join_mode(r);
  if (elastic(r)) {
    if (r.get(f::enable_eplb) && r.get(f::eplb_algorithm) == "auto")
      r.set(f::eplb_algorithm, "elasticity_aware", "Experts must be placed around a missing rank.");
    if (!all_hold(r, kBackendChecks)) return;
    if (r.get(f::elastic_ep_backend) == "mooncake") validate_ib_devices(r, f::mooncake_ib_device);
  }
  if (!all_hold(r, kJoinChecks)) return;
  if (elastic_ep_can_grow(r)) elastic_ep_scale(r);
}

RuleList elastic_ep_rules() {
  RuleList rules = {&kRejoinConflict};
  append_rules(rules, kBackendChecks);
  append_rules(rules, kJoinChecks);
  return rules;
}

}  // namespace sglint
