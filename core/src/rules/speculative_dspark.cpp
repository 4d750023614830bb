// _handle_dspark (arg_groups/speculative_hook.py), 0.5.16 on.
#include "rules/draft_model.h"
#include "rules/speculative.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "arg_groups/speculative_hook.py: _handle_dspark";
constexpr ReleaseRange kWithDSpark{Release::v0_5_16, Release::v0_5_18};

constexpr Rule kDevice{
    .id = "speculative/dspark-device",
    .exception = "ValueError",
    .message = "DSpark speculative decoding only supports CUDA or NPU device.",
    .why =
        "DSpark's draft and ragged-verify kernels exist for GPUs (NVIDIA, and AMD, which SGLang "
        "calls cuda too) and Ascend NPUs.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DSPARK "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B",
            "cpu"},
    .good = {"--model-path Qwen/Qwen3-8B", "cpu"},
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

constexpr Rule kDeviceOld{
    .id = "speculative/dspark-needs-cuda",
    .exception = "ValueError",
    .message = "DSpark speculative decoding only supports CUDA device.",
    .why = "Before 0.5.18 DSpark's kernels exist for GPUs only.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DSPARK "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B",
            "cpu", "0.5.17"},
    .good = {"--model-path Qwen/Qwen3-8B", "cpu", "0.5.17"},
    .releases = {Release::v0_5_16, Release::v0_5_17},
};

constexpr Rule kDpNeedsLmHead{
    .id = "speculative/dspark-dp-attention-needs-dp-lm-head",
    .exception = "ValueError",
    .message = "DSpark with dp attention requires --enable-dp-lm-head.",
    .why =
        "Each data-parallel rank drafts and verifies on its own, so each needs the whole LM head.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size 2 --dp-size 2 --enable-dp-attention "
            "--speculative-algorithm DSPARK --speculative-draft-model-path Qwen/Qwen3-0.6B"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2 --dp-size 2 --enable-dp-attention "
             "--enable-dp-lm-head --speculative-algorithm DSPARK --speculative-draft-model-path "
             "Qwen/Qwen3-0.6B"},
    .releases = kWithDSpark,
};

constexpr Rule kDpA2a{
    .id = "speculative/dspark-dp-attention-a2a-backend",
    .exception = "ValueError",
    .message =
        "DSpark with dp attention supports moe_a2a_backend 'none' (built-in TP MoE) or 'megamoe', "
        "got {}.",
    .why =
        "Ragged verify batches of the ranks differ in length; other all-to-all dispatchers cannot "
        "take that.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --dp-size 2 --enable-dp-attention "
            "--enable-dp-lm-head --moe-a2a-backend deepep --speculative-algorithm DSPARK "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --dp-size 2 --enable-dp-attention "
             "--enable-dp-lm-head --speculative-algorithm DSPARK --speculative-draft-model-path "
             "Qwen/Qwen3-0.6B"},
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

constexpr Rule kDpA2aOld{
    .id = "speculative/dspark-dp-attention-needs-tp-moe",
    .exception = "ValueError",
    .message =
        "DSpark with dp attention only supports the built-in TP MoE (moe_a2a_backend='none'), got "
        "{}.",
    .why = "Before 0.5.18 no all-to-all dispatcher can take DSpark's verify batches.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --dp-size 2 --enable-dp-attention "
            "--enable-dp-lm-head --moe-a2a-backend deepep --speculative-algorithm DSPARK "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B",
            "h100", "0.5.17"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --dp-size 2 --enable-dp-attention "
             "--enable-dp-lm-head --speculative-algorithm DSPARK --speculative-draft-model-path "
             "Qwen/Qwen3-0.6B",
             "h100", "0.5.17"},
    .releases = {Release::v0_5_16, Release::v0_5_17},
};

constexpr Rule kDpA2aStatic{
    .id = "speculative/dspark-megamoe-needs-static-verify",
    .exception = "ValueError",
    .message =
        "DSpark with dp attention + moe_a2a_backend={} requires SGLANG_RAGGED_VERIFY_MODE=static.",
    .why =
        "The megamoe dispatcher needs verify batches of one length, which only the static mode "
        "gives.",
    .source = kSource,
    .bad = {"SGLANG_RAGGED_VERIFY_MODE=compact sglang serve --model-path deepseek-ai/DeepSeek-V3 "
            "--tp-size 8 --dp-size 8 --enable-dp-attention --enable-dp-lm-head --moe-a2a-backend "
            "megamoe --speculative-algorithm DSPARK --speculative-draft-model-path Qwen/Qwen3-0.6B",
            "b200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 8 --enable-dp-attention "
             "--enable-dp-lm-head --moe-a2a-backend megamoe --speculative-algorithm DSPARK "
             "--speculative-draft-model-path Qwen/Qwen3-0.6B",
             "b200"},
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

constexpr Rule kDpContextParallel{
    .id = "speculative/dspark-dp-attention-without-context-parallel",
    .exception = "ValueError",
    .message = "DSpark with dp attention does not support context parallel (attn_cp_size={}).",
    .why = "Context-parallel ranks would each hold only a part of the verify batch.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --dp-size 2 --attn-cp-size 2 "
            "--enable-dp-attention --enable-dp-lm-head --speculative-algorithm DSPARK "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --dp-size 2 --enable-dp-attention "
             "--enable-dp-lm-head --speculative-algorithm DSPARK --speculative-draft-model-path "
             "Qwen/Qwen3-0.6B"},
    .releases = kWithDSpark,
};

constexpr Rule kDpDraftA2a{
    .id = "speculative/dspark-draft-a2a-backend-differs",
    .exception = "ValueError",
    .message =
        "DSpark ignores --speculative-moe-a2a-backend; with dp attention it must match the target "
        "moe_a2a_backend={} (got {}).",
    .why = "DSpark's draft layers run in the target's MoE groups.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --dp-size 2 --enable-dp-attention "
            "--enable-dp-lm-head --speculative-moe-a2a-backend deepep --speculative-algorithm "
            "DSPARK --speculative-draft-model-path Qwen/Qwen3-0.6B"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --dp-size 2 --enable-dp-attention "
             "--enable-dp-lm-head --speculative-algorithm DSPARK --speculative-draft-model-path "
             "Qwen/Qwen3-0.6B"},
    .releases = kWithDSpark,
};

constexpr Rule kPipeline{
    .id = "speculative/dspark-without-pipeline",
    .exception = "ValueError",
    .message = "Currently DSpark speculative decoding only supports pp_size == 1.",
    .why =
        "The drafter reads hidden states of several target layers, which pipeline stages would "
        "keep apart.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --pp-size 2 --speculative-algorithm DSPARK "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2 --speculative-algorithm DSPARK "
             "--speculative-draft-model-path Qwen/Qwen3-0.6B"},
    .releases = kWithDSpark,
};

constexpr Rule kDraftMissing{
    .id = "speculative/dspark-needs-draft",
    .exception = "ValueError",
    .message = "DSpark dense speculative decoding requires setting --speculative-draft-model-path.",
    .why =
        "Only checkpoints with dspark_* keys in their config.json bring their own draft; for any "
        "other target the draft model must be named.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DSPARK"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DSPARK "
             "--speculative-draft-model-path Qwen/Qwen3-0.6B"},
    .releases = kWithDSpark,
};

constexpr Rule kBlockSize{
    .id = "speculative/dspark-block-size-not-positive",
    .exception = "ValueError",
    .message = "DSpark requires --speculative-dspark-block-size to be positive, got {}.",
    .why =
        "The block size (gamma) is how many tokens are drafted at once. Without the flag it comes "
        "from the draft model.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DSPARK "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B "
            "--speculative-dspark-block-size 0"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DSPARK "
             "--speculative-draft-model-path Qwen/Qwen3-0.6B "
             "--speculative-dspark-block-size 7"},
    .releases = kWithDSpark,
};

constexpr Rule kDraftTokens{
    .id = "speculative/dspark-draft-tokens-differ",
    .exception = "ValueError",
    .message =
        "DSpark speculative_num_draft_tokens must equal gamma + 1 (= {} for gamma={}), but got "
        "speculative_num_draft_tokens={}.",
    .why =
        "DSpark verifies the drafted block and the token before it, so the number follows from the "
        "block size.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DSPARK "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B "
            "--speculative-dspark-block-size 4 --speculative-num-draft-tokens 7"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DSPARK "
             "--speculative-draft-model-path Qwen/Qwen3-0.6B "
             "--speculative-dspark-block-size 4 --speculative-num-draft-tokens 5"},
    .releases = kWithDSpark,
};

constexpr Rule kDraftTokensTooFew{
    .id = "speculative/dspark-draft-tokens-too-few",
    .exception = "ValueError",
    .message = "DSpark speculative_num_draft_tokens must be >= 2 (= gamma + 1), got {}.",
    .why = "A block has at least one drafted token, and one token before it.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DSPARK "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B "
            "--speculative-num-draft-tokens 1"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DSPARK "
             "--speculative-draft-model-path Qwen/Qwen3-0.6B "
             "--speculative-num-draft-tokens 2"},
    .releases = kWithDSpark,
};

void check_dp_attention(Resolution& r, bool npu) {
  const bool degenerate = r.since(Release::v0_5_18) && r.get(f::dp_size) <= 1;
  if (!r.get(f::enable_dp_attention) || degenerate) return;
  const std::string_view a2a = r.get(f::moe_a2a_backend);
  const Fix no_dp{{unset(f::enable_dp_attention)},
                  "attention is tensor-parallel: more KV cache per request"};
  const Fix no_a2a{{unset(f::moe_a2a_backend)}, "MoE layers run tensor-parallel"};
  if (!r.get(f::enable_dp_lm_head))
    return r.reject(
        kDpNeedsLmHead, {},
        {{{set(f::enable_dp_lm_head)}, "each rank holds the whole LM head: a little more memory"},
         no_dp});
  if (r.since(Release::v0_5_18)) {
    if (!npu && !one_of(a2a, {"none", "megamoe"}))
      return r.reject(kDpA2a, {repr(a2a)}, {no_a2a, no_dp});
    if (!npu && a2a != "none" && ragged_verify_mode(r) != "static")
      return r.reject(kDpA2aStatic, {repr(a2a)},
                      {{{set_env("SGLANG_RAGGED_VERIFY_MODE", "static")}, ""}, no_a2a});
  } else if (a2a != "none") {
    return r.reject(kDpA2aOld, {repr(a2a)}, {no_a2a, no_dp});
  }
  if (r.get(f::attn_cp_size) > 1)
    return r.reject(kDpContextParallel, {r.get(f::attn_cp_size)},
                    {{{unset(f::attn_cp_size)}, ""}, no_dp});
  const std::optional<std::string_view> draft_a2a = r.get(f::speculative_moe_a2a_backend);
  const bool npu_is_free = npu && r.since(Release::v0_5_18);
  if (!npu_is_free && draft_a2a && *draft_a2a != a2a)
    return r.reject(kDpDraftA2a, {repr(a2a), repr(*draft_a2a)},
                    {{{unset(f::speculative_moe_a2a_backend)}, ""}});
}

// The number of drafted tokens, if anything says it.
std::optional<int64_t> settle_gamma(Resolution& r) {
  if (const std::optional<int64_t> block = r.get(f::speculative_dspark_block_size)) {
    if (*block <= 0)
      r.reject(kBlockSize, {*block}, {{{unset(f::speculative_dspark_block_size)}, ""}});
    return block;
  }
  std::optional<int64_t> gamma;
  if (const std::optional<Value> config = draft_model_config(r, true)) {
    const DraftBlock block = dspark_gamma(*config, r.release());
    if (block.error.empty()) gamma = block.size;
    if (!block.error.empty())
      r.warn(
          "Failed to read DSpark gamma from draft model config; cannot cross-check "
          "--speculative-num-draft-tokens. Error: {}",
          {block.error});
  }
  if (!gamma && !r.get(f::speculative_num_draft_tokens)) {
    gamma = 7;
    r.warn("DSpark gamma is not set; defaulting to 7.");
  }
  return gamma;
}

void check_ragged_verify_flags(Resolution& r) {
  const std::string_view mode = ragged_verify_mode(r);
  if (r.get(f::speculative_dspark_align_verify_tokens_to_graph_tier) && mode != "compact")
    r.warn(
        "--speculative-dspark-align-verify-tokens-to-graph-tier only takes effect with "
        "SGLANG_RAGGED_VERIFY_MODE=compact (got {}); it will be a no-op.",
        {repr(mode)});
  if (!r.get(f::speculative_dspark_sps_table_path).value_or("").empty() && mode == "static")
    r.warn(
        "--speculative-dspark-sps-table-path feeds the ragged-verify budget scheduler, which is "
        "off under SGLANG_RAGGED_VERIFY_MODE=static; it will be a no-op.");
}

}  // namespace

void speculative_dspark(Resolution& r) {
  const std::string_view device = r.get(f::device).value_or("");
  const Fix none{{unset(f::speculative_algorithm)}, "no speculative decoding: slower decode"};
  const bool npu = starts_with(device, "npu");
  if (!starts_with(device, "cuda") && !(npu && r.since(Release::v0_5_18)))
    return r.reject(r.since(Release::v0_5_18) ? kDevice : kDeviceOld, {}, {none}, {f::device.id});
  check_dp_attention(r, npu);
  if (r.get(f::pp_size) != 1)
    return r.reject(kPipeline, {},
                    {{{unset(f::pp_size)}, "fewer GPUs, unless --tp-size is raised"}, none});
  if (!r.get(f::speculative_draft_model_path)) {
    const ModelConfig& model = r.model();
    if (r.stopped()) return;
    if (!bundles_dspark_draft(model.hf_config)) return r.reject(kDraftMissing, {}, {none});
    r.set(f::speculative_draft_model_path, r.value(f::model_path),
          "The checkpoint brings its DSpark draft along.");
    r.set(f::speculative_draft_model_revision, r.value(f::revision),
          "The draft is in the target's checkpoint.");
    r.info(
        "DSpark draft weights are bundled in the target checkpoint; defaulting "
        "--speculative-draft-model-path to --model-path ({}).",
        {r.get(f::model_path)});
  }
  force_single_chain(r, "DSpark");
  const std::optional<int64_t> gamma = settle_gamma(r);
  if (gamma) {
    const std::optional<int64_t> given = r.get(f::speculative_num_draft_tokens);
    if (given && *given != *gamma + 1)
      return r.reject(kDraftTokens, {*gamma + 1, *gamma, *given},
                      {{{unset(f::speculative_num_draft_tokens)}, ""}},
                      {f::speculative_dspark_block_size.id});
    r.set(f::speculative_num_draft_tokens, *gamma + 1,
          "DSpark verifies its block and the token before it.");
  }
  const int64_t tokens = r.get(f::speculative_num_draft_tokens).value_or(0);
  if (tokens < 2)
    return r.reject(kDraftTokensTooFew, {tokens}, {{{unset(f::speculative_num_draft_tokens)}, ""}});
  default_speculative_running_requests(r);
  disable_mixed_chunk_for(r, "dspark");
  check_ragged_verify_flags(r);
}

RuleList speculative_dspark_rules() {
  return {&kDevice,      &kDeviceOld,         &kDpNeedsLmHead,    &kDpA2a,    &kDpA2aOld,
          &kDpA2aStatic, &kDpContextParallel, &kDpDraftA2a,       &kPipeline, &kDraftMissing,
          &kBlockSize,   &kDraftTokens,       &kDraftTokensTooFew};
}

}  // namespace sglint
