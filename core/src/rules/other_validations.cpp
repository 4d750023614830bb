// ServerArgs._handle_debug_utils and ServerArgs._handle_other_validations.
#include "rules/cuda_graph.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "server_args.py: ServerArgs._handle_other_validations";
constexpr std::string_view kSamplingSource =
    "sampling/sampling_params.py: raise_if_tokenizer_required";

constexpr Rule kTemplateArguments{
    .id = "serving/chat-template-arguments-not-an-object",
    .exception = "ValueError",
    .message = "--default-chat-template-kwargs must decode to a JSON object",
    .why =
        "The object's keys become arguments of the chat template, such as {\"enable_thinking\": "
        "false}.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --default-chat-template-kwargs 1"},
    .good = {"--model-path Qwen/Qwen3-8B --default-chat-template-kwargs '{\"enable_thinking\": "
             "false}'"},
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

constexpr Rule kModality{
    .id = "multimodal/limit-of-unknown-modality",
    .exception = "ValueError",
    .message =
        "Invalid modality '{}' in --limit-mm-data-per-request.Allowed modalities are: "
        "['video', 'image', 'audio']",
    .why =
        "Limits exist for images, videos and audio clips of one request. SGLang prints the three "
        "in any order.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --limit-mm-data-per-request '{\"text\": 1}'"},
    .good = {"--model-path Qwen/Qwen3-8B --limit-mm-data-per-request '{\"image\": 1}'"},
};

constexpr Rule kSamplingKeyword{
    .id = "serving/unknown-sampling-parameter",
    .exception = "TypeError",
    .message = "Unexpected keyword argument '{}'",
    .why =
        "With --skip-tokenizer-init SGLang builds the preferred sampling parameters at start-up "
        "and finds a name that it does not know. Without that flag the same mistake only shows "
        "with the first request.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --skip-tokenizer-init --preferred-sampling-params "
            "'{\"temprature\": 1}'"},
    .good = {"--model-path Qwen/Qwen3-8B --skip-tokenizer-init --preferred-sampling-params "
             "'{\"temperature\": 1}'"},
};

constexpr Rule kStop{
    .id = "serving/stop-text-without-tokenizer",
    .exception = "ValueError",
    .message =
        "{}={} is unavailable when skip_tokenizer_init=True (requires tokenizer to decode tokens "
        "to text for matching).",
    .why = "Text to stop at can only be found in decoded text. Use stop_token_ids.",
    .source = kSamplingSource,
    .bad = {"--model-path Qwen/Qwen3-8B --skip-tokenizer-init --preferred-sampling-params "
            "'{\"stop\": \"END\"}'"},
    .good = {"--model-path Qwen/Qwen3-8B --preferred-sampling-params '{\"stop\": \"END\"}'"},
};

constexpr Rule kMinTokens{
    .id = "serving/min-new-tokens-without-tokenizer",
    .exception = "ValueError",
    .message =
        "min_new_tokens={} is unavailable when skip_tokenizer_init=True (requires tokenizer for "
        "eos_token_id).",
    .why =
        "To hold the end-of-text token back SGLang must know it, and it is the tokenizer that "
        "says.",
    .source = kSamplingSource,
    .bad = {"--model-path Qwen/Qwen3-8B --skip-tokenizer-init --preferred-sampling-params "
            "'{\"min_new_tokens\": 4}'"},
    .good = {"--model-path Qwen/Qwen3-8B --preferred-sampling-params '{\"min_new_tokens\": 4}'"},
};

// Fields of SamplingParams, those that only SGLang itself sets included.
constexpr std::string_view kSamplingFields[] = {
    "max_new_tokens",
    "stop",
    "stop_token_ids",
    "stop_regex",
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
    "min_new_tokens",
    "n",
    "json_schema",
    "regex",
    "ebnf",
    "structural_tag",
    "ignore_eos",
    "skip_special_tokens",
    "spaces_between_special_tokens",
    "no_stop_trim",
    "stream_interval",
    "logit_bias",
    "sampling_seed",
    "custom_params",
    "stop_strs",
    "stop_regex_strs",
    "stop_str_max_len",
    "stop_regex_max_len",
    "is_normalized",
};

void settle_optimistic_prefill(Resolution& r) {
  const Key<int64_t> attempts =
      r.since(Release::v0_5_16) ? f::optimistic_prefill_attempts : f::optimistic_prefill_retries;
  if (r.get(attempts) <= 0 || r.get(f::disaggregation_mode) != "prefill") return;
  const bool hierarchical = r.get(f::enable_hierarchical_cache);
  const bool write_back = r.since(Release::v0_5_17) && !r.get(f::hicache_storage_backend) &&
                          r.get(f::hicache_write_policy) == "write_back";
  const char* warning = nullptr;
  if (r.get(f::pp_size) > 1) {
    warning = "Optimistic prefill does not support pp_size > 1";
  } else if (hierarchical && !write_back) {
    warning = r.since(Release::v0_5_17)
                  ? "Optimistic prefill only supports L2 hierarchical cache with write-back policy"
                  : "Optimistic prefill does not support hierarchical cache";
  } else if (r.view(f::uses_mamba_radix_cache)) {
    warning = "Optimistic prefill does not support models that use mamba radix cache.";
  }
  if (!warning) return;
  r.warn(warning);
  r.set(attempts, 0, "Optimistic prefill cannot run here.");
}

void run_eagerly_without_warmup(Resolution& r, const char* why) {
  set_graph_backend(r, "decode", "disabled", why);
  set_graph_backend(r, "prefill", "disabled", why);
  r.set(f::skip_server_warmup, true, why);
}

void check_modalities(Resolution& r) {
  for (const Value::Item& limit : r.value(f::limit_mm_data_per_request).as_dict())
    if (!one_of(limit.first, {"image", "video", "audio"}))
      return r.reject(kModality, {limit.first},
                      {{{unset(f::limit_mm_data_per_request)}, "no limits"}});
}

// SamplingParams(**preferred_sampling_params).normalize(None).
void check_preferred_sampling(Resolution& r) {
  const Value& preferred = r.value(f::preferred_sampling_params);
  if (!preferred.truthy() || !r.get(f::skip_tokenizer_init)) return;
  const std::vector<Fix> fixes = {
      {{unset(f::preferred_sampling_params)}, "the model's own sampling defaults"},
      {{unset(f::skip_tokenizer_init)}, "SGLang tokenizes itself"}};
  for (const Value::Item& item : preferred.as_dict()) {
    bool known = false;
    for (std::string_view name : kSamplingFields) known = known || name == item.first;
    if (!known) return r.reject(kSamplingKeyword, {item.first}, {fixes[0]});
  }
  for (std::string_view name : {"stop", "stop_regex"}) {
    const Value& texts = preferred[name];
    if (texts.truthy())
      return r.reject(kStop, {name, repr(texts.is_str() ? Value(Value::List{texts}) : texts)},
                      fixes);
  }
  if (preferred["min_new_tokens"].as_int() > 0)
    r.reject(kMinTokens, {preferred["min_new_tokens"]}, fixes);
}

}  // namespace

void debug_utils(Resolution& r) {
  if (!r.env().flag("SGLANG_IS_IN_CI") || r.get(f::soft_watchdog_timeout)) return;
  r.info("Set soft_watchdog_timeout since in CI");
  r.set(f::soft_watchdog_timeout, 300, "SGLANG_IS_IN_CI is set.");
}

void other_validations(Resolution& r) {
  const Value& template_arguments = r.value(f::default_chat_template_kwargs);
  if (r.since(Release::v0_5_18) && !template_arguments.is_none() && !template_arguments.is_dict())
    return r.reject(kTemplateArguments, {},
                    {{{unset(f::default_chat_template_kwargs)}, "the template's own defaults"}});
  settle_optimistic_prefill(r);
  if (r.get(f::debug_tensor_dump_output_folder)) {
    r.warn("Cuda graph and server warmup are disabled because of using tensor dump mode");
    run_eagerly_without_warmup(r, "Tensors can only be dumped outside of CUDA graphs.");
  }
  if (r.get(f::msprobe_dump_config)) {
    r.warn(
        "When msProbe is enabled, cuda graph is disabled because msProbe only supports dump in "
        "eager mode, warmup is disabled(skip_server_warmup=True) because there is no need to dump "
        "data for this stage.");
    run_eagerly_without_warmup(r, "msProbe sees tensors only outside of CUDA graphs.");
  }
  check_modalities(r);
  check_preferred_sampling(r);
}

RuleList other_validations_rules() {
  return {&kTemplateArguments, &kModality, &kSamplingKeyword, &kStop, &kMinTokens};
}

}  // namespace sglint
