// One pool of memory for KV cache and recurrent states: ServerArgs._handle_unified_memory_pool.

#include <algorithm>

#include "base/text.h"
#include "rules/attention.h"
#include "rules/cuda_graph.h"
#include "rules/memory_layout.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kHandler = "server_args.py: ServerArgs._handle_unified_memory_pool";
constexpr ReleaseRange kBefore0518{Release::v0_5_15_post1, Release::v0_5_17};
constexpr ReleaseRange kSince0518{Release::v0_5_18, Release::v0_5_18};
// Every launch with the pool needs Triton attention (or MLA) to get as far as these checks.
#define SGLINT_UNIFIED                                                                         \
  "--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-unified-memory --attention-backend " \
  "triton"

constexpr Rule kNotUnderPd{
    .id = "unified-memory/not-under-pd-disaggregation",
    .exception = "AssertionError",
    .message = "--enable-unified-memory is not yet compatible with PD disaggregation.",
    .why =
        "In this release the pool cannot be sent from a prefill to a decode server; 0.5.18 can, "
        "over Mooncake.",
    .source = kHandler,
    .bad = {SGLINT_UNIFIED " --disaggregation-mode prefill", "h100", "0.5.17"},
    .good = {SGLINT_UNIFIED, "h100", "0.5.17"},
    .releases = kBefore0518,
};

constexpr Rule kNoSpeculation{
    .id = "unified-memory/no-speculation",
    .exception = "AssertionError",
    .message = "--enable-unified-memory is not yet compatible with speculative decoding.",
    .why = "In this release the pool has no room for draft tokens; 0.5.18 has, for DSPARK.",
    .source = kHandler,
    .bad = {SGLINT_UNIFIED " --speculative-algorithm NEXTN", "h100", "0.5.17"},
    .good = {SGLINT_UNIFIED, "h100", "0.5.17"},
    .releases = kBefore0518,
};

constexpr Rule kPdNeedsMooncake{
    .id = "unified-memory/pd-needs-mooncake",
    .exception = "AssertionError",
    .message =
        "--enable-unified-memory with PD disaggregation supports only the mooncake transfer "
        "backend; got {}.",
    .why =
        "The pool is sent page by page, all layers together, which is written for Mooncake only.",
    .source = kHandler,
    .bad = {SGLINT_UNIFIED " --disaggregation-mode prefill --disaggregation-transfer-backend nixl"},
    .good = {SGLINT_UNIFIED
             " --disaggregation-mode prefill --disaggregation-transfer-backend mooncake"},
    .releases = kSince0518,
};

constexpr Rule kPdWithoutPipeline{
    .id = "unified-memory/pd-without-pipeline-parallelism",
    .exception = "AssertionError",
    .message =
        "--enable-unified-memory with PD disaggregation does not support pipeline parallelism "
        "(whole-envelope transfer has no per-layer entries to subset).",
    .why = "A pipeline stage holds some of the layers only, but a page of the pool is sent whole.",
    .source = kHandler,
    .bad = {SGLINT_UNIFIED " --disaggregation-mode prefill --pp-size 2"},
    .good = {SGLINT_UNIFIED " --disaggregation-mode prefill"},
    .releases = kSince0518,
};

constexpr Rule kPdNeedsLazyCompaction{
    .id = "unified-memory/pd-needs-lazy-compaction",
    .exception = "AssertionError",
    .message =
        "--enable-unified-memory with PD disaggregation requires lazy compaction; unset "
        "SGLANG_DISABLE_LAZY_COMPACTION.",
    .why = "Eager compaction moves pages while they are being sent.",
    .source = kHandler,
    // An environment variable triggers it, which an example command cannot carry.
    .releases = kSince0518,
};

constexpr Rule kPdWithoutHisparse{
    .id = "unified-memory/pd-without-hisparse",
    .exception = "AssertionError",
    .message =
        "--enable-unified-memory with PD disaggregation is not compatible with --enable-hisparse: "
        "the decode-side HiSparse prealloc path ships host/C4 rows straight from the allocator, "
        "bypassing the virtual->physical translation the unified pool needs.",
    .why =
        "HiSparse fills the decode server's memory by addresses that mean something else in the "
        "pool.",
    .source = kHandler,
    // HiSparse and unified memory are for different models: other rules speak first.
    .releases = kSince0518,
};

constexpr Rule kOnlyDspark{
    .id = "unified-memory/only-dspark-speculation",
    .exception = "AssertionError",
    .message =
        "--enable-unified-memory only supports --speculative-algorithm DSPARK (chain draft); other "
        "speculative algorithms are not yet audited for the unified pool's virtual/dense loc "
        "translation. Got --speculative-algorithm={}.",
    .why =
        "The pool's addresses are translated in DSPARK's verify kernels only. The name in the "
        "message is the one that SGLang made of yours: NEXTN reads EAGLE here.",
    .source = kHandler,
    .bad = {SGLINT_UNIFIED " --speculative-algorithm NEXTN"},
    .good = {SGLINT_UNIFIED},
    .releases = kSince0518,
};

constexpr Rule kDsparkChain{
    .id = "unified-memory/dspark-needs-draft-chain",
    .exception = "AssertionError",
    .message =
        "--enable-unified-memory + DSPARK supports a linear draft chain only "
        "(--speculative-eagle-topk in {{None, 1}}); tree verify is not audited for the unified "
        "pool. Got --speculative-eagle-topk={}.",
    .why =
        "With top-k above 1 the drafts form a tree, whose verify does not translate the pool's "
        "addresses.",
    .source = kHandler,
    // DSPARK sets top-k itself or refuses it before.
    .releases = kSince0518,
};

constexpr Rule kDsparkBackends{
    .id = "unified-memory/dspark-attention-backend",
    .exception = "AssertionError",
    .message =
        "--enable-unified-memory + DSPARK requires spec-verify-audited attention backends {} for "
        "both prefill and decode; got {}. flashinfer / fa3 do not translate speculative verify "
        "indices to the unified pool's dense space yet.",
    .why =
        "Verify runs on the prefill or on the decode backend, so both must be one of these: "
        "SGLang's default for MLA on Hopper (fa3) and on B200 (flashinfer) is not.",
    .source = kHandler,
    // Needs a DSPARK draft model, which the catalogue does not have.
    .releases = kSince0518,
};

constexpr Rule kNoHostTier{
    .id = "unified-memory/no-hierarchical-cache",
    .exception = "AssertionError",
    .message =
        "--enable-unified-memory is not yet compatible with hierarchical / host-tiered KV cache "
        "(--enable-hierarchical-cache / --enable-lmcache): the unified-memory-pool init wires up "
        "no host pools, and its device mamba / full-attention slots are VIRTUAL — the host-offload "
        "path does not translate them to physical.",
    .why =
        "A second level in host memory copies pages by their address, which in the pool is not "
        "where they lie.",
    .source = kHandler,
    .bad = {SGLINT_UNIFIED " --enable-hierarchical-cache"},
    .good = {SGLINT_UNIFIED},
};

constexpr Rule kNoDcp{
    .id = "unified-memory/no-decode-context-parallelism",
    .exception = "AssertionError",
    .message =
        "--enable-unified-memory is not yet compatible with decode context parallelism (--dcp-size "
        "> 1): the pool has no DCP-aware masked write path (UnifiedMHATokenToKVPool.set_kv_buffer "
        "asserts dcp_kv_mask is None), so a DCP run would boot and then fail on the first KV "
        "write.",
    .why =
        "Each GPU would have to keep its own part of every request, which the pool cannot write.",
    .source = kHandler,
    // --dcp-size asks much of model and backend first; no short command gets here.
};

constexpr Rule kNoPiecewisePrefill{
    .id = "unified-memory/no-piecewise-prefill-graph",
    .exception = "ValueError",
    .message =
        "--enable-unified-memory supports monolithic (decode) cuda-graph capture only; disable "
        "piecewise prefill capture (e.g. --cuda-graph-backend-prefill=disabled).",
    .why =
        "The prefill graph that is compiled piece by piece does not translate the pool's "
        "addresses. Decode graphs are not affected.",
    .source = kHandler,
    .bad = {SGLINT_UNIFIED " --cuda-graph-backend-prefill tc_piecewise"},
    .good = {SGLINT_UNIFIED " --cuda-graph-backend-prefill disabled"},
};

#undef SGLINT_UNIFIED

Fix no_pool() {
  return {{unset(f::enable_unified_memory)}, "KV cache and states in pools of fixed size"};
}

void under_pd_disaggregation(Resolution& r) {
  if (r.get(f::disaggregation_transfer_backend) != "mooncake")
    return r.reject(
        kPdNeedsMooncake, {repr(r.value(f::disaggregation_transfer_backend))},
        {{{set(f::disaggregation_transfer_backend, "mooncake")}, "the peers must use Mooncake too"},
         no_pool()},
        {f::disaggregation_mode.id});
  if (r.get(f::pp_size) != 1)
    return r.reject(kPdWithoutPipeline, {},
                    {no_pool(), {{unset(f::pp_size)}, "needs the model to fit without stages"}});
  if (r.env().flag("SGLANG_DISABLE_LAZY_COMPACTION"))
    return r.reject(kPdNeedsLazyCompaction, {},
                    {{{unset_env("SGLANG_DISABLE_LAZY_COMPACTION")}, ""}, no_pool()});
  if (r.get(f::enable_hisparse))
    r.reject(kPdWithoutHisparse, {}, {no_pool(), {{unset(f::enable_hisparse)}, ""}});
}

void with_dspark(Resolution& r) {
  const auto topk = r.get(f::speculative_eagle_topk);
  if (topk && *topk != 1)
    return r.reject(
        kDsparkChain, {*topk},
        {{{set(f::speculative_eagle_topk, "1")}, "one draft chain instead of a tree"}, no_pool()});
  const std::vector<std::string_view> allowed{"cutedsl_mla", "tokenspeed_mla", "triton",
                                              "trtllm_mla"};
  const std::vector<std::string_view> used = backend_set(resolved_attention_backends(r));
  if (!std::includes(allowed.begin(), allowed.end(), used.begin(), used.end()))
    r.reject(kDsparkBackends, {python_list(allowed), python_list(used)},
             {{{set(f::attention_backend, "triton")}, "attention runs on Triton"}, no_pool()});
}

}  // namespace

void unified_memory_pool(Resolution& r) {
  if (!r.get(f::enable_unified_memory)) return;
  const bool pd = r.get(f::disaggregation_mode) != "null";
  const auto algorithm = r.get(f::speculative_algorithm);
  const Fix no_drafts{{unset(f::speculative_algorithm)}, "one token a step"};
  if (r.since(Release::v0_5_18)) {
    if (pd) under_pd_disaggregation(r);
    if (algorithm && *algorithm != "DSPARK")
      return r.reject(kOnlyDspark, {repr(*algorithm)}, {no_pool(), no_drafts});
    if (algorithm) with_dspark(r);
  } else {
    if (pd) return r.reject(kNotUnderPd, {}, {no_pool()}, {f::disaggregation_mode.id});
    if (algorithm) return r.reject(kNoSpeculation, {}, {no_pool(), no_drafts});
  }
  if (r.get(f::enable_hierarchical_cache) || r.get(f::enable_lmcache)) {
    Fix no_tier{{}, "no second-level cache in host memory"};
    if (r.get(f::enable_hierarchical_cache))
      no_tier.edits.push_back(unset(f::enable_hierarchical_cache));
    if (r.get(f::enable_lmcache)) no_tier.edits.push_back(unset(f::enable_lmcache));
    return r.reject(kNoHostTier, {}, {no_pool(), no_tier});
  }
  if (r.get(f::dcp_size) != 1)
    return r.reject(
        kNoDcp, {},
        {no_pool(), {{unset(f::dcp_size)}, "each GPU keeps the KV cache of whole requests"}});
  if (!r.value(f::cuda_graph_config).is_none() && graph_backend(r, "prefill") == "tc_piecewise")
    r.reject(kNoPiecewisePrefill, {},
             {{{set(f::cuda_graph_backend_prefill, "disabled")},
               "prefill launches its kernels one by one"},
              no_pool()});
}

RuleList unified_memory_rules() {
  return {&kNotUnderPd,
          &kNoSpeculation,
          &kPdNeedsMooncake,
          &kPdWithoutPipeline,
          &kPdNeedsLazyCompaction,
          &kPdWithoutHisparse,
          &kOnlyDspark,
          &kDsparkChain,
          &kDsparkBackends,
          &kNoHostTier,
          &kNoDcp,
          &kNoPiecewisePrefill};
}

}  // namespace sglint
