#pragma once
// The types that transformers' config classes check: huggingface_hub's strict dataclasses. Each
// function gives the message of what is raised, "" if nothing is.

#include <string>
#include <string_view>

#include "base/value.h"
#include "facts/model_types.h"

namespace sglint {

// config.key = value. `type` is nullptr for a class of the model's own code.
std::string field_error(const ModelType* type, std::string_view key, const Value& value);

// The first of the keys of a config.json, in the order of the class.
std::string fields_error(const ModelType* type, const Value& json);

// PreTrainedConfig.validate_layer_type: as many kinds of layers as layers. SGLang's own classes and
// those of a model's own code may cut the list to fit.
std::string layer_types_error(const ModelType* type, const Value& json);

}  // namespace sglint
