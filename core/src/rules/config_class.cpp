#include "rules/config_class.h"

#include <cstdlib>

#include "base/rows.h"
#include "base/text.h"
#include "rules/config_fields.h"

namespace sglint {
namespace {

// Calls f(key, value) for each "key=value" of a comma-separated list.
template <class F>
void each_pair(std::string_view list, F f) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view pair = list.substr(0, comma);
    const size_t equals = pair.find('=');
    f(pair.substr(0, equals), pair.substr(equals + 1));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
}

void add_defaults(ConfigObject& c, std::string_view defaults) {
  size_t i = 0;
  while (i < defaults.size()) {
    const char letter = defaults[i++];
    const std::string_view key =
        *std::next(Words(kModelTypeKeys).begin(), letter <= 'Z' ? letter - 'A' : letter - 'a' + 26);
    if (defaults[i] == '\'') {
      const size_t end = defaults.find('\'', i + 1);
      c.put_if_absent(key, defaults.substr(i + 1, end - i - 1));
      i = end + 1;
      continue;
    }
    int64_t value = 0;
    for (; i < defaults.size() && defaults[i] >= '0' && defaults[i] <= '9'; ++i)
      value = value * 10 + (defaults[i] - '0');
    c.put_if_absent(key, value);
  }
}

// RotaryEmbeddingConfigMixin.convert_rope_params_to_dict and standardize_rope_params, as far as the
// context length and the attention scale depend on them.
void standardize_rope(ConfigObject& c) {
  Value given = c["rope_scaling"].truthy() ? c["rope_scaling"] : c["rope_parameters"];
  c.erase("rope_scaling");
  ConfigObject rope(given);
  bool per_layer = !rope.items().empty();
  for (const Value::Item& item : rope.items()) per_layer = per_layer && item.second.is_dict();
  if (per_layer) {
    c.put("rope_parameters", given);
    return;
  }
  rope.put_if_absent("rope_theta", c.has("rope_theta") ? c["rope_theta"] : Value(10000.0));
  if (c.has("max_position_embeddings")) {
    rope.put_if_absent("rope_type", rope.has("type") ? rope["type"] : Value("default"));
    if (one_of(rope["rope_type"].as_str(), {"llama3", "yarn", "longrope"})) {
      if (c.has("original_max_position_embeddings"))
        rope.put("original_max_position_embeddings", c["original_max_position_embeddings"]);
      else
        rope.put_if_absent("original_max_position_embeddings", c["max_position_embeddings"]);
    }
  }
  c.put("rope_parameters", std::move(rope).finish());
}

// Classes whose __post_init__ forgets sliding_window unless use_sliding_window is set.
bool gates_sliding_window(std::string_view type) {
  return one_of(type,
                {"qwen2", "qwen2_moe", "qwen2_vl_text", "qwen2_5_vl_text", "qwen2_5_omni_text",
                 "qwen2_5_omni_talker", "qwen3", "qwen3_moe", "dots_ocr", "deepseek_ocr2_encoder"});
}

// The head dimension that attention computes with is not what these classes call head_dim.
bool head_dim_is_rope_dim(std::string_view type) {
  return one_of(type,
                {"deepseek_v2", "deepseek_v3", "deepseek_v32", "deepseek_v4", "kimi_k2", "youtu"});
}

// NemotronHConfig: the number of layers is the length of the layer list; "-" (an MLP) is not
// counted.
void nemotron_h(ConfigObject& c) {
  if (c["layers_block_type"].is_list()) {
    c.put("num_hidden_layers", static_cast<int64_t>(c["layers_block_type"].as_list().size()));
  } else if (c["hybrid_override_pattern"].is_str()) {
    int64_t layers = 0;
    for (char letter : c["hybrid_override_pattern"].as_str())
      layers += letter == 'M' || letter == 'E' || letter == '*' || letter == '-';
    c.put("num_hidden_layers", layers);
  } else if (!c.has("num_hidden_layers")) {
    c.put("num_hidden_layers", 52);
  }
  if (c["mamba_chunk_size"].is_none())
    c.put("mamba_chunk_size", c["chunk_size"].is_none() ? Value(256) : c["chunk_size"]);
}

// Qwen2VLConfig and its like: an old config.json has the language model's keys at the top.
bool takes_flat_text(std::string_view type) { return one_of(type, {"qwen2_vl", "qwen2_5_vl"}); }

// "qwen3_5", "vision_config" -> "qwen3_5_vision"
std::string part_name(std::string_view type, std::string_view key) {
  return std::string(type) + "_" + std::string(key.substr(0, key.find("_config")));
}

std::optional<ModelType> part_type(const ModelType& type, std::string_view key,
                                   std::string_view usual, const Value& json, Release release) {
  std::optional<ModelType> nested;
  if (json["model_type"].is_str()) nested = find_model_type(json["model_type"].as_str(), release);
  if (!nested) nested = find_model_type(usual, release);
  // Some vision classes carry the name of the model they belong to.
  if (nested && nested->name == type.name)
    nested = find_model_type(part_name(type.name, key), release);
  return nested;
}

void add_nested(ConfigObject& c, const ModelType& type, Release release) {
  each_pair(type.nested, [&](std::string_view key, std::string_view nested_type) {
    const bool made = key.front() == '+';
    if (made) key.remove_prefix(1);
    const Value& json = c[key];
    if (json.is_none() && !made) return;
    if (!json.is_none() && !json.is_dict()) return;
    const std::optional<ModelType> nested = part_type(type, key, nested_type, json, release);
    if (json.is_none() && key == "text_config" && takes_flat_text(type.name)) {
      ConfigObject text;
      for (const Value::Item& item : c.items())
        if (!one_of(item.first, {"architectures", "model_type", "vision_config", "auto_map",
                                 "quantization_config"}))
          text.put(item.first, item.second);
      text.put("model_type", nested_type);
      c.erase("rope_scaling");
      c.erase("sliding_window");
      c.put(key,
            build_config(nested ? &*nested : nullptr, std::move(text).finish(), release).finish());
      return;
    }
    ConfigObject built = build_config(nested ? &*nested : nullptr, json, release);
    built.put_if_absent("model_type", nested_type);
    c.put(key, std::move(built).finish());
  });
}

}  // namespace

ConfigObject build_config(const ModelType* type, const Value& json, Release release) {
  ConfigObject c(json);
  if (c.has("torch_dtype")) {
    if (c["dtype"].is_none()) c.put("dtype", c["torch_dtype"]);
    c.erase("torch_dtype");
  }
  if (!type) {
    // PreTrainedConfig itself: rope_scaling becomes rope_parameters, completed only if rope_theta
    // is there.
    if (c["rope_scaling"].truthy() && c["rope_theta"].truthy()) {
      standardize_rope(c);
    } else if (c.has("rope_scaling")) {
      c.put("rope_parameters", c["rope_scaling"]);
      c.erase("rope_scaling");
    }
    return c;
  }
  each_pair(type->renamed, [&](std::string_view name, std::string_view key) {
    if (c.has(name))
      c.put(key, c[name]);
    else if (c.has(key))
      c.put(name, c[key]);
  });
  add_defaults(c, type->defaults);
  if (type->flags & kRope) {
    standardize_rope(c);
  } else if (type->flags & kRopeNone) {
    if (!c.has("rope_parameters")) c.put("rope_parameters", c["rope_scaling"]);
    c.erase("rope_scaling");
  } else if (c.has("rope_scaling") && !c["rope_scaling"].is_none()) {
    c.put("rope_parameters", c["rope_scaling"]);
  }
  if (!type->nested.empty()) add_nested(c, *type, release);

  const std::string_view name = type->name;
  if (gates_sliding_window(name) && !c["use_sliding_window"].truthy()) {
    c.put("sliding_window", name == "qwen2_moe" ? Value(0) : Value());
  } else if (head_dim_is_rope_dim(name)) {
    c.put_if_absent("head_dim", c["qk_rope_head_dim"]);
  } else if (name == "glm_moe_dsa") {
    c.put("head_dim", c["qk_rope_head_dim"]);
  } else if (name == "nemotron_h" || name == "nemotron_h_puzzle") {
    nemotron_h(c);
  } else if (name == "longcat_flash") {
    if (c.has("num_layers")) c.put("num_hidden_layers", c["num_layers"]);
  } else if (name == "kimi_k25" || name == "kimi_k3") {
    const Value quantization = c["text_config"]["quantization_config"];
    if (!quantization.is_none()) c.put_if_absent("quantization_config", quantization);
  }
  return c;
}

std::optional<ModelType> nested_type(const ModelType* type, std::string_view key, const Value& json,
                                     Release release) {
  std::optional<ModelType> found;
  if (type)
    each_pair(type->nested, [&](std::string_view name, std::string_view usual) {
      if (name.front() == '+') name.remove_prefix(1);
      if (name == key) found = part_type(*type, key, usual, json, release);
    });
  return found;
}

std::string config_error(const ModelType* type, const Value& json, Release release, bool complete) {
  std::string error = fields_error(type, json);
  if (type)
    each_pair(type->nested, [&](std::string_view key, std::string_view usual) {
      if (key.front() == '+') key.remove_prefix(1);
      const Value& part = json[key];
      if (!part.is_dict() || !error.empty()) return;
      const std::optional<ModelType> nested = part_type(*type, key, usual, part, release);
      error = config_error(nested ? &*nested : nullptr, part, release, complete);
    });
  return error.empty() && complete ? layer_types_error(type, json) : error;
}

std::string config_class_name(bool known, std::string_view model_type) {
  if (!known) return "PreTrainedConfig";
  std::string name;
  bool start = true;
  for (char letter : model_type) {
    if (letter == '_' || letter == '-') {
      start = true;
      continue;
    }
    name +=
        start && letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    start = false;
  }
  return name + "Config";
}

}  // namespace sglint
