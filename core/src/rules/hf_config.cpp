#include "rules/hf_config.h"

#include "base/python_text.h"
#include "base/text.h"
#include "rules/config_class.h"
#include "rules/config_fields.h"
#include "rules/model_config_rules.h"

namespace sglint {
namespace {

using List = std::initializer_list<const char*>;

constexpr std::string_view kTextKeys[] = {"thinker_config", "llm_config", "language_config",
                                          "text_config"};

bool is_longcat(const Value& config) {
  for (const Value& a : config["architectures"].as_list())
    if (one_of(a.as_str(),
               {"LongcatCausalLM", "LongcatFlashForCausalLM", "LongcatFlashNgramForCausalLM"}))
      return true;
  return false;
}

// Loads one config.
class Loader {
 public:
  Loader(const Resolution& r, std::string_view path, bool complete, HfConfig& out)
      : r_(r), path_(path), complete_(complete), out_(out) {}

  void load(const Value& json, const Value& overrides) {
    if (!json.is_dict()) return raise(kConfigNotObject, fill(kConfigNotObject.message, {path_}));
    const std::optional<ModelType> type = class_of(json);
    if (out_.failed()) return;
    const ModelType* known = type ? &*type : nullptr;
    const std::string error = config_error(known, json, r_.release(), complete_);
    if (!error.empty())
      return raise(error.front() == 'C' ? kConfigLayerTypes : kConfigFieldType, error);
    if ((!known || (known->fields.empty() && known->nested.empty())) && !well_typed(json)) return;
    config_ = build_config(type ? &*type : nullptr, json, r_.release());
    // PreTrainedConfig.__post_init__, which most classes of a model's own code leave as it is.
    if (!type && json["rope_scaling"].truthy() && json["rope_theta"].truthy()) {
      const std::string_view reference = json["auto_map"]["AutoConfig"].as_str();
      out_.rope_class = reference.substr(reference.rfind('.') + 1);
    }
    const Value::List& architectures = config_["architectures"].as_list();
    if (config_["architectures"].is_list() && architectures.empty())
      return raise(kEmptyArchitectures, std::string(kEmptyArchitectures.message));
    if (is_longcat(json)) config_.put("model_type", "longcat_flash");

    if (!find_text()) return;
    if (!(type && type->flags & kReloaded)) share_text_keys();
    if (type && type->name == "internvl_chat") share_text_keys();
    if (type && starts_with(type->name, "gemma4")) swap_gemma4_heads();
    if (type && type->name == "multi_modality")
      config_.put("architectures", Value::List{Value("MultiModalityCausalLM")});
    const std::string_view auto_model = json["auto_map"]["AutoModel"].as_str();
    if (one_of(auto_model, {"modeling_deepseekocr.DeepseekOCRForCausalLM",
                            "modeling_deepseekocr2.DeepseekOCR2ForCausalLM"}))
      config_.put("architectures", Value::List{Value("DeepseekOCRForCausalLM")});
    if (config_["model_type"].as_str() == "longcat_flash")
      config_.put("architectures", Value::List{Value("LongcatFlashForCausalLM")});

    override_with(known, overrides);
    if (out_.failed()) return;
    if (config_["architectures"].is_list() && config_["architectures"].as_list().empty())
      return raise(kEmptyArchitectures, std::string(kEmptyArchitectures.message));
    if (!find_text()) return;
    if (out_.text_key.empty()) {
      out_.config = std::move(config_).finish();
      out_.text = out_.config;
      return;
    }
    out_.text = std::move(text_).finish();
    config_.put(out_.text_key, out_.text);
    out_.config = std::move(config_).finish();
  }

 private:
  void raise(const Rule& rule, std::string message) {
    out_.rule = &rule;
    out_.message = std::move(message);
  }

  // AutoConfig.from_pretrained: which class loads the config. Nothing: a class of the model's own
  // code.
  std::optional<ModelType> class_of(const Value& json) {
    if (is_longcat(json)) return find_model_type("longcat_flash", r_.release());
    std::optional<ModelType> type;
    if (json["model_type"].is_str())
      type = find_model_type(json["model_type"].as_str(), r_.release());
    const Value& remote = json["auto_map"]["AutoConfig"];
    if (remote.is_str()) {
      if (!type && !r_.get(f::trust_remote_code)) {
        const std::string_view reference = remote.as_str();
        const size_t dashes = reference.find("--");
        const std::string first =
            dashes == std::string_view::npos
                ? fill(
                      "The repository {} contains custom code which must be executed to correctly "
                      "load the model. You can inspect the repository content at https://hf.co/{} "
                      ".\n",
                      {path_, path_})
                : std::string(reference.substr(0, dashes));
        raise(kRemoteCodeNotTrusted, first + fill(kRemoteCodeNotTrusted.message, {path_}));
        return type;
      }
      if (!type) return type;
    }
    if (type) return type;
    if (json.has("model_type"))
      raise(kUnknownModelType, fill(kUnknownModelType.message, {json["model_type"]}));
    else
      raise(kNoModelType, fill(kNoModelType.message, {path_}));
    return type;
  }

  // Keys that arithmetic is done with must be whole numbers; SGLang (or transformers) fails on them
  // in one of many ways.
  bool well_typed(const Value& json) {
    for (std::string_view key :
         List{"hidden_size", "num_attention_heads", "num_key_value_heads", "num_hidden_layers",
              "head_dim", "v_head_dim", "vocab_size", "max_position_embeddings", "kv_lora_rank",
              "qk_nope_head_dim", "qk_rope_head_dim", "index_topk"}) {
      const Value& value = json[key];
      if (value.is_none() || value.is_int()) continue;
      if (value.is_real() && one_of(key, {"max_position_embeddings"})) continue;
      raise(kBadConfigValue, fill(kBadConfigValue.message, {repr(key), repr(value)}));
      return false;
    }
    for (std::string_view key : List{"architectures"}) {
      const Value& value = json[key];
      bool good = value.is_none() || value.is_list();
      for (const Value& item : value.as_list()) good = good && item.is_str();
      if (good) continue;
      raise(kBadConfigValue,
            fill("config.json: {} must be a list of names, not {}.", {repr(key), repr(value)}));
      return false;
    }
    for (std::string_view key : kTextKeys)
      if (json[key].is_dict() && !well_typed(json[key])) return false;
    return true;
  }

  // get_hf_text_config: fills out_.text_key and text_.
  bool find_text() {
    const Value& architectures = config_["architectures"];
    out_.text_key = {};
    if (!architectures.as_list().empty()) {
      const std::string_view first = architectures.as_list().front().as_str();
      if (starts_with(first, "Llava") && ends_with(first, "ForCausalLM")) {
        config_.put("dtype", "float16");
        return true;
      }
    }
    for (std::string_view key : kTextKeys) {
      if (!config_.has(key) || !config_[key].is_dict()) continue;
      out_.text_key = key;
      break;
    }
    if (out_.text_key.empty()) return true;
    const Value nested = config_[out_.text_key];
    if (nested.has("text_config") && out_.text_key == "thinker_config") {
      ConfigObject inner(nested["text_config"]);
      inner.put("dtype", nested["dtype"]);
      text_ = std::move(inner);
    } else {
      text_ = ConfigObject(nested);
      if (text_["dtype"].is_none() && text_.has("torch_dtype"))
        text_.put("dtype", text_["torch_dtype"]);
      if (text_["dtype"].is_none() && !config_["dtype"].is_none())
        text_.put("dtype", config_["dtype"]);
    }
    if (one_of(out_.text_key, {"llm_config", "text_config"}) && !text_.has("num_attention_heads")) {
      raise(kTextConfigWithoutHeads, std::string());
      return false;
    }
    return true;
  }

  // HfModelConfigParser.parse: what the text config says and the config does not.
  void share_text_keys() {
    if (out_.text_key.empty()) return;
    for (const Value::Item& item : text_.items())
      if (!item.second.is_none() && !one_of(item.first, {"dtype", "architectures", "model_type"}))
        config_.put_if_absent(item.first, item.second);
  }

  // Gemma 4 calls the sliding-window layers' shape head_dim and that of the full-attention layers
  // global_head_dim; SGLang wants it the other way round.
  void swap_gemma4_heads() {
    if (out_.text_key.empty()) return;
    const Value swa_head_dim = text_["head_dim"];
    text_.put("swa_head_dim", swa_head_dim);
    text_.put("swa_v_head_dim", swa_head_dim);
    text_.put("swa_num_key_value_heads", text_["num_key_value_heads"]);
    if (!text_["global_head_dim"].is_none()) text_.put("head_dim", Value(text_["global_head_dim"]));
    if (!text_["num_global_key_value_heads"].is_none())
      text_.put("num_key_value_heads", Value(text_["num_global_key_value_heads"]));
    text_.put_if_absent("v_head_dim", text_["head_dim"]);
    config_.put(out_.text_key, Value(text_.items().empty() ? Value() : Value::dict(text_.items())));
  }

  void override_with(const ModelType* type, const Value& overrides) {
    if (!overrides.truthy()) return;
    if (!overrides.is_dict()) {
      return raise(kOverridesNotObject,
                   fill(kOverridesNotObject.message, {python_type(overrides)}));
    }
    for (const Value::Item& item : overrides.as_dict()) {
      std::string_view key = item.first;
      if (key == "torch_dtype") key = "dtype";
      if (key == "rope_scaling") key = "rope_parameters";
      const Value current = config_[key];
      if (current.is_dict() && merges_override(r_.release(), key, item.second)) {
        ConfigObject merged(current);
        const std::optional<ModelType> part = nested_type(type, key, current, r_.release());
        for (const Value::Item& inner : item.second.as_dict()) {
          if (!takes(part ? &*part : nullptr, inner.first, inner.second)) return;
          merged.put(
              inner.first == "rope_scaling" ? "rope_parameters" : std::string_view(inner.first),
              inner.second);
        }
        config_.put(key, std::move(merged).finish());
      } else {
        if (!takes(type, key, item.second)) return;
        config_.put(key, item.second);
      }
    }
  }

  bool takes(const ModelType* type, std::string_view key, const Value& value) {
    if (key == "rope_scaling") key = "rope_parameters";
    std::string error = field_error(type, key, value);
    if (!error.empty()) raise(kConfigFieldType, std::move(error));
    return !out_.failed();
  }

  const Resolution& r_;
  std::string_view path_;
  bool complete_;  // a config.json, not the facts that the catalogue keeps of one
  HfConfig& out_;
  ConfigObject config_, text_;
};

}  // namespace

bool merges_override(Release release, std::string_view key, const Value& override) {
  return release >= Release::v0_5_17 && override.is_dict() &&
         one_of(key, {"thinker_config", "llm_config", "language_config", "text_config",
                      "vision_config", "audio_config"});
}

const ModelFiles* find_model_files(const Resolution& r, std::string_view path,
                                   std::optional<ModelFiles>& storage) {
  const Facts& facts = r.facts();
  if (path == r.get(f::model_path) && facts.model) return &*facts.model;
  for (const auto& [name, files] : facts.extra_models)
    if (name == path) return &files;
  storage = find_model(path);
  return storage ? &*storage : nullptr;
}

void reject_config(Resolution& r, const HfConfig& failed, Field path) {
  std::vector<Fix> fixes;
  if (failed.rule == &kRemoteCodeNotTrusted)
    fixes.push_back({{set(f::trust_remote_code)}, "runs the repository's code"});
  if (failed.rule == &kOverridesNotObject)
    fixes.push_back({{unset(f::json_model_override_args)}, "leaves the model's config as it is"});
  r.reject_with(*failed.rule, failed.message, std::move(fixes), {path});
}

HfConfig load_hf_config(const Resolution& r, std::string_view path, const Value& overrides) {
  HfConfig out;
  std::optional<ModelFiles> storage;
  const ModelFiles* files = find_model_files(r, path, storage);
  if (!files) return out;
  out.known = true;
  const bool complete = !files->from_catalogue && files->taken_from.empty();
  Loader(r, path, complete, out).load(files->config, overrides);
  return out;
}

}  // namespace sglint
