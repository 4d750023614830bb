#include "rules/model_config.h"

#include "base/json.h"
#include "base/python_json.h"
#include "base/text.h"
#include "rules/config_class.h"
#include "rules/hf_config.h"
#include "rules/model_architectures.h"
#include "rules/model_config_rules.h"
#include "rules/model_facts.h"

namespace sglint {

const Rule kQuantizeAndServeNeedsModelopt{
    .id = "model/quantize-and-serve-needs-modelopt",
    .exception = "ValueError",
    .message =
        "quantize_and_serve requires ModelOpt quantization (set with --quantization {{modelopt, "
        "modelopt_fp4, modelopt_fp8, modelopt_mixed, nvfp4_online}})",
    .why =
        "--quantize-and-serve is for ModelOpt formats. Giving one does not help: the feature is "
        "switched off in this release, so the only way is to leave the flag out.",
    .source = "configs/model_config.py: ModelConfig._validate_quantize_and_serve_config",
    .bad = {"--model-path Qwen/Qwen3-8B --quantize-and-serve", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B", "h100"}};

const Rule kQuantizeAndServeDisabled{
    .id = "model/quantize-and-serve-is-disabled",
    .exception = "NotImplementedError",
    .message =
        "quantize_and_serve functionality is currently disabled due to compatibility issues. "
        "Please use the separate quantize-then-deploy workflow instead. Step 1: Quantize and "
        "export model. Step 2: Deploy the exported model.",
    .why = "The flag exists, but the release refuses it in every combination.",
    .source = "configs/model_config.py: ModelConfig._validate_quantize_and_serve_config",
    .bad = {"--model-path Qwen/Qwen3-8B --quantize-and-serve --quantization modelopt_fp8", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --quantization modelopt_fp8", "h100"}};

const Rule kContextLengthTooLong{
    .id = "model/context-length-over-the-models",
    .exception = "ValueError",
    .message =
        "Warning: {} context_length ({}) is greater than the derived context_length ({}). This may "
        "lead to incorrect model outputs or CUDA errors. Note that the derived context_length may "
        "differ from max_position_embeddings in the model's config. To allow overriding this "
        "maximum, set the env var SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1",
    .why =
        "The model was not made for so long a context. It is refused although the text begins with "
        "\"Warning\".",
    .source = "configs/model_config.py: ModelConfig._derive_context_length",
    .bad = {"--model-path Qwen/Qwen3-8B --context-length 1000000", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --context-length 40960", "h100"}};

// argparse refuses other names before; only a --json-model-override-args or a config file gets
// here.
const Rule kUnknownDtype{.id = "model/unknown-dtype",
                         .exception = "ValueError",
                         .message = "Unknown dtype: {}",
                         .why = "--dtype takes half, float16, bfloat16, float, float32 or auto.",
                         .source = "configs/model_config.py: _get_and_verify_dtype"};

namespace {

struct Request {
  std::string_view path;
  bool draft = false;
  std::optional<int64_t> context_length;
  Value quantization;  // what was given on the command line
  bool again = false;  // get_config() has its answer from before
};

bool any_of(const ModelConfig& m, std::initializer_list<const char*> names) {
  for (std::string_view name : names)
    if (m.has_architecture(name)) return true;
  return false;
}

Value names(const ModelConfig& m) {
  Value::List out;
  for (const std::string& name : m.architectures) out.emplace_back(name);
  return Value(std::move(out));
}

std::string_view dtype_name(std::string_view name) {
  if (name == "half") return "float16";
  if (name == "float") return "float32";
  return name;
}

// Builds one ModelConfig in the order of ModelConfig.__init__.
class Builder {
 public:
  Builder(Resolution& r, const Request& request, ModelConfig& out)
      : r_(r), request_(request), m_(out) {}

  void build() {
    m_.is_draft_model = request_.draft;
    validate_quantize_and_serve();
    if (r_.stopped() || !load()) return;
    choose_multimodal();
    if (r_.stopped()) return;
    config_draft_model();
    mixed_expert_layouts();
    model_kind();
    choose_dtype();
    if (r_.stopped()) return;
    derive_context_length();
    if (r_.stopped()) return;
    derive_shapes();
    if (r_.stopped()) return;
    derive_hybrid();
    publish();
    verify_quantization(r_, request_.path, request_.quantization, m_);
  }

 private:
  void validate_quantize_and_serve() {
    if (!r_.get(f::quantize_and_serve)) return;
    const bool modelopt =
        one_of(request_.quantization.as_str(),
               {"modelopt", "modelopt_fp8", "modelopt_fp4", "nvfp4_online", "modelopt_mixed"});
    r_.reject(modelopt ? kQuantizeAndServeDisabled : kQuantizeAndServeNeedsModelopt, {},
              {{{unset(f::quantize_and_serve)}, "serves the checkpoint as it is"}},
              {f::quantization.id});
  }

  // get_config and get_hf_text_config.
  bool load() {
    const std::string_view typed = r_.get(f::json_model_override_args);
    const std::string error = python_json_error(typed);
    if (!error.empty()) {
      r_.reject(kOverridesNotJson, {error},
                {{{unset(f::json_model_override_args)}, "leaves the model's config as it is"}});
      return false;
    }
    const Value overrides = parse_json(typed).value_or(Value());
    if (const std::string_view parser = r_.get(f::model_config_parser);
        !one_of(parser, {"auto", "hf", "mistral"})) {
      r_.reject(kUnknownConfigParser, {repr(parser)},
                {{{unset(f::model_config_parser)}, "reads the model's config.json"}});
      return false;
    }
    HfConfig loaded = load_hf_config(r_, request_.path, overrides);
    if (!loaded.known) {
      unknown();
      return false;
    }
    if (loaded.failed()) {
      reject_config(r_, loaded, f::model_path.id);
      return false;
    }
    m_.known = true;
    if (!request_.again && !loaded.rope_class.empty())
      r_.warn(
          "{} got `key=rope_scaling` in kwargs but hasn't set it as attribute. For RoPE "
          "standardization you need to set `self.rope_parameters` in model's config. ",
          {loaded.rope_class});
    if (const Value& rope = loaded.text["rope_parameters"];
        !request_.again && rope["rope_type"].as_str() == "llama3" && rope.has("high_freq_factor") &&
        rope["high_freq_factor"].as_real() <= rope["low_freq_factor"].as_real())
      r_.warn(
          "`rope_parameters`'s high_freq_factor field must be greater than low_freq_factor, got "
          "high_freq_factor={} and low_freq_factor={}",
          {rope["high_freq_factor"], rope["low_freq_factor"]});
    if (!request_.again && overrides.has("torch_dtype"))
      r_.warn("`torch_dtype` is deprecated! Use `dtype` instead!");
    hf_ = ConfigObject(loaded.config);
    text_key_ = loaded.text_key;
    if (!text_key_.empty()) nested_ = ConfigObject(loaded.text);
    if (!hf_["architectures"].is_list()) {
      r_.reject(kNoArchitectures, {}, {}, {f::model_path.id});
      return false;
    }
    for (const Value& a : hf_["architectures"].as_list()) m_.architectures.emplace_back(a.as_str());
    m_.model_type = std::string(hf_["model_type"].as_str());
    m_.is_lm_only = r_.since(Release::v0_5_18) && hf_["language_model_only"].truthy();
    return true;
  }

  // A model that nobody described: a plain decoder, so that the rules that ask nothing of it still
  // run.
  void unknown() {
    m_.hf_config = m_.hf_text_config = Value::dict();
    m_.dtype = "bfloat16";
    m_.context_len = r_.value(f::context_length).as_int(131072);
    m_.head_dim = m_.v_head_dim = m_.swa_head_dim = m_.swa_v_head_dim = 128;
    m_.num_attention_heads = 64;
    m_.num_key_value_heads = 8;
    m_.hidden_size = 8192;
    m_.num_hidden_layers = 64;
    m_.vocab_size = 131072;
    m_.is_generation = !r_.get(f::is_embedding);
    if (request_.quantization.is_str()) m_.quantization = lower(request_.quantization.as_str());
    r_.assume(fill(request_.path.empty()
                       ? "Model: a plain decoder without quantization, because none is named here."
                       : "Model {}: a plain decoder without quantization, because its config.json "
                         "was not given.",
                   {request_.path}));
    r_.note(kUnknownModel, {request_.path}, {}, {f::model_path.id});
  }

  void choose_multimodal() {
    const Value& given = r_.value(f::enable_multimodal);
    m_.enable_multimodal = given.truthy();
    if (!given.is_none()) return;
    const std::string_view arch = m_.architecture();
    const bool transformers = r_.get(f::model_impl) == "transformers";
    if (one_of(arch, {"Gemma3ForConditionalGeneration", "Llama4ForConditionalGeneration",
                      "Step3VLForConditionalGeneration", "InklingForConditionalGeneration"}) &&
        !transformers) {
      m_.enable_multimodal = false;
      r_.info("Multimodal is disabled for {}. To enable it, set --enable-multimodal.",
              {m_.model_type});
    } else if (arch == "MiMoV2ForCausalLM" &&
               !(hf_.has("vision_config") && hf_.has("audio_config"))) {
      m_.enable_multimodal = false;
      r_.info(
          "Multimodal is disabled for this MiMoV2 checkpoint: vision_config/audio_config not found "
          "in the model config (likely a text-only MiMoV2 variant).");
    } else {
      m_.enable_multimodal = true;
    }
  }

  // _config_draft_model: the draft head of a checkpoint has an architecture of its own.
  void config_draft_model() {
    if (!request_.draft || m_.architectures.empty()) return;
    const DraftArchitecture* draft = find_draft_architecture(m_.architecture(), r_.release());
    if (m_.architecture() == "DeepseekV4ForCausalLM") {
      const bool dspark = checkpoint_bundles_dspark_draft(Value::dict(hf_.items())) &&
                          (r_.value(f::speculative_algorithm).is_none() ||
                           r_.get(f::speculative_algorithm) == "DSPARK");
      if (dspark) {
        rename("DeepseekV4ForCausalLMDSpark");
        r_.info(
            "Draft checkpoint bundles a DSpark head; loading draft arch "
            "DeepseekV4ForCausalLMDSpark.");
        return;
      }
    }
    if (!draft) return;
    if (draft->text_only && !text_key_.empty()) {
      hf_ = std::move(nested_);
      text_key_ = {};
      m_.architectures.resize(1);
    }
    if (m_.architecture() == "LongcatFlashForCausalLM")
      hf_.put("num_hidden_layers", Value(hf_["num_nextn_predict_layers"]));
    if (draft->one_nextn_layer) {
      hf_.put("num_nextn_predict_layers", 1);
      if (r_.since(Release::v0_5_18) && draft->draft == "Qwen3_5ForCausalLMMTP" &&
          !text_key_.empty())
        nested_.put("num_nextn_predict_layers", 1);
    }
    rename(draft->draft);
  }

  void rename(std::string_view arch) {
    m_.architectures.front() = std::string(arch);
    Value::List names;
    for (const std::string& name : m_.architectures) names.emplace_back(name);
    hf_.put("architectures", std::move(names));
  }

  // DeepSeek V4's expert layout, and FP8 checkpoints with NVFP4 experts.
  void mixed_expert_layouts() {
    if (one_of(m_.architecture(), {"DeepseekV4ForCausalLM", "DeepseekV4ForCausalLMNextN",
                                   "DeepseekV4ForCausalLMDSpark"})) {
      m_.is_fp4_experts = r_.env().flag("SGLANG_DSV4_FP4_EXPERTS");
      if (!hf_["n_group"].is_none()) hf_.put("topk_group", Value(hf_["n_group"]));
    }
    const Value& quantization = hf_["quantization_config"];
    if (upper(str(quantization["quant_algo"])) != "MIXED_PRECISION" ||
        upper(str(quantization["moe_quant_algo"])) != "NVFP4" ||
        quantization["group_size"].is_none())
      return;
    m_.has_nvfp4_moe = true;
    r_.info(
        "Auto-detected hybrid FP8+NVFP4 checkpoint (NVFP4 MoE group_size={}, {} exclude_modules)",
        {quantization["group_size"].as_int(),
         // The catalogue keeps the number of modules in place of their names.
         quantization["ignore"].as_int(
             static_cast<int64_t>(quantization["ignore"].as_list().size()))});
  }

  void model_kind() {
    const ConfigObject& text = this->text();
    for (const char* key : {"sliding_window_size", "sliding_window", "window_size"}) {
      if (text[key].is_none()) continue;
      m_.sliding_window_size = text[key];
      break;
    }
    const bool embedding_gemma = r_.since(Release::v0_5_17) &&
                                 text["model_type"].as_str() == "gemma3_text" &&
                                 text["use_bidirectional_attention"].truthy();
    m_.is_generation =
        !embedding_gemma && is_generation_model(m_, r_.get(f::is_embedding), r_.release());
    const bool parts =
        !text_key_.empty() || (r_.get(f::model_impl) == "transformers" &&
                               (hf_.has("vision_config") || hf_.has("audio_config")));
    m_.is_multimodal = m_.enable_multimodal && !m_.is_lm_only &&
                       (is_multimodal_model(m_, r_.release()) ||
                        m_.has_architecture(external_multimodal()) || parts);
    m_.is_audio_model = m_.enable_multimodal && any_of(m_, {"WhisperForConditionalGeneration",
                                                            "Qwen3ASRForConditionalGeneration"});
    m_.is_image_understandable_model =
        m_.enable_multimodal && !m_.is_lm_only &&
        (r_.since(Release::v0_5_18) ? !hf_["vision_config"].is_none() : hf_.has("vision_config"));
    m_.is_multimodal_chunked_prefill_supported =
        m_.enable_multimodal &&
        !any_of(m_,
                {"Grok1VForCausalLM", "Grok1AForCausalLM", "LlavaLlamaForCausalLM",
                 "MllamaForConditionalGeneration", "MossVLForConditionalGeneration", "CLIPModel"});
    m_.is_encoder_decoder =
        any_of(m_, {"WhisperForConditionalGeneration", "MllamaForConditionalGeneration",
                    "MossVLForConditionalGeneration"});
    const bool piecewise = is_multimodal_piecewise_supported(m_, r_.release());
    m_.is_piecewise_cuda_graph_disabled_model =
        is_piecewise_disabled_model(m_, r_.release()) || (m_.is_multimodal && !piecewise);
    m_.is_multimodal_piecewise_cuda_graph_supported = m_.enable_multimodal && piecewise;
    m_.is_multimodal_breakable_cuda_graph_supported =
        m_.enable_multimodal && is_multimodal_breakable_supported(m_, r_.release());
    m_.is_mla_breakable_cuda_graph_supported =
        r_.release() == Release::v0_5_17 && m_.has_architecture("KimiK3ForConditionalGeneration");
  }

  std::string_view external_multimodal() const {
    const std::optional<std::string_view> arch = r_.env().raw("SGLANG_EXTERNAL_MM_MODEL_ARCH");
    return arch.value_or("");
  }

  // _get_and_verify_dtype.
  void choose_dtype() {
    const ConfigObject& text = this->text();
    const std::string_view raw = text["dtype"].as_str();
    const std::string_view own = raw.empty() ? std::string_view("float32") : dtype_name(raw);
    const std::string asked = lower(r_.get(f::dtype));
    const std::string_view type = text["model_type"].as_str();
    if (asked != "auto") {
      if (!one_of(asked, {"half", "float16", "float", "float32", "bfloat16"}))
        return r_.reject(kUnknownDtype, {asked}, {{{unset(f::dtype)}, ""}});
      m_.dtype = std::string(dtype_name(asked));
    } else if (own != "float32") {
      m_.dtype = std::string(own);
    } else if (!starts_with(type, "gemma")) {
      m_.dtype = "float16";
    } else {
      r_.info(
          "For Gemma {}, we downcast float32 to bfloat16 instead of float16 by default. Please "
          "specify `dtype` if you want to use float16.",
          {type.size() > 5 ? type.substr(5, 1) : std::string_view()});
      m_.dtype = "bfloat16";
    }
    if (m_.dtype == own) return;
    const char* how = m_.dtype == "float32" ? "Upc" : own == "float32" ? "Downc" : "C";
    r_.log(Level::debug, fill("{}asting torch.{} to torch.{}.", {how, own, m_.dtype}));
  }

  // get_context_length.
  int64_t context_length_of_config() const {
    const ConfigObject& text = this->text();
    const Value& rope = text["rope_parameters"];
    double factor = 1;
    if (rope.truthy()) {
      if (rope.has("factor")) factor = rope["factor"].as_real(1);
      if (rope.has("original_max_position_embeddings") || rope["rope_type"].as_str() == "llama3")
        factor = 1;
    }
    for (const char* key : {"max_sequence_length", "seq_length", "max_seq_len", "model_max_length",
                            "max_position_embeddings"})
      if (!text[key].is_none()) return static_cast<int64_t>(factor * text[key].as_real());
    return 2048;
  }

  void derive_context_length() {
    const int64_t derived = context_length_of_config();
    if (!request_.context_length) {
      m_.context_len = derived;
      return;
    }
    m_.context_len = *request_.context_length;
    if (m_.context_len <= derived) return;
    const std::string_view whose = request_.draft ? "Target model's" : "User-specified";
    const bool allowed = r_.env().flag("SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN") ||
                         r_.env().flag("SGLANG_IS_IN_CI");
    if (!allowed) {
      return r_.reject(
          kContextLengthTooLong, {whose, m_.context_len, derived},
          {{{set(f::context_length, std::to_string(derived))},
            "limits requests to what the model was made for"},
           {{unset(f::context_length)}, "takes the model's own context length"},
           {{set_env("SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN", "1")},
            "lets requests run past what the model was made for: wrong output is likely"}});
    }
    r_.warn(
        "Warning: {} context_length ({}) is greater than the derived context_length ({}). This may "
        "lead to incorrect model outputs or CUDA errors. Note that the derived context_length may "
        "differ from max_position_embeddings in the model's config.",
        {whose, m_.context_len, derived});
    if (!request_.draft) return;
    text().put("max_position_embeddings", m_.context_len);
    r_.warn("Overriding the draft model's max_position_embeddings to {}.", {m_.context_len});
  }

  // A number that SGLang reads without a default.
  int64_t number(const ConfigObject& config, std::string_view key) {
    const Value* value = config.find(key);
    if (!value) {
      if (!r_.stopped())
        r_.reject(kConfigKeyMissing, {class_name(config), key}, {}, {f::model_path.id});
      return 0;
    }
    return value->as_int();
  }

  std::string class_name(const ConfigObject& config) const {
    const std::string_view type = config["model_type"].as_str();
    return config_class_name(find_model_type(type, r_.release()).has_value(), type);
  }

  // _init_mla_scaling and compute_mla_mscale_scaling: only their warning matters here.
  void mla_scaling(const Value& rope, bool ignores_default) {
    if (!rope.truthy() || r_.stopped()) return;
    const Value& type = rope["rope_type"].truthy() ? rope["rope_type"] : rope["type"];
    const std::string_view name =
        type.is_str() ? type.as_str() : std::string_view(ignores_default ? "default" : "");
    if (name == "default" && (ignores_default || r_.since(Release::v0_5_17))) return;
    const auto on = [&](const char* key) { return !rope.has(key) || rope[key].truthy(); };
    if (!on("apply_yarn_scaling") || !on("apply_scale")) return;
    if (!rope.has("factor"))
      r_.warn("rope_scaling missing 'factor', defaulting to 1.0. Check model accuracy.");
  }

  // _derive_model_shapes.
  void derive_shapes() {
    ConfigObject& text = this->text();
    const auto fallback = [&](const char* key, int64_t otherwise) {
      if (text[key].is_none()) text.put(key, otherwise);
      return text[key].as_int();
    };
    if (text["head_dim"].is_none()) {
      const int64_t hidden = number(text, "hidden_size"),
                    heads = number(text, "num_attention_heads");
      if (r_.stopped()) return;
      if (heads == 0) return r_.reject(kNoHeads, {}, {}, {f::model_path.id});
      text.put("head_dim", floor_div(hidden, heads));
    }
    m_.head_dim = text["head_dim"].as_int();
    m_.v_head_dim = fallback("v_head_dim", m_.head_dim);
    m_.swa_head_dim = fallback("swa_head_dim", m_.head_dim);
    m_.swa_v_head_dim = fallback("swa_v_head_dim", m_.swa_head_dim);
    attention_shape(text);
    if (r_.stopped()) return;

    m_.num_attention_heads = number(text, "num_attention_heads");
    m_.num_key_value_heads = text["num_key_value_heads"].as_int(m_.num_attention_heads);
    if (one_of(m_.model_type, {"dbrx", "mpt"}))
      m_.num_key_value_heads = hf_["attn_config"]["kv_n_heads"].as_int(m_.num_attention_heads);
    m_.hidden_size = number(text, "hidden_size");
    m_.num_hidden_layers = number(text, "num_hidden_layers");
    m_.num_nextn_predict_layers = text["num_nextn_predict_layers"];
    m_.vocab_size = number(text, "vocab_size");
    if (m_.architecture() == "GlmImageForConditionalGeneration")
      m_.vocab_size = number(text, "vision_vocab_size");
  }

  void attention_shape(const ConfigObject& text) {
    const auto mla = [&](int64_t head_dim) {
      m_.head_dim = head_dim;
      m_.attention_arch = "MLA";
    };
    if (any_of(m_,
               {"DeepseekV2ForCausalLM", "DeepseekV32ForCausalLM", "DeepseekV3ForCausalLM",
                "DeepseekV3ForCausalLMNextN", "Glm4MoeLiteForCausalLM",
                "Glm4MoeLiteForCausalLMNextN", "GlmMoeDsaForCausalLM", "GlmMoeDsaForCausalLMNextN",
                "LongcatFlashForCausalLM", "LongcatFlashForCausalLMNextN", "DotsVLMForCausalLM",
                "MistralLarge3ForCausalLM", "MistralLarge3ForCausalLMEagle",
                "KimiK25ForConditionalGeneration", "Eagle3DeepseekV2ForCausalLM"}) ||
        (m_.has_architecture("PixtralForConditionalGeneration") &&
         !text["kv_lora_rank"].is_none())) {
      mla(256);
      for (const char* key : {"kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim"})
        number(text, key);
      m_.v_head_dim = number(text, "v_head_dim");
      mla_scaling(text["rope_parameters"], true);
    } else if (any_of(m_, {"DeepseekV4ForCausalLM", "DeepseekV4ForCausalLMNextN",
                           "DeepseekV4ForCausalLMDSpark"})) {
      number(hf_, "qk_rope_head_dim");
      m_.head_dim = m_.v_head_dim = number(hf_, "head_dim");
      number(hf_, "sliding_window");
      number(hf_, "index_head_dim");
      if (!hf_.has("compress_ratios")) number(hf_, "compress_ratios");
      mla_scaling(hf_["rope_parameters"], false);
    } else if (m_.has_architecture("Glm4MoeForCausalLMNextN")) {
      m_.v_head_dim = m_.head_dim;
      m_.swa_v_head_dim = m_.swa_head_dim;
    } else if (m_.has_architecture("MiniCPM3ForCausalLM")) {
      mla(128);
      for (const char* key : {"kv_lora_rank", "qk_rope_head_dim"}) number(hf_, key);
    } else if (m_.has_architecture("DeepseekVL2ForCausalLM") &&
               (!text.has("use_mla") || text["use_mla"].truthy())) {
      mla(256);
      for (const char* key : {"kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim"})
        number(text, key);
    } else if (m_.has_architecture("KimiVLForConditionalGeneration")) {
      mla(256);
      for (const char* key : {"kv_lora_rank", "qk_rope_head_dim", "v_head_dim", "qk_nope_head_dim"})
        number(text, key);
      m_.v_head_dim = text["v_head_dim"].as_int();
    } else if (m_.has_architecture("KimiLinearForCausalLM") ||
               (r_.since(Release::v0_5_17) &&
                m_.has_architecture("KimiK3ForConditionalGeneration"))) {
      mla(72);
      for (const char* key : {"kv_lora_rank", "qk_rope_head_dim", "v_head_dim", "qk_nope_head_dim"})
        number(text, key);
      m_.v_head_dim = text["v_head_dim"].as_int();
      mla_scaling(text["rope_parameters"], false);
    } else if (any_of(m_, {"BailingMoeV2_5ForCausalLM", "BailingMoeForCausalLMNextN"})) {
      mla(number(text, "head_dim"));
      for (const char* key : {"kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim"})
        number(text, key);
      m_.v_head_dim = number(hf_, "v_head_dim");
      mla_scaling(hf_["rope_parameters"], false);
    } else if (m_.has_architecture("SarvamMLAForCausalLM")) {
      mla(number(hf_, "qk_nope_head_dim") + number(hf_, "qk_rope_head_dim"));
      number(hf_, "kv_lora_rank");
      m_.v_head_dim = number(hf_, "v_head_dim");
      mla_scaling(hf_["rope_parameters"], false);
    }
  }

  static int64_t floor_div(int64_t a, int64_t b) {
    const int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
  }

  // _derive_hybrid_model.
  void derive_hybrid() {
    const ConfigObject& text = this->text();
    m_.is_hybrid_swa =
        is_hybrid_swa_model(m_, text, r_.release()) && !r_.get(f::disable_hybrid_swa_memory);
    if (m_.is_hybrid_swa)
      r_.log(r_.since(Release::v0_5_17) ? Level::debug : Level::info,
             "Hybrid swa model: self.hf_config.architectures=" + repr(names(m_)));
    m_.has_attention_sinks =
        m_.has_architecture("GptOssForCausalLM") ||
        (any_of(m_, {"MiMoV2ForCausalLM", "MiMoV2FlashForCausalLM", "MiMoV2MTP"}) &&
         (text["add_swa_attention_sink_bias"].truthy() ||
          text["add_full_attention_sink_bias"].truthy()));
    m_.has_asymmetric_kv = m_.head_dim != m_.v_head_dim || m_.swa_head_dim != m_.swa_v_head_dim;
  }

  ConfigObject& text() { return text_key_.empty() ? hf_ : nested_; }
  const ConfigObject& text() const { return text_key_.empty() ? hf_ : nested_; }

  // hf_config as the rules see it.
  void publish() {
    hf_.put("context_len", m_.context_len);
    if (!text_key_.empty()) {
      m_.hf_text_config = Value::dict(nested_.items());
      hf_.put(text_key_, m_.hf_text_config);
    }
    m_.hf_config = std::move(hf_).finish();
    if (text_key_.empty()) m_.hf_text_config = m_.hf_config;
  }

  Resolution& r_;
  const Request& request_;
  ModelConfig& m_;
  ConfigObject hf_, nested_;
  std::string_view text_key_;
};

}  // namespace

void build_model_config(Resolution& r, ModelConfig& out, bool again) {
  Request request;
  request.path = r.get(f::model_path);
  request.context_length = r.get(f::context_length);
  request.quantization = again ? r.view_value(f::quantization) : r.value(f::quantization);
  request.again = again;
  Builder(r, request, out).build();
  if (again) return;
  // ServerArgs.get_model_config.
  if (!r.stopped() && out.is_hybrid_swa && r.since(Release::v0_5_17))
    r.info("Hybrid SWA model detected. architectures={}", {names(out)});
}

void build_draft_model_config(Resolution& r, std::string_view path,
                              std::optional<int64_t> context_length, ModelConfig& out) {
  Request request;
  request.path = path;
  request.draft = true;
  request.context_length = context_length ? context_length : r.get(f::context_length);
  request.quantization = r.value(f::speculative_draft_model_quantization);
  Builder(r, request, out).build();
}

}  // namespace sglint
