#include "rules/config_fields.h"

#include "base/python_text.h"
#include "base/rows.h"
#include "base/text.h"
#include "rules/model_config_rules.h"

namespace sglint {
namespace {

// A type of a field: its letter in the tables (core/data/generate_model_types.py), Python's name
// for a message about a value, and what a union of types prints.
struct FieldType {
  char letter;
  const char* name;
  const char* printed;
};

constexpr FieldType kTypes[] = {
    {'n', "NoneType", "<class 'NoneType'>"},
    {'b', "bool", "<class 'bool'>"},
    {'i', "int", "<class 'int'>"},
    {'f', "float", "<class 'float'>"},
    {'s', "str", "<class 'str'>"},
    {'d', "dict", "<class 'dict'>"},
    {'L', "str", "list[str]"},
    {'I', "int", "list[int]"},
    {'R', "", "<class 'transformers.modeling_rope_utils.RopeParameters'>"},
};

const FieldType& type_of(char letter) {
  for (const FieldType& type : kTypes)
    if (type.letter == letter) return type;
  return kTypes[0];
}

// type_validator for one type: what it raises, "" where the value is of the type.
std::string type_error(std::string_view key, const Value& value, char letter) {
  const FieldType& type = type_of(letter);
  if (letter == 'R') return "TypedDict does not support instance and class checks";
  if (letter == 'L' || letter == 'I') {
    if (!value.is_list())
      return fill("Field '{}' expected a list, got {}", {key, python_type(value)});
    int64_t i = 0;
    for (const Value& item : value.as_list()) {
      if (python_type(item) != std::string_view(type.name))
        return fill("Invalid item at index {} in list '{}'", {i, key});
      ++i;
    }
    return {};
  }
  if (python_type(value) == std::string_view(type.name)) return {};
  return fill("Field '{}' expected {}, got {} (value: {})",
              {key, type.name, python_type(value), repr(value)});
}

std::string check(std::string_view key, const Value& value, std::string_view types) {
  std::string printed, errors;
  for (char letter : types) {
    const std::string error = type_error(key, value, letter);
    if (error.empty()) return {};
    if (!printed.empty()) {
      printed += ", ";
      errors += "; ";
    }
    printed += type_of(letter).printed;
    errors += error;
  }
  if (types.size() > 1)
    errors = fill("Field '{}' with value {} doesn't match any type in ({}). Errors: {}",
                  {key, repr(value), printed, errors});
  return fill(kConfigFieldType.message, {key, errors});
}

// Calls f(key, types) for what every class declares and for what this one does, until f says true.
template <class F>
void each_field(const ModelType* type, F f) {
  if (f("architectures", "Ln") || f("is_encoder_decoder", "b") || !type) return;
  struct Declared {
    std::string_view key, types;
  } table[52];  // by letter
  size_t size = 0;
  for (const std::string_view word : Words(kModelFields)) {
    (size % 2 ? table[size / 2].types : table[size / 2].key) = word;
    ++size;
  }
  for (size_t i = 0; i < type->fields.size(); ++i) {
    const char letter = type->fields[i];
    if (letter == '?') continue;
    const Declared& field = table[letter <= 'Z' ? letter - 'A' : letter - 'a' + 26];
    std::string types(field.types);
    if (i + 1 < type->fields.size() && type->fields[i + 1] == '?') {
      if (types.back() == 'n')
        types.pop_back();
      else
        types += 'n';
    }
    if (f(field.key, types)) return;
  }
}

}  // namespace

std::string field_error(const ModelType* type, std::string_view key, const Value& value) {
  std::string error;
  each_field(type, [&](std::string_view name, std::string_view types) {
    if (name != key) return false;
    error = check(key, value, types);
    return true;
  });
  return error;
}

std::string fields_error(const ModelType* type, const Value& json) {
  std::string error;
  each_field(type, [&](std::string_view key, std::string_view types) {
    if (const Value* value = json.find(key)) error = check(key, *value, types);
    return !error.empty();
  });
  return error;
}

std::string layer_types_error(const ModelType* type, const Value& json) {
  if (!type || type->flags & kLocalClass) return {};
  bool declared = false;
  each_field(type, [&](std::string_view key, std::string_view) {
    return declared = declared || key == "layer_types";
  });
  if (!declared) return {};
  const Value& layers = json["num_hidden_layers"];
  for (const char* key : {"layer_types", "mlp_layer_types"}) {
    const Value& types = json[key];
    if (!types.is_list() || !layers.is_int()) return {};
    const int64_t count = static_cast<int64_t>(types.as_list().size());
    if (count != layers.as_int()) return fill(kConfigLayerTypes.message, {layers, key, count});
  }
  return {};
}

}  // namespace sglint
