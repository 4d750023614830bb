#include "rules/draft_model.h"

#include "base/json.h"
#include "base/python_text.h"
#include "base/text.h"
#include "rules/hf_config.h"

namespace sglint {
namespace {

// Python's int(x); nullopt where it raises.
std::optional<int64_t> whole_number(const Value& v) {
  if (v.is_number()) return v.as_int();
  if (!v.is_str()) return std::nullopt;
  return python_int(v.as_str());
}

// dflash_utils._parse_optional_int with min_value 1. Returns false and says why where SGLang
// raises.
bool positive_or_none(const Value& v, std::string_view name, DraftBlock& out) {
  out.size.reset();
  if (v.is_none()) return true;
  const std::optional<int64_t> n = whole_number(v);
  if (!n) {
    out.error = fill("Invalid {}={}.", {name, repr(v)});
  } else if (*n < 1) {
    out.error = fill("{} must be positive, got {}.", {name, *n});
  } else {
    out.size = n;
  }
  return out.error.empty();
}

// A key of the nested section if it has it (even as null), else of the config itself.
const Value& section_or_top(const Value& config, std::string_view section, std::string_view key) {
  const Value* own = config[section].find(key);
  return own ? *own : config[key];
}

const Value& text_config(const Value& config) {
  return config["text_config"].is_dict() ? config["text_config"] : config;
}

}  // namespace

std::optional<Value> draft_model_config(Resolution& r, bool with_overrides) {
  const std::string_view path = r.get(f::speculative_draft_model_path).value_or("");
  std::optional<ModelFiles> storage;
  const ModelFiles* files = find_model_files(r, path, storage);
  if (!files) {
    r.assume(
        fill("The draft model {} exists and its config.json asks for nothing special.", {path}));
    return std::nullopt;
  }
  std::optional<Value> config = files->config;
  if (!with_overrides) return config;
  const std::optional<Value> overrides = parse_json(r.get(f::json_model_override_args));
  if (!overrides) return config;
  for (const Value::Item& o : overrides->as_dict()) {
    Value value = o.second;
    if ((*config)[o.first].is_dict() && merges_override(r.release(), o.first, value)) {
      value = (*config)[o.first];
      for (const Value::Item& inner : o.second.as_dict())
        value = value.with(inner.first, inner.second);
    }
    config = config->with(o.first, std::move(value));
  }
  return config;
}

DraftBlock dflash_block_size(const Value& config, Release release) {
  DraftBlock out;
  if (!positive_or_none(text_config(config)["num_hidden_layers"], "DFLASH draft num_hidden_layers",
                        out))
    return out;
  if (!positive_or_none(section_or_top(config, "dflash_config", "num_target_layers"),
                        "DFLASH draft num_target_layers", out))
    return out;
  if (!positive_or_none(section_or_top(config, "dflash_config", "block_size"), "DFLASH block_size",
                        out))
    return out;
  const Value& layers = section_or_top(config, "dflash_config", "target_layer_ids");
  if (!layers.is_none()) {
    if (!layers.is_list()) {
      const char* type = layers.is_str()    ? "str"
                         : layers.is_dict() ? "dict"
                         : layers.is_bool() ? "bool"
                                            : "int";
      out.error = fill("DFLASH dflash_config.target_layer_ids must be a list of ints, got type={}.",
                       {type});
    } else if (layers.as_list().empty()) {
      out.error =
          "DFLASH dflash_config.target_layer_ids must be non-empty. Got len(target_layer_ids)=0.";
    }
    if (!out.error.empty()) return out;
  }
  // Before 0.5.18 only the nested section could name the mask token.
  const auto mask = [&](std::string_view key) -> const Value& {
    return release >= Release::v0_5_18 ? section_or_top(config, "dflash_config", key)
                                       : config["dflash_config"][key];
  };
  const Value& token = mask("mask_token");
  if (!token.is_none() && (!token.is_str() || token.as_str().empty())) {
    out.error =
        fill("DFLASH dflash_config.mask_token must be a non-empty string, got {}.", {repr(token)});
    return out;
  }
  const Value& id = mask("mask_token_id");
  if (!id.is_none() && !id.is_int()) {
    const char* type = id.is_str()    ? "str"
                       : id.is_bool() ? "bool"
                       : id.is_real() ? "float"
                                      : "list";
    out.error = fill("DFLASH dflash_config.mask_token_id must be an integer, got {} (type={}).",
                     {repr(id), type});
  } else if (id.is_int() && id.as_int() < 0) {
    out.error = fill("DFLASH dflash_config.mask_token_id must be non-negative, got {}.", {id});
  }
  return out;
}

DraftBlock dspark_gamma(const Value& config, Release release) {
  DraftBlock out = dflash_block_size(config, release);
  if (!out.error.empty()) return out;
  const bool prefixed = bundles_dspark_draft(config);
  const auto setting = [&](std::string_view key, std::string_view prefixed_key) -> const Value& {
    if (!config[prefixed_key].is_none()) return config[prefixed_key];
    if (const Value* own = config["dspark_config"].find(key)) return *own;
    if (const Value* own = text_config(config).find(key)) return *own;
    return config[key];
  };
  const int64_t rank = whole_number(setting("markov_rank", "dspark_markov_rank")).value_or(0);
  if (rank < 0) {
    out.error = fill("DSpark markov_rank must be >= 0, got {}.", {rank});
    return out;
  }
  const Value& head = setting("markov_head_type", "dspark_markov_head_type");
  if (rank > 0 && head.is_none() && !prefixed) {
    out.error = "DSpark requires markov_head_type when markov_rank > 0, got None.";
    return out;
  }
  if (!head.is_none()) {
    const std::string name = lower(str(head));
    if (!one_of(name, {"vanilla", "gated", "rnn"})) {
      out.error =
          fill("Unsupported DSpark markov_head_type={}. Supported: ('vanilla', 'gated', 'rnn').",
               {repr(std::string_view(name))});
      return out;
    }
  }
  const Value& mask = setting("mask_token_id", "dspark_noise_token_id");
  if (mask.is_number() && mask.as_int() < 0) {
    out.error = fill("DSpark mask_token_id must be non-negative, got {}.", {mask.as_int()});
    return out;
  }
  if (!config["dspark_block_size"].is_none()) out.size = whole_number(config["dspark_block_size"]);
  return out;
}

bool bundles_dspark_draft(const Value& target_config) {
  for (std::string_view key : {"dspark_block_size", "dspark_markov_rank", "dspark_noise_token_id",
                               "dspark_target_layer_ids"})
    if (!target_config[key].is_none()) return true;
  return false;
}

}  // namespace sglint
