#pragma once
// What is known of a model before SGLang looks at it: the files beside its weights.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"

namespace sglint {

// Contents of a model folder that SGLang reads during argument resolution.
struct ModelFiles {
  std::string name;         // hub id or path
  Value config;             // config.json
  Value hf_quant_config;    // hf_quant_config.json, None if absent
  Value generation_config;  // generation_config.json, None if absent
  bool from_catalogue = false;
  std::string taken_from;  // the path that was taken for `name`, "" where it was named outright
};

// The catalogue's facts of a public model (core/data/models.ndjson), by hub id; "org__name" is
// taken for "org/name".
std::optional<ModelFiles> find_model(std::string_view hub_id);
// The same for the path of a folder or another account's copy, which keep the model's name:
// /models/Qwen3-8B, …/hub/models--Qwen--Qwen3-8B/snapshots/0123abc.
std::optional<ModelFiles> find_model_like(std::string_view path);
std::vector<std::string_view> model_names();

}  // namespace sglint
