// _handle_dflash and _resolve_dflash_draft_attention_backend (arg_groups/speculative_hook.py).
#include "rules/attention.h"
#include "rules/draft_model.h"
#include "rules/speculative.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "arg_groups/speculative_hook.py: _handle_dflash";

constexpr Rule kDevice{
    .id = "speculative/dflash-device",
    .exception = "ValueError",
    .message = "DFLASH speculative decoding only supports CUDA and NPU devices.",
    .why =
        "The block drafter's kernels exist for GPUs (NVIDIA, and AMD, which SGLang calls cuda too) "
        "and Ascend NPUs.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DFLASH "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B",
            "cpu"},
    .good = {"--model-path Qwen/Qwen3-8B", "cpu"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kDeviceOld{
    .id = "speculative/dflash-needs-cuda",
    .exception = "ValueError",
    .message = "DFLASH speculative decoding only supports CUDA device.",
    .why = "In 0.5.16 the block drafter's kernels exist for GPUs only; 0.5.17 adds Ascend NPUs.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DFLASH "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B",
            "cpu", "0.5.16"},
    .good = {"--model-path Qwen/Qwen3-8B", "cpu", "0.5.16"},
    .releases = {Release::v0_5_16, Release::v0_5_16},
};

constexpr Rule kDpAttention{
    .id = "speculative/dflash-without-dp-attention",
    .exception = "ValueError",
    .message = "Currently DFLASH speculative decoding does not support dp attention.",
    .why = "The block drafter keeps one compact KV cache for the whole tensor-parallel group.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size 2 --dp-size 2 --enable-dp-attention "
            "--speculative-algorithm DFLASH --speculative-draft-model-path Qwen/Qwen3-0.6B"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2 --speculative-algorithm DFLASH "
             "--speculative-draft-model-path Qwen/Qwen3-0.6B"},
};

constexpr Rule kPipeline{
    .id = "speculative/dflash-without-pipeline",
    .exception = "ValueError",
    .message = "Currently DFLASH speculative decoding only supports pp_size == 1.",
    .why =
        "The drafter reads hidden states of several target layers, which pipeline stages would "
        "keep apart.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --pp-size 2 --speculative-algorithm DFLASH "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2 --speculative-algorithm DFLASH "
             "--speculative-draft-model-path Qwen/Qwen3-0.6B"},
};

constexpr Rule kDraftMissing{
    .id = "speculative/dflash-needs-draft",
    .exception = "ValueError",
    .message = "DFLASH speculative decoding requires setting --speculative-draft-model-path.",
    .why =
        "DFLASH drafts with a model of its own, trained for the target; no target brings it along.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DFLASH"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DFLASH "
             "--speculative-draft-model-path Qwen/Qwen3-0.6B"},
};

constexpr Rule kBlockSize{
    .id = "speculative/dflash-block-size-not-positive",
    .exception = "ValueError",
    .message = "DFLASH requires --speculative-dflash-block-size to be positive, got {}.",
    .why =
        "The block size is how many tokens are drafted and verified at once. Without the flag it "
        "comes from the draft model.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DFLASH "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B "
            "--speculative-dflash-block-size 0"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DFLASH "
             "--speculative-draft-model-path Qwen/Qwen3-0.6B "
             "--speculative-dflash-block-size 8"},
};

constexpr Rule kBlockSizeDiffers{
    .id = "speculative/dflash-block-size-differs",
    .exception = "ValueError",
    .message =
        "Both --speculative-num-draft-tokens and --speculative-dflash-block-size are set but they "
        "differ. For DFLASH they must match. speculative_num_draft_tokens={}, "
        "speculative_dflash_block_size={}.",
    .why = "Both flags name the same number for DFLASH; give one.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DFLASH "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B "
            "--speculative-dflash-block-size 8 --speculative-num-draft-tokens 4"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DFLASH "
             "--speculative-draft-model-path Qwen/Qwen3-0.6B "
             "--speculative-dflash-block-size 8"},
};

constexpr Rule kWindowUnderBlock{
    .id = "speculative/dflash-window-under-block",
    .exception = "ValueError",
    .message =
        "--speculative-draft-window-size must be >= --speculative-num-draft-tokens (block_size). "
        "window_size={}, block_size={}.",
    .why = "A block drafted at once must fit into the window that its attention sees.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DFLASH "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B "
            "--speculative-draft-window-size 2"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm DFLASH "
             "--speculative-draft-model-path Qwen/Qwen3-0.6B "
             "--speculative-draft-window-size 64"},
};

bool settle_draft_tokens(Resolution& r) {
  const std::optional<int64_t> tokens = r.get(f::speculative_num_draft_tokens);
  if (const std::optional<int64_t> block = r.get(f::speculative_dflash_block_size)) {
    if (*block <= 0) {
      r.reject(kBlockSize, {*block}, {{{unset(f::speculative_dflash_block_size)}, ""}});
    } else if (tokens && *tokens != *block) {
      r.reject(kBlockSizeDiffers, {*tokens, *block},
               {{{unset(f::speculative_num_draft_tokens)}, ""}},
               {f::speculative_dflash_block_size.id});
    } else {
      r.set(f::speculative_num_draft_tokens, *block, "DFLASH verifies one block at once.");
    }
    return !r.stopped();
  }
  if (tokens) return true;
  std::optional<int64_t> inferred;
  if (const std::optional<Value> config = draft_model_config(r, true)) {
    const DraftBlock block = dflash_block_size(*config, r.release());
    inferred = block.size;
    if (!block.error.empty()) {
      inferred.reset();
      r.warn(
          "Failed to infer DFLASH block_size from draft model config; defaulting "
          "speculative_num_draft_tokens to 16. Error: {}",
          {block.error});
    }
  }
  if (!inferred) {
    inferred = 16;
    r.warn("speculative_num_draft_tokens is not set; defaulting to 16 for DFLASH.");
  }
  r.set(f::speculative_num_draft_tokens, *inferred,
        "The draft model's block size, 16 if its config.json has none.");
  return true;
}

// Whether every draft layer may run on the trtllm_mha kernels (0.5.17 on); warns if not.
bool draft_fits_trtllm_mha(Resolution& r, std::string_view fallback) {
  const std::optional<Value> config = draft_model_config(r, true);
  if (!config) return false;
  const Value& text = (*config)["text_config"].is_dict() ? (*config)["text_config"] : *config;
  const Value& types = text.has("layer_types") ? text["layer_types"] : (*config)["layer_types"];
  bool sliding = types.is_list() && !types.as_list().empty() &&
                 Value(types.as_list().size()) == text["num_hidden_layers"];
  for (const Value& t : types.as_list()) sliding = sliding && t.as_str() == "sliding_attention";
  if (sliding || (text["is_causal"].is_bool() && text["is_causal"].truthy())) return true;
  r.warn(
      "DFLASH only enables 'trtllm_mha' when all layers use sliding attention or the draft is "
      "explicitly causal; got layer_types={}, is_causal={}. Falling back to '{}'.",
      {repr(types), repr(text["is_causal"]), fallback});
  return false;
}

void choose_draft_attention_backend(Resolution& r) {
  const std::string_view fallback = is_hip(r.machine()) ? "triton" : "flashinfer";
  std::optional<std::string_view> backend = r.get(f::speculative_draft_attention_backend);
  if (!backend) backend = resolved_attention_backends(r).prefill;
  const bool trtllm = r.since(Release::v0_5_17);
  if (!backend) {
    backend = fallback;
  } else if (*backend == "trtllm_mha") {
    if (!trtllm)
      r.warn(
          "DFLASH draft worker does not support 'trtllm_mha' because the draft path requires "
          "per-layer DFlash attention. Falling back to '{}'.",
          {fallback});
    if (!trtllm || !draft_fits_trtllm_mha(r, fallback)) backend = fallback;
  } else if (!one_of(*backend, {"flashinfer", "fa3", "fa4", "triton", "ascend"})) {
    r.warn(
        "DFLASH draft worker only supports attention_backend in {} for now, but got {}. Falling "
        "back to '{}'.",
        {trtllm ? "('flashinfer', 'fa3', 'fa4', 'triton', 'trtllm_mha', 'ascend')"
                : "('flashinfer', 'fa3', 'fa4', 'triton', 'ascend')",
         repr(*backend), fallback});
    backend = fallback;
  }
  r.set(f::speculative_draft_attention_backend, *backend,
        "The draft runs on the target's prefill attention backend where its kernels can draft "
        "blocks.");
}

}  // namespace

void speculative_dflash(Resolution& r) {
  const std::string_view device = r.get(f::device).value_or("");
  const Fix none{{unset(f::speculative_algorithm)}, "no speculative decoding: slower decode"};
  const bool device_ok = starts_with(device, "cuda") ||
                         (r.since(Release::v0_5_17) && device == "npu") ||
                         !r.since(Release::v0_5_16);
  if (!device_ok)
    return r.reject(r.since(Release::v0_5_17) ? kDevice : kDeviceOld, {}, {none}, {f::device.id});
  if (r.view(f::enable_dp_attention))
    return r.reject(kDpAttention, {},
                    {{{unset(f::enable_dp_attention)},
                      "attention is tensor-parallel: more KV cache per request"},
                     none});
  if (r.get(f::pp_size) != 1)
    return r.reject(kPipeline, {},
                    {{{unset(f::pp_size)}, "fewer GPUs, unless --tp-size is raised"}, none});
  if (!r.get(f::speculative_draft_model_path)) return r.reject(kDraftMissing, {}, {none});
  force_single_chain(r, "DFLASH");
  if (!settle_draft_tokens(r)) return;
  const std::optional<int64_t> window = r.get(f::speculative_draft_window_size);
  const int64_t tokens = *r.get(f::speculative_num_draft_tokens);
  if (window && *window < tokens)
    return r.reject(
        kWindowUnderBlock, {*window, tokens},
        {{{set(f::speculative_draft_window_size, std::to_string(tokens))}, ""},
         {{unset(f::speculative_draft_window_size)}, "the draft keeps its whole KV cache"}});
  choose_draft_attention_backend(r);
  default_speculative_running_requests(r);
  disable_mixed_chunk_for(r, "dflash");
}

RuleList speculative_dflash_rules() {
  return {&kDevice,       &kDeviceOld, &kDpAttention,      &kPipeline,
          &kDraftMissing, &kBlockSize, &kBlockSizeDiffers, &kWindowUnderBlock};
}

}  // namespace sglint
