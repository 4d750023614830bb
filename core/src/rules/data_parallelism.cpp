// ServerArgs._handle_data_parallelism.
#include "base/arithmetic.h"
#include "rules/cuda_graph.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "server_args.py: ServerArgs._handle_data_parallelism";
constexpr std::string_view kHeadSource = "arg_groups/overrides.py: _dp_lm_head_validation";
constexpr ReleaseRange kWithAllToAllHead{Release::v0_5_18, Release::v0_5_18};

constexpr Rule kSizesDoNotDivide{
    .id = "data-parallelism/tp-size-not-a-multiple",
    .exception = "AssertionError",
    .message = "",
    .why =
        "With --enable-dp-attention the tensor-parallel GPUs are shared out among the "
        "data-parallel ranks, so --tp-size must be a multiple of --dp-size. SGLang stops here "
        "without a message.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 3 --enable-dp-attention"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 4 --enable-dp-attention"},
};

constexpr Rule kSizeZero{
    .id = "data-parallelism/size-zero",
    .exception = "ZeroDivisionError",
    .message = "integer modulo by zero",
    .why = "--dp-size 0 means nothing; leave it out for one rank.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --dp-size 0 --enable-dp-attention"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};

constexpr Rule kDpHeadNeedsDpAttention{
    .id = "data-parallelism/dp-lm-head-needs-dp-attention",
    .exception = "AssertionError",
    .message = "Please enable dp attention when setting enable_dp_lm_head. ",
    .why =
        "The LM head can only be replicated per data-parallel rank where attention has such ranks.",
    .source = kHeadSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 2 --enable-dp-lm-head"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 2 --enable-dp-attention "
             "--enable-dp-lm-head"},
};

constexpr Rule kAllToAllNeedsDpAttention{
    .id = "data-parallelism/lm-head-all-to-all-needs-dp-attention",
    .exception = "AssertionError",
    .message = "Please enable dp attention when setting enable_tp_lm_head_all_to_all.",
    .why = "The all-to-all exchanges hidden states between data-parallel attention ranks.",
    .source = kHeadSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-tp-lm-head-all-to-all"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2 --dp-size 2 --enable-dp-attention "
             "--enable-tp-lm-head-all-to-all"},
    .releases = kWithAllToAllHead,
};

constexpr Rule kAllToAllWithoutDpHead{
    .id = "data-parallelism/two-lm-head-layouts",
    .exception = "AssertionError",
    .message =
        "--enable-tp-lm-head-all-to-all uses a TP-sharded LM head and is incompatible with "
        "--enable-dp-lm-head.",
    .why =
        "One flag shards the LM head over all GPUs, the other replicates it per data-parallel "
        "rank.",
    .source = kHeadSource,
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size 2 --dp-size 2 --enable-dp-attention "
            "--enable-tp-lm-head-all-to-all --enable-dp-lm-head"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2 --dp-size 2 --enable-dp-attention "
             "--enable-tp-lm-head-all-to-all"},
    .releases = kWithAllToAllHead,
};

constexpr Rule kAllToAllNeedsPureDp{
    .id = "data-parallelism/lm-head-all-to-all-needs-pure-dp",
    .exception = "AssertionError",
    .message =
        "--enable-tp-lm-head-all-to-all currently requires tp_size == dp_size, got tp_size={}, "
        "dp_size={}.",
    .why = "Each GPU must be a data-parallel rank of its own.",
    .source = kHeadSource,
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size 4 --dp-size 2 --enable-dp-attention "
            "--enable-tp-lm-head-all-to-all"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 4 --dp-size 4 --enable-dp-attention "
             "--enable-tp-lm-head-all-to-all"},
    .releases = kWithAllToAllHead,
};

constexpr Rule kAllToAllWithoutCp{
    .id = "data-parallelism/lm-head-all-to-all-without-context-parallel",
    .exception = "AssertionError",
    .message = "--enable-tp-lm-head-all-to-all currently requires attn_cp_size == 1, got {}.",
    .why = "Context-parallel ranks share requests, which the exchange does not know of.",
    .source = kHeadSource,
    // tp_size == dp_size leaves no room for attn_cp_size > 1, which an earlier step refuses.
    .releases = kWithAllToAllHead,
};

void explain_dp_encoder(Resolution& r) {
  if (!r.since(Release::v0_5_17) || !r.get(f::mm_enable_dp_encoder)) return;
  if (r.get(f::tp_size) == 1) {
    r.warn(
        "--mm-enable-dp-encoder is enabled with TP=1, so the encoder has no data-parallel work to "
        "distribute. Disable it unless you need to validate this configuration.");
  } else {
    r.info(
        "--mm-enable-dp-encoder is enabled across TP={}. It replicates the vision encoder and "
        "distributes image work across ranks; this is most useful when high-resolution or "
        "multi-image ViT prefill is a material part of TTFT. Measure against the default for "
        "small-image workloads because replication and aggregation can increase memory use and "
        "overhead.",
        {r.get(f::tp_size)});
  }
}

// Captured prefill graphs must not be larger than the chunk of one rank.
void clamp_prefill_graphs(Resolution& r, int64_t chunk) {
  const Value& max_bs = graph_setting(r, "prefill", "max_bs");
  if (graph_disabled(r, "prefill") || max_bs.is_none() || max_bs.as_int() <= chunk ||
      graph_locked(r, "prefill", "max_bs"))
    return;
  const char* why = "A prefill graph never needs more tokens than one data-parallel rank's chunk.";
  set_graph_setting(r, "prefill", "max_bs", chunk, why);
  if (!graph_locked(r, "prefill", "bs"))
    set_graph_setting(r, "prefill", "bs", prefill_graph_batch_sizes(chunk), why);
}

void share_out_attention(Resolution& r) {
  const int64_t dp = r.get(f::dp_size);
  r.set(f::schedule_conservativeness, r.get(f::schedule_conservativeness) * 0.3,
        "Data-parallel attention ranks fill unevenly, so SGLang schedules less conservatively.");
  const Fix no_dp{{unset(f::enable_dp_attention)},
                  "attention is tensor-parallel: more KV cache per request"};
  if (dp == 0) return r.reject(kSizeZero, {}, {{{unset(f::dp_size)}, ""}});
  if (floor_mod(r.get(f::tp_size), dp) != 0)
    return r.reject(
        kSizesDoNotDivide, {},
        {{{set(f::dp_size, std::to_string(r.get(f::tp_size)))}, "one attention rank per GPU"},
         no_dp},
        {f::tp_size.id});
  const int64_t before = r.get(f::chunked_prefill_size).value_or(0);
  const int64_t chunk = floor_div(before, dp);
  r.set(f::chunked_prefill_size, chunk,
        "The chunk is shared out among the data-parallel ranks, so that MoE layers see the same "
        "number of tokens.");
  if (!r.since(Release::v0_5_16)) {
    r.warn(
        "DP attention is enabled. The chunked prefill size is adjusted to {} to avoid MoE kernel "
        "issues. ",
        {chunk});
    return;
  }
  r.warn("DP attention is enabled. chunked prefill size is adjusted from {} to {}.",
         {before, chunk});
  clamp_prefill_graphs(r, chunk);
}

// _tp_lm_head_all_to_all_default.
void default_lm_head_all_to_all(Resolution& r) {
  if (!r.since(Release::v0_5_18) || !r.view_value(f::enable_tp_lm_head_all_to_all).is_none())
    return;
  const bool pure_dp_decode = r.view(f::disaggregation_mode) == "decode" &&
                              r.view(f::enable_dp_attention) && r.view(f::dp_size) > 1 &&
                              r.view(f::tp_size) == r.view(f::dp_size) &&
                              r.view(f::attn_cp_size) == 1 && !r.view(f::enable_dp_lm_head);
  r.declare(f::enable_tp_lm_head_all_to_all, pure_dp_decode,
            "On by default only for a decode server whose GPUs are all data-parallel ranks.");
}

void check_lm_head(Resolution& r) {
  const bool dp_attention = r.view(f::enable_dp_attention);
  const Fix no_dp_head{{unset(f::enable_dp_lm_head)}, "the LM head is sharded over all GPUs"};
  if (r.view(f::enable_dp_lm_head) && !dp_attention)
    return r.reject(
        kDpHeadNeedsDpAttention, {},
        {no_dp_head,
         {{set(f::enable_dp_attention)}, "attention is replicated per rank: more memory"}});
  if (!r.since(Release::v0_5_18) || !r.view(f::enable_tp_lm_head_all_to_all).value_or(false))
    return;
  const Fix no_exchange{{unset(f::enable_tp_lm_head_all_to_all)},
                        "logits are gathered the usual way"};
  if (!dp_attention)
    return r.reject(kAllToAllNeedsDpAttention, {}, {no_exchange}, {f::enable_dp_attention.id});
  if (r.view(f::enable_dp_lm_head))
    return r.reject(kAllToAllWithoutDpHead, {}, {no_exchange, no_dp_head});
  if (r.view(f::tp_size) != r.view(f::dp_size))
    return r.reject(kAllToAllNeedsPureDp, {r.view(f::tp_size), r.view(f::dp_size)}, {no_exchange},
                    {f::tp_size.id, f::dp_size.id});
  if (r.view(f::attn_cp_size) != 1)
    return r.reject(kAllToAllWithoutCp, {r.view(f::attn_cp_size)}, {no_exchange},
                    {f::attn_cp_size.id});
}

}  // namespace

void data_parallelism(Resolution& r) {
  if (r.view(f::dp_size) == 1 &&
      (!r.since(Release::v0_5_16) || r.view(f::ep_join_mode) != "scale")) {
    const char* why = "One data-parallel rank has nothing to share out.";
    r.declare(f::enable_dp_attention, false, why);
    r.declare(f::enable_dp_lm_head, false, why);
  }
  explain_dp_encoder(r);
  if (r.view(f::enable_dp_attention)) share_out_attention(r);
  default_lm_head_all_to_all(r);
  check_lm_head(r);
}

RuleList data_parallelism_rules() {
  return {&kSizesDoNotDivide,       &kSizeZero,
          &kDpHeadNeedsDpAttention, &kAllToAllNeedsDpAttention,
          &kAllToAllWithoutDpHead,  &kAllToAllNeedsPureDp,
          &kAllToAllWithoutCp};
}

}  // namespace sglint
