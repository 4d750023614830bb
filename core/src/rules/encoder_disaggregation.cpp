// Servers that run only the encoder or only the language part of a multimodal model.
#include "rules/ib_devices.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr ReleaseRange k18{Release::v0_5_18, Release::v0_5_18};

constexpr Rule kLanguageModelOnlyFlag{
    .id = "encoder-disaggregation/language-model-only-conflict",
    .exception = "ValueError",
    .message = "--language-model-only cannot be combined with {}",
    .why =
        "--language-model-only leaves the vision part of the model out, so flags about images have "
        "nothing to act on.",
    .source = "server_args.py: ServerArgs._handle_language_model_only",
    .bad = {"--model-path Qwen/Qwen2.5-VL-7B-Instruct --language-model-only --encoder-only",
            "h100"},
    .good = {"--model-path Qwen/Qwen2.5-VL-7B-Instruct --encoder-only", "h100"},
    .releases = k18};

constexpr Rule kLanguageModelOnlyPd{
    .id = "encoder-disaggregation/language-model-only-with-pd",
    .exception = "ValueError",
    .message = "--language-model-only is incompatible with --disaggregation-mode prefill/decode",
    .why = "It is for a server that prefills and decodes.",
    .source = "server_args.py: ServerArgs._handle_language_model_only",
    .bad = {"--model-path Qwen/Qwen3-8B --language-model-only --disaggregation-mode prefill "
            "--disaggregation-transfer-backend nixl",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --disaggregation-mode prefill "
             "--disaggregation-transfer-backend nixl",
             "h100"},
    .releases = k18};

constexpr Rule kLanguageModelOnlyModel{
    .id = "encoder-disaggregation/language-model-only-model",
    .exception = "ValueError",
    .message =
        "--language-model-only does not support {}. Supported: "
        "['MuseGlimmerForConditionalGeneration'].",
    .why =
        "Only MuseGlimmer can be loaded without its vision part this way. For other multimodal "
        "models --language-only serves the language part, with images encoded elsewhere.",
    .source = "server_args.py: ServerArgs._handle_language_model_only",
    .bad = {"--model-path Qwen/Qwen3-8B --language-model-only", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B", "h100"},
    .releases = k18};

constexpr Rule kPrefixCache{
    .id = "encoder-disaggregation/prefix-mm-cache-needs-encoder-only",
    .exception = "ValueError",
    .message = "--enable-prefix-mm-cache requires --encoder-only to be enabled",
    .why = "It is a cache of the encoder server.",
    .source = "server_args.py: ServerArgs._handle_encoder_disaggregation",
    .bad = {"--model-path Qwen/Qwen2.5-VL-7B-Instruct --enable-prefix-mm-cache", "h100"},
    .good = {"--model-path Qwen/Qwen2.5-VL-7B-Instruct --enable-prefix-mm-cache --encoder-only",
             "h100"}};

constexpr Rule kBothParts{
    .id = "encoder-disaggregation/encoder-and-language-only",
    .exception = "ValueError",
    .message = "Cannot set --encoder-only and --language-only together",
    .why = "A server runs one part of the model or, without either flag, all of it.",
    .source = "server_args.py: ServerArgs._handle_encoder_disaggregation",
    .bad = {"--model-path Qwen/Qwen2.5-VL-7B-Instruct --encoder-only --language-only", "h100"},
    .good = {"--model-path Qwen/Qwen2.5-VL-7B-Instruct --encoder-only", "h100"}};

constexpr Rule kEncoderPd{
    .id = "encoder-disaggregation/encoder-only-with-pd",
    .exception = "ValueError",
    .message = "Cannot set --encoder-only and --disaggregation-mode prefill/decode together",
    .why = "An encoder server neither prefills nor decodes.",
    .source = "server_args.py: ServerArgs._handle_encoder_disaggregation",
    .bad = {"--model-path Qwen/Qwen2.5-VL-7B-Instruct --encoder-only --disaggregation-mode prefill "
            "--disaggregation-transfer-backend nixl",
            "h100"},
    .good = {"--model-path Qwen/Qwen2.5-VL-7B-Instruct --encoder-only", "h100"}};

constexpr Rule kModel{.id = "encoder-disaggregation/model",
                      .exception = "ValueError",
                      .message =
                          "Model type {} is not supported for encoder disaggregation. Supported "
                          "architectures: Qwen2VL, Qwen3VL, Qwen3.5, InternS2, Qwen2Audio, "
                          "Qwen2.5Omni, Kimi, MiMoV2.",
                      .why =
                          "The model needs an encoder that can run apart from it, and code for "
                          "that. Text models have none.",
                      .source = "server_args.py: ServerArgs._handle_encoder_disaggregation",
                      .bad = {"--model-path Qwen/Qwen3-8B --language-only", "h100"},
                      .good = {"--model-path Qwen/Qwen2.5-VL-7B-Instruct --language-only", "h100"}};

bool can_be_split(const Resolution& r, std::string_view architecture) {
  if (architecture == "KimiK3ForConditionalGeneration") return r.since(Release::v0_5_17);
  return one_of(
      architecture,
      {"Qwen2VLForConditionalGeneration", "Qwen3VLForConditionalGeneration",
       "Qwen2_5_VLForConditionalGeneration", "Qwen3VLMoeForConditionalGeneration",
       "Qwen3_5ForConditionalGeneration", "Qwen3_5MoeForConditionalGeneration",
       "InternS2PreviewForConditionalGeneration", "Qwen3OmniMoeForConditionalGeneration",
       "Qwen2AudioForConditionalGeneration", "Qwen2_5OmniForConditionalGeneration",
       "KimiVLForConditionalGeneration", "KimiK25ForConditionalGeneration", "MiMoV2ForCausalLM"});
}

// ServerArgs._handle_language_model_only
void language_model_only(Resolution& r) {
  if (!r.get(f::language_model_only)) return;
  const Fix whole_model{{unset(f::language_model_only)}, "loads the vision part too"};
  const std::pair<Key<bool>, const char*> conflicts[] = {
      {f::encoder_only, "--encoder-only"},
      {f::language_only, "--language-only"},
      {f::enable_prefix_mm_cache, "--enable-prefix-mm-cache"},
      {f::enable_broadcast_mm_inputs_process, "--enable-broadcast-mm-inputs-process"},
      {f::mm_enable_dp_encoder, "--mm-enable-dp-encoder"},
  };
  for (const auto& [key, flag] : conflicts)
    if (r.get(key))
      return r.reject(kLanguageModelOnlyFlag, {flag}, {whole_model, {{unset(key)}, ""}});
  if (r.get(f::disaggregation_mode) != "null")
    return r.reject(kLanguageModelOnlyPd, {}, {whole_model}, {Field::disaggregation_mode});
  const ModelConfig& model = r.model();
  if (r.stopped()) return;
  Value::List architectures;
  for (const std::string& a : model.architectures) {
    if (a == "MuseGlimmerForConditionalGeneration") return;
    architectures.emplace_back(a);
  }
  r.reject(kLanguageModelOnlyModel, {repr(Value(std::move(architectures)))}, {whole_model});
}

}  // namespace

void encoder_disaggregation(Resolution& r) {
  if (r.since(Release::v0_5_18)) language_model_only(r);
  if (r.stopped()) return;
  const bool encoder_only = r.get(f::encoder_only), language_only = r.get(f::language_only);
  const std::string_view mode = r.get(f::disaggregation_mode);
  const Fix no_encoder{{unset(f::encoder_only)}, "serves the whole model"};
  if (r.get(f::enable_prefix_mm_cache) && !encoder_only)
    return r.reject(kPrefixCache, {},
                    {{{unset(f::enable_prefix_mm_cache)}, ""},
                     {{set(f::encoder_only)}, "serves encoders only"}});
  if (encoder_only && language_only)
    return r.reject(kBothParts, {},
                    {no_encoder, {{unset(f::language_only)}, "serves the encoder only"}});
  if (encoder_only && mode != "null")
    return r.reject(kEncoderPd, {},
                    {no_encoder, {{unset(f::disaggregation_mode)}, "serves the encoder only"}});
  if (language_only && r.get(f::encoder_urls).as_list().empty())
    r.info(
        "--language-only is set without --encoder-urls. Encoders are expected to register "
        "dynamically via the EncoderBootstrapServer.");

  const bool mooncake = r.get(f::disaggregation_transfer_backend) == "mooncake" && mode != "null";
  if (mooncake || r.get(f::encoder_transfer_backend) == "mooncake") validate_ib_devices(r);
  const std::string_view architecture = r.model().architecture();
  if (r.stopped()) return;
  const bool split = encoder_only || language_only;
  if (r.since(Release::v0_5_17) && r.get(f::encoder_transfer_backend) == "auto") {
    const int64_t tp = r.get(f::tp_size);
    const char* backend = architecture == "KimiK3ForConditionalGeneration" && tp > 1
                              ? "zmq_to_tokenizer"
                              : "zmq_to_scheduler";
    r.set(f::encoder_transfer_backend, backend,
          "How an encoder server's outputs would reach this one, by model.");
    if (split)
      r.info("Encoder transfer backend auto-resolved to {} for {} at TP{}.",
             {backend, architecture, tp});
  }
  if (split && r.model().known && !can_be_split(r, architecture))
    r.reject(kModel, {architecture},
             {{{encoder_only ? unset(f::encoder_only) : unset(f::language_only)},
               "serves the whole model"}});
}

RuleList encoder_disaggregation_rules() {
  return {&kLanguageModelOnlyFlag,
          &kLanguageModelOnlyPd,
          &kLanguageModelOnlyModel,
          &kPrefixCache,
          &kBothParts,
          &kEncoderPd,
          &kModel};
}

}  // namespace sglint
