// handle_speculative_decoding (arg_groups/speculative_hook.py): what all algorithms share.
#include "rules/speculative.h"

#include "rules/draft_model.h"
#include "rules/hf_config.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kUnknownAlgorithm{
    .id = "speculative/unknown-algorithm",
    .exception = "ValueError",
    .message = "Unknown speculative algorithm name: {}",
    .why =
        "The flag takes any text, and only later SGLang looks the name up. Known: EAGLE, EAGLE3, "
        "NEXTN, STANDALONE, NGRAM, DFLASH, FROZEN_KV_MTP, and DSPARK since 0.5.16 (plugins may add "
        "more).",
    .source = "speculative/spec_info.py: SpeculativeAlgorithm.from_string",
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm MEDUSA"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM"},
};

constexpr Rule kEagle3NeedsEagle3Draft{
    .id = "speculative/gemma4-assistant-is-not-eagle3",
    .exception = "ValueError",
    .message =
        "Gemma4AssistantForCausalLM draft requires --speculative-algorithm NEXTN or EAGLE; EAGLE3 "
        "is not supported for this draft architecture.",
    .why =
        "A Gemma 4 assistant is a multi-token-prediction head that reads the target's frozen KV "
        "cache; it is not an EAGLE3 draft. With NEXTN or EAGLE SGLang runs it as FROZEN_KV_MTP.",
    .source = "arg_groups/speculative_hook.py: _resolve_speculative_algorithm_alias",
    // No public draft of this architecture is in the catalogue.
};

constexpr Rule kWindowNotPositive{
    .id = "speculative/draft-window-not-positive",
    .exception = "ValueError",
    .message = "--speculative-draft-window-size must be positive, got {}.",
    .why =
        "The window is the number of tokens that the draft's sliding attention sees. Leave the "
        "flag out for no window.",
    .source = "arg_groups/speculative_hook.py: handle_speculative_decoding",
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-draft-window-size 0"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-draft-window-size 64"},
};

constexpr Rule kSkipDpMlpSyncNeedsEagle{
    .id = "speculative/skip-dp-mlp-sync-needs-eagle",
    .exception = "AssertionError",
    .message =
        "--speculative-skip-dp-mlp-sync is only supported with speculative_algorithm == EAGLE, got "
        "{}.",
    .why =
        "Only the EAGLE worker can leave out the synchronisation of MLP batch sizes between "
        "data-parallel ranks. NEXTN counts as EAGLE.",
    .source = "arg_groups/speculative_hook.py: handle_speculative_decoding",
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-skip-dp-mlp-sync"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};

constexpr Rule kBadRaggedVerifyMode{
    .id = "speculative/unknown-ragged-verify-mode",
    .exception = "ValueError",
    .message =
        "invalid SGLANG_RAGGED_VERIFY_MODE={}; expected one of 'static', 'cap-accept', 'compact'",
    .why =
        "The variable is read for every speculative algorithm at start-up, though only DSpark uses "
        "it. There is no \"off\": static is the default and turns ragged verification off.",
    .source = "speculative/ragged_verify.py: read_ragged_verify_mode",
    .bad = {"SGLANG_RAGGED_VERIFY_MODE=off sglang serve --model-path Qwen/Qwen3-8B "
            "--speculative-algorithm NGRAM"},
    .good = {"SGLANG_RAGGED_VERIFY_MODE=static sglang serve --model-path Qwen/Qwen3-8B "
             "--speculative-algorithm NGRAM"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

// _resolve_speculative_algorithm_alias.
void resolve_alias(Resolution& r) {
  bool gemma4_assistant = false;
  if (const std::string_view path = r.get(f::speculative_draft_model_path).value_or("");
      !path.empty()) {
    const HfConfig loaded = load_hf_config(r, path, Value());
    if (loaded.failed()) return reject_config(r, loaded, f::speculative_draft_model_path.id);
    if (const std::optional<Value> config = draft_model_config(r, false)) {
      for (const Value& arch : (*config)["architectures"].as_list())
        gemma4_assistant |= one_of(
            arch.as_str(), {"Gemma4AssistantForCausalLM", "Gemma4UnifiedAssistantForCausalLM"});
    }
  }
  const std::string_view algorithm = r.get(f::speculative_algorithm).value_or("");
  if (algorithm == "EAGLE3" && gemma4_assistant) {
    return r.reject(
        kEagle3NeedsEagle3Draft, {},
        {{{set(f::speculative_algorithm, "EAGLE")}, "runs the draft as FROZEN_KV_MTP"}});
  }
  if (algorithm != "NEXTN" && algorithm != "EAGLE") return;
  if (gemma4_assistant) {
    r.info(
        "Detected Gemma4AssistantForCausalLM draft; promoting --speculative-algorithm {} to "
        "FROZEN_KV_MTP.",
        {algorithm});
    r.set(f::speculative_algorithm, "FROZEN_KV_MTP",
          "A Gemma 4 assistant draft reads the target's KV cache, which is the FROZEN_KV_MTP "
          "algorithm.");
  } else {
    r.set(f::speculative_algorithm, "EAGLE", "NEXTN is another name of EAGLE.");
  }
}

void check_window(Resolution& r) {
  const std::optional<int64_t> window = r.get(f::speculative_draft_window_size);
  if (!window) return;
  if (*window <= 0)
    return r.reject(kWindowNotPositive, {*window},
                    {{{unset(f::speculative_draft_window_size)}, ""}});
  const std::optional<std::string_view> algorithm = r.get(f::speculative_algorithm);
  if (algorithm != "EAGLE3" && algorithm != "DFLASH")
    r.warn(
        "--speculative-draft-window-size has no effect with speculative_algorithm={} (honored by "
        "Llama EAGLE-3 and DFLASH only).",
        {algorithm});
}

struct Algorithm {
  std::string_view name;
  void (*resolve)(Resolution&);
  Release since = Release::v0_5_15_post1;
};

constexpr Algorithm kAlgorithms[] = {
    {"DFLASH", speculative_dflash},
    {"DSPARK", speculative_dspark, Release::v0_5_16},
    {"EAGLE", speculative_eagle_family},
    {"EAGLE3", speculative_eagle_family},
    {"FROZEN_KV_MTP", speculative_frozen_kv_mtp},
    {"STANDALONE", speculative_eagle_family},
    {"NGRAM", speculative_ngram},
    {"NONE", nullptr},
};

}  // namespace

std::string_view ragged_verify_mode(Resolution& r) {
  const Value mode = r.env().get("SGLANG_RAGGED_VERIFY_MODE");
  for (std::string_view known : {"static", "cap-accept", "compact"})
    if (mode.as_str() == known) return known;
  r.reject(kBadRaggedVerifyMode, {repr(mode)},
           {{{set_env("SGLANG_RAGGED_VERIFY_MODE", "static")}, ""},
            {{unset_env("SGLANG_RAGGED_VERIFY_MODE")}, ""}});
  return {};
}

void default_speculative_running_requests(Resolution& r) {
  if (r.get(f::max_running_requests)) return;
  r.set(f::max_running_requests, 48,
        "Speculative decoding reserves memory for each running request, so SGLang bounds their "
        "number at 48.");
  r.warn(
      "Max running requests is reset to 48 for speculative decoding. You can override this by "
      "explicitly setting --max-running-requests.");
}

void disable_mixed_chunk_for(Resolution& r, std::string_view algorithm) {
  if (!r.get(f::enable_mixed_chunk)) return;
  r.set(f::enable_mixed_chunk, false,
        "Speculative decoding cannot mix prefill chunks into decode batches.");
  r.warn("Mixed chunked prefill is disabled because of using {} speculative decoding.",
         {algorithm});
}

void disable_overlap_schedule_for_cpu(Resolution& r) {
  if (!r.since(Release::v0_5_16)) return;
  if (r.get(f::device) != "cpu" || r.get(f::disable_overlap_schedule)) return;
  r.set(f::disable_overlap_schedule, true,
        "Overlap scheduling of speculative decoding does not exist on CPU.");
  r.warn("Overlap schedule is not implemented for speculative decoding on CPU.");
}

void force_single_chain(Resolution& r, std::string_view algorithm) {
  const auto force = [&](Key<std::optional<int64_t>> key, std::string_view name) {
    const std::optional<int64_t> given = r.get(key);
    if (given == 1) return;
    if (given)
      r.warn("{} only supports {} == 1; overriding {}={} to 1.", {algorithm, name, name, *given});
    r.set(key, 1,
          "The algorithm drafts a whole block at once, so this setting has no meaning and is 1.");
  };
  force(f::speculative_num_steps, "speculative_num_steps");
  force(f::speculative_eagle_topk, "speculative_eagle_topk");
}

void speculative_decoding(Resolution& r) {
  if (r.get(f::speculative_draft_model_path) && !r.get(f::speculative_draft_model_revision))
    r.set(f::speculative_draft_model_revision, "main", "The draft model's default branch.");
  if (r.view_value(f::speculative_moe_runner_backend).is_none())
    r.declare(f::speculative_moe_runner_backend, r.view_value(f::moe_runner_backend),
              "The draft model uses the target's MoE runner.");
  if (const auto typed = r.get(f::speculative_algorithm)) {
    std::string name = upper(*typed);
    if (name != *typed)
      r.set(f::speculative_algorithm, std::move(name), "The name is read without regard to case.");
  }
  if (r.env().is_set("SGLANG_ENABLE_SPEC_V2"))
    r.warn(
        "SGLANG_ENABLE_SPEC_V2 has been removed: speculative decoding always runs the V2 worker. "
        "Use --disable-overlap-schedule to select the non-overlap (synchronous) path.");
  resolve_alias(r);
  check_window(r);
  if (r.stopped()) return;

  const Algorithm* algorithm = nullptr;
  const std::optional<std::string_view> name = r.get(f::speculative_algorithm);
  if (name) {
    for (const Algorithm& a : kAlgorithms)
      if (a.name == *name && r.since(a.since)) algorithm = &a;
    if (!algorithm)
      return r.reject(
          kUnknownAlgorithm, {*name},
          {{{unset(f::speculative_algorithm)}, "no speculative decoding: slower decode"},
           {{set(f::speculative_algorithm, "NGRAM")},
            "drafts from n-grams of the text, without a model"}});
  }
  if (r.get(f::speculative_skip_dp_mlp_sync) && name != "EAGLE")
    return r.reject(kSkipDpMlpSyncNeedsEagle, {name},
                    {{{unset(f::speculative_skip_dp_mlp_sync)}, ""}},
                    {f::speculative_algorithm.id});
  if (r.get(f::speculative_adaptive)) speculative_adaptive(r);
  if (!algorithm) return;
  if (r.since(Release::v0_5_16)) ragged_verify_mode(r);
  if (algorithm->resolve && !r.stopped()) algorithm->resolve(r);
}

RuleList speculative_rules() {
  return {&kUnknownAlgorithm, &kEagle3NeedsEagle3Draft, &kWindowNotPositive,
          &kSkipDpMlpSyncNeedsEagle, &kBadRaggedVerifyMode};
}

}  // namespace sglint
