#pragma once
// What transformers' and SGLang's config classes make of a config.json.

#include <optional>
#include <string>
#include <string_view>

#include "base/value.h"
#include "facts/model_types.h"
#include "rules/config_object.h"

namespace sglint {

// config_class(**json): renamed attributes, defaults, dtype, RoPE parameters, nested configs, and
// what single classes do besides. `type` is nullptr for a class of the model's own code.
ConfigObject build_config(const ModelType* type, const Value& json, Release release);

// The class of a part of a config, "text_config" and the like, whose content is `json`. Nothing: a
// class of the model's own code.
std::optional<ModelType> nested_type(const ModelType* type, std::string_view key, const Value& json,
                                     Release release);

// What the classes raise at the types of a config.json's values and, where it is `complete`, at the
// number of its layers; "" if nothing.
std::string config_error(const ModelType* type, const Value& json, Release release, bool complete);

// The name of the class of a known model_type, or of what stands in for it, for messages of Python.
std::string config_class_name(bool known, std::string_view model_type);

}  // namespace sglint
