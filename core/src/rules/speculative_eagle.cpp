// _handle_eagle_family and _handle_frozen_kv_mtp (arg_groups/speculative_hook.py).
#include "rules/attention.h"
#include "rules/speculative.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "arg_groups/speculative_hook.py: _handle_eagle_family";

constexpr Rule kStandaloneDpAttention{
    .id = "speculative/standalone-without-dp-attention",
    .exception = "ValueError",
    .message = "Currently standalone speculative decoding does not support dp attention.",
    .why =
        "The stand-alone draft model runs in one tensor-parallel group and knows nothing of "
        "data-parallel ranks.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size 2 --dp-size 2 --enable-dp-attention "
            "--speculative-algorithm STANDALONE --speculative-draft-model-path Qwen/Qwen3-0.6B"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2 --speculative-algorithm STANDALONE "
             "--speculative-draft-model-path Qwen/Qwen3-0.6B"},
};

constexpr Rule kStepsMissing{
    .id = "speculative/steps-missing",
    .exception = "AssertionError",
    .message = "",
    .why =
        "--speculative-eagle-topk and --speculative-num-draft-tokens only count together with "
        "--speculative-num-steps: give all three, or none and SGLang chooses. SGLang stops here "
        "without a message.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE --speculative-eagle-topk 1"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE --speculative-eagle-topk 1 "
             "--speculative-num-steps 3"},
};

constexpr Rule kTrtllmMhaTopk{
    .id = "speculative/trtllm-mha-drafts-a-chain",
    .exception = "ValueError",
    .message = "trtllm_mha backend only supports topk = 1 for speculative decoding.",
    .why = "The TensorRT-LLM MHA kernels verify a chain of draft tokens, not a tree.",
    .source = kSource,
    .bad =
        {"--model-path Qwen/Qwen3-8B --attention-backend trtllm_mha --speculative-algorithm EAGLE "
         "--speculative-num-steps 3 --speculative-eagle-topk 2 --speculative-num-draft-tokens 6",
         "b200"},
    .good =
        {"--model-path Qwen/Qwen3-8B --attention-backend trtllm_mha --speculative-algorithm EAGLE "
         "--speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4",
         "b200"},
};

constexpr Rule kTopkMissing{
    .id = "speculative/topk-missing",
    .exception = "TypeError",
    .message = "'>' not supported between instances of 'NoneType' and 'int'",
    .why =
        "With --speculative-num-steps given, SGLang does not choose --speculative-eagle-topk and "
        "then compares the missing number. The text does not say so: give --speculative-eagle-topk "
        "too, or leave out both.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE --speculative-num-steps 3"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE --speculative-num-steps 3 "
             "--speculative-eagle-topk 1"},
};

constexpr Rule kRejectionSamplingAlgorithm{
    .id = "speculative/rejection-sampling-needs-eagle",
    .exception = "NotImplementedError",
    .message =
        "--speculative-use-rejection-sampling is only supported for EAGLE / EAGLE3 / NEXTN, not "
        "speculative_algorithm={}.",
    .why =
        "The rejection-sampling kernel needs the draft's probabilities over the target's "
        "vocabulary, which only the EAGLE and EAGLE3 workers give.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm STANDALONE "
            "--speculative-draft-model-path Qwen/Qwen3-0.6B --speculative-use-rejection-sampling"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE "
             "--speculative-use-rejection-sampling"},
};

constexpr Rule kRejectionSamplingTopk{
    .id = "speculative/rejection-sampling-drafts-a-chain",
    .exception = "ValueError",
    .message = "--speculative-use-rejection-sampling requires --speculative-eagle-topk=1.",
    .why = "Rejection sampling exists for a chain of draft tokens only.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE --speculative-num-steps 3 "
            "--speculative-eagle-topk 2 --speculative-num-draft-tokens 6 "
            "--speculative-use-rejection-sampling"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE --speculative-num-steps 3 "
             "--speculative-eagle-topk 1 --speculative-num-draft-tokens 4 "
             "--speculative-use-rejection-sampling"},
};

constexpr Rule kRejectionSamplingThreshold{
    .id = "speculative/rejection-sampling-ignores-accept-thresholds",
    .exception = "ValueError",
    .message =
        "--speculative-use-rejection-sampling is incompatible with "
        "--speculative-accept-threshold-single / --speculative-accept-threshold-acc; rejection "
        "sampling ignores the accept thresholds.",
    .why =
        "Rejection sampling accepts by probability ratio, so that the output follows the target's "
        "distribution; thresholds would change that.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE "
            "--speculative-use-rejection-sampling --speculative-accept-threshold-single 0.9"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE "
             "--speculative-use-rejection-sampling"},
};

constexpr Rule kRejectionSamplingDeterministic{
    .id = "speculative/rejection-sampling-is-not-deterministic",
    .exception = "ValueError",
    .message =
        "--speculative-use-rejection-sampling is incompatible with "
        "--enable-deterministic-inference; the sampling kernel draws coins from the global RNG and "
        "is not batch-invariant.",
    .why = "The kernel's random numbers depend on what else is in the batch.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE "
            "--speculative-use-rejection-sampling --enable-deterministic-inference"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE "
             "--enable-deterministic-inference"},
};

constexpr Rule kRejectionSamplingMultiLayer{
    .id = "speculative/rejection-sampling-without-multi-layer-eagle",
    .exception = "NotImplementedError",
    .message =
        "--speculative-use-rejection-sampling is not supported with multi-layer EAGLE "
        "(--enable-multi-layer-eagle).",
    .why = "0.5.15 has no rejection sampling for the multi-layer EAGLE worker; 0.5.16 has.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE "
            "--speculative-use-rejection-sampling --enable-multi-layer-eagle",
            "h100", "0.5.15.post1"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE "
             "--speculative-use-rejection-sampling",
             "h100", "0.5.15.post1"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_15_post1},
};

constexpr Rule kTreeNeedsPagedBackend{
    .id = "speculative/tree-on-pages-needs-backend",
    .exception = "ValueError",
    .message =
        "speculative_eagle_topk > 1 with page_size > 1 is only supported on ('flashinfer', 'fa3', "
        "'triton'); got attention_backend={}. Use page_size == 1 or one of those backends.",
    .why =
        "Branches of a draft tree share the last page of the prefix. Only these attention backends "
        "can copy that page per branch; the others need a chain (topk 1) or pages of one token.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --attention-backend fa4 --page-size 128 "
            "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 2 "
            "--speculative-num-draft-tokens 6",
            "b200"},
    .good = {"--model-path Qwen/Qwen3-8B --attention-backend fa4 --page-size 128 "
             "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 1 "
             "--speculative-num-draft-tokens 4",
             "b200"},
};

// Models whose checkpoint carries its own multi-token-prediction layers.
constexpr std::string_view kBundlesDraft[] = {
    "DeepseekV32ForCausalLM",   "DeepseekV3ForCausalLM",           "DeepseekV4ForCausalLM",
    "Glm4MoeForCausalLM",       "Glm4MoeLiteForCausalLM",          "GlmMoeDsaForCausalLM",
    "BailingMoeForCausalLM",    "BailingMoeV2ForCausalLM",         "BailingMoeV2_5ForCausalLM",
    "MistralLarge3ForCausalLM", "PixtralForConditionalGeneration", "HYV3ForCausalLM",
};

void choose_draft_model(Resolution& r, std::string_view architecture) {
  bool bundled = false;
  for (std::string_view a : kBundlesDraft) bundled = bundled || a == architecture;
  if (!bundled) return;
  if (!r.get(f::speculative_draft_model_path)) {
    r.set(f::speculative_draft_model_path, r.value(f::model_path),
          "The checkpoint carries its own draft (multi-token-prediction) layers.");
    r.set(f::speculative_draft_model_revision, r.value(f::revision),
          "The draft is in the target's checkpoint.");
  } else if (!one_of(architecture,
                     {"MistralLarge3ForCausalLM", "PixtralForConditionalGeneration"})) {
    r.warn("DeepSeek MTP does not require setting speculative_draft_model_path.");
  }
}

// _auto_choose_speculative_params.
void choose_tree_shape(Resolution& r, std::string_view architecture) {
  const bool tree =
      r.get(f::speculative_algorithm) != "STANDALONE" &&
      one_of(architecture, {"LlamaForCausalLM", "Grok1ForCausalLM", "Grok1VForCausalLM"});
  const char* why = tree ? "None was given; for this architecture SGLang drafts a tree."
                         : "None was given; SGLang drafts a chain of three tokens.";
  r.set(f::speculative_num_steps, tree ? 5 : 3, why);
  r.set(f::speculative_eagle_topk, tree ? 4 : 1, why);
  r.set(f::speculative_num_draft_tokens, tree ? 8 : 4, why);
}

void check_rejection_sampling(Resolution& r) {
  const Fix without{{unset(f::speculative_use_rejection_sampling)},
                    "accepts draft tokens by the usual tree sampling"};
  const std::string_view algorithm = r.get(f::speculative_algorithm).value_or("");
  const std::optional<int64_t> topk = r.get(f::speculative_eagle_topk);
  if (!one_of(algorithm, {"EAGLE", "EAGLE3"}))
    return r.reject(kRejectionSamplingAlgorithm, {algorithm}, {without},
                    {f::speculative_algorithm.id});
  if (topk != 1)
    return r.reject(
        kRejectionSamplingTopk, {},
        {{{set(f::speculative_eagle_topk, "1")}, "drafts a chain instead of a tree"}, without});
  if (r.get(f::speculative_accept_threshold_single) != 1.0 ||
      r.get(f::speculative_accept_threshold_acc) != 1.0)
    return r.reject(kRejectionSamplingThreshold, {},
                    {{{unset(f::speculative_accept_threshold_single),
                       unset(f::speculative_accept_threshold_acc)},
                      "fewer draft tokens are accepted than with a lower threshold"},
                     without});
  if (r.get(f::enable_deterministic_inference))
    return r.reject(kRejectionSamplingDeterministic, {}, {without},
                    {f::enable_deterministic_inference.id});
  if (r.view(f::enable_multi_layer_eagle) && !r.since(Release::v0_5_16))
    return r.reject(kRejectionSamplingMultiLayer, {},
                    {without, {{unset(f::enable_multi_layer_eagle)}, ""}});
  r.info(
      "Rejection sampling is enabled for speculative decoding "
      "(speculative_use_rejection_sampling=True).");
}

}  // namespace

void speculative_eagle_family(Resolution& r) {
  if (r.get(f::speculative_algorithm) == "STANDALONE" && r.view(f::enable_dp_attention))
    return r.reject(
        kStandaloneDpAttention, {},
        {{{unset(f::enable_dp_attention)},
          "attention is tensor-parallel: more KV cache per request"},
         {{unset(f::speculative_algorithm)}, "no speculative decoding: slower decode"}});
  default_speculative_running_requests(r);
  disable_overlap_schedule_for_cpu(r);
  if (r.view(f::disable_overlap_schedule))
    r.warn(
        "Non-overlap (synchronous) spec v2 is used for eagle/eagle3/standalone speculative "
        "decoding.");
  disable_mixed_chunk_for(r, "eagle");

  const std::string_view architecture = r.model().architecture();
  if (r.stopped()) return;
  choose_draft_model(r, architecture);
  if (!r.get(f::speculative_adaptive) && !r.get(f::speculative_num_steps)) {
    if (r.get(f::speculative_eagle_topk) || r.get(f::speculative_num_draft_tokens))
      return r.reject(kStepsMissing, {},
                      {{{unset(f::speculative_eagle_topk), unset(f::speculative_num_draft_tokens)},
                        "SGLang chooses the shape of the draft"},
                       {{set(f::speculative_num_steps, "3")}, ""}});
    choose_tree_shape(r, architecture);
  }

  const Fix chain{{set(f::speculative_eagle_topk, "1")}, "drafts a chain instead of a tree"};
  const auto topk = [&] { return r.get(f::speculative_eagle_topk); };
  if (resolved_attention_backends(r).either_is("trtllm_mha")) {
    if (!topk()) return r.reject(kTopkMissing, {}, {chain});
    if (*topk() > 1)
      return r.reject(kTrtllmMhaTopk, {}, {chain},
                      {f::attention_backend.id, f::decode_attention_backend.id});
  }
  if (r.get(f::speculative_use_rejection_sampling)) check_rejection_sampling(r);

  const int64_t steps = r.get(f::speculative_num_steps).value_or(0);
  if (topk() == 1 && r.get(f::speculative_num_draft_tokens) != steps + 1) {
    r.warn(
        "speculative_num_draft_tokens is adjusted to speculative_num_steps + 1 when "
        "speculative_eagle_topk == 1");
    r.set(f::speculative_num_draft_tokens, steps + 1,
          "A chain verifies its draft tokens and the token that they follow: steps + 1.");
  }
  if (!topk()) return r.reject(kTopkMissing, {}, {chain}, {f::speculative_num_steps.id});
  if (*topk() > 1 && r.view(f::page_size).value_or(1) > 1 &&
      !one_of(r.view(f::attention_backend).value_or(""), {"flashinfer", "fa3", "triton"}))
    return r.reject(
        kTreeNeedsPagedBackend, {repr(r.view_value(f::attention_backend))},
        {chain, {{set(f::attention_backend, "triton")}, "another attention kernel: speed differs"}},
        {f::page_size.id});
}

void speculative_frozen_kv_mtp(Resolution& r) {
  default_speculative_running_requests(r);
  disable_mixed_chunk_for(r, "Frozen-KV MTP");
}

RuleList speculative_eagle_rules() {
  return {&kStandaloneDpAttention,
          &kStepsMissing,
          &kTrtllmMhaTopk,
          &kTopkMissing,
          &kRejectionSamplingAlgorithm,
          &kRejectionSamplingTopk,
          &kRejectionSamplingThreshold,
          &kRejectionSamplingDeterministic,
          &kRejectionSamplingMultiLayer,
          &kTreeNeedsPagedBackend};
}

}  // namespace sglint
