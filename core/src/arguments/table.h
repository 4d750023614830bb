#pragma once
// The argument parser of each release as data: options, parser defaults. Written by
// core/data/generate_arguments.py.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "arguments/fields.h"
#include "base/release.h"

namespace sglint {

enum class Action : uint8_t {
  store, store_true, boolean_optional, help, lora_path,
  deprecated_alias_store, deprecated_store_true, deprecated_store_const, deprecated_removed
};
enum class ArgType : uint8_t {
  none, str, int_, float_, human_readable_int, nullable_str, loads, json_list_type,
  parse_cuda_graph_config_arg
};
enum class ChoiceType : uint8_t { string, integer };

inline constexpr Field kNoField = static_cast<Field>(0xffff);  // --help has no field

// A constant of the table. Lists and dicts are JSON text.
struct Constant {
  Value::Type type = Value::Type::none;
  int64_t integer = 0;
  double real = 0;
  const char* text = nullptr;
  Value value() const;
};

struct Strings {
  const std::string_view* data = nullptr;
  size_t count = 0;
  const std::string_view* begin() const { return data; }
  const std::string_view* end() const { return data + count; }
  bool empty() const { return count == 0; }
};

struct Option {
  Strings names;  // "--model-path", "--model"
  Field dest;
  Action action;
  ArgType type;
  const char* nargs;  // "", "?", "*", "+"
  Constant constant;
  Constant fallback;  // argparse's default=
  Strings choices;
  ChoiceType choice_type;
  bool choices_unordered;  // SGLang prints them in set order
  bool required;
  const char* metavar;
  const char* replacement;    // of a deprecated option
  const char* stores;         // the constant of a deprecated_store_const
  const char* error_message;  // of a deprecated_removed
};

struct FieldDefault {
  Field field;
  Constant value;
};

struct ArgumentTable {
  std::string_view release;
  std::string_view prog;
  std::span<const Option> pool;            // options of all releases
  std::span<const uint16_t> order;         // those of this release, in the parser's order
  std::span<const FieldDefault> defaults;  // those of this release
};

std::span<const ArgumentTable> argument_tables();  // by Release
std::string_view field_name(Field field);          // "linear_attn_decode_backend"
inline const ArgumentTable& argument_table(Release r) { return argument_tables()[static_cast<size_t>(r)]; }

// The parser's defaults of a release, indexed by Field; fields the release lacks are None.
const std::vector<Value>& field_defaults(Release release);
bool has_field(Release release, Field field);

// Whether ServerArgs has the field in any release: --config and some removed flags have a dest only.
bool is_server_args_field(Field field);

// The option that sets a field without being deprecated ("--tensor-parallel-size"), nullptr if none.
const Option* option_of(Release release, Field field);

}  // namespace sglint
