#pragma once
// The argument parser of each release as data: options, parser defaults. The rows are written by
// core/data/generate_arguments.py and read here when a release is first asked for.

#include <cstdint>
#include <string_view>
#include <vector>

#include "arguments/fields.h"
#include "base/release.h"
#include "base/rows.h"

namespace sglint {

// In the order of the generator's numbers.
enum class Action : uint8_t {
  store,
  store_true,
  boolean_optional,
  help,
  lora_path,
  deprecated_alias_store,
  deprecated_store_true,
  deprecated_store_const,
  deprecated_removed
};
enum class ArgType : uint8_t {
  none,
  str,
  int_,
  float_,
  human_readable_int,
  nullable_str,
  loads,
  json_list_type,
  parse_cuda_graph_config_arg
};

inline constexpr Field kNoField = static_cast<Field>(-1);  // --help has no field

struct Option {
  Words names;  // "--model-path", "--model"
  Field dest;
  Action action;
  ArgType type;
  std::string_view nargs;  // "", "?", "*", "+"
  bool integer_choices;
  bool choices_unordered;  // SGLang prints them in set order
  bool required;
  Words choices;
  std::string_view constant_cell;
  std::string_view rare_cells;

  Value constant() const { return cell_value(constant_cell); }
  std::string_view replacement() const { return rare(0); }  // of a deprecated option
  std::string_view stores() const { return rare(1); }  // the constant of a deprecated_store_const
  std::string_view error_message() const { return rare(2); }  // of a deprecated_removed

 private:
  std::string_view rare(int cell) const;
};

struct ArgumentTable {
  std::vector<Option> options;  // in the parser's order
  std::vector<Value> defaults;  // the parser's, indexed by Field; None for fields the release lacks
  std::vector<bool> has;        // indexed by Field
};

const ArgumentTable& argument_table(Release release);
std::string_view field_name(Field field);  // "linear_attn_decode_backend"

// The parser's defaults of a release, indexed by Field; fields the release lacks are None.
inline const std::vector<Value>& field_defaults(Release release) {
  return argument_table(release).defaults;
}
inline bool has_field(Release release, Field field) {
  return argument_table(release).has[static_cast<size_t>(field)];
}

// Whether what an option sets is a field of ServerArgs: --config and some removed flags have a dest
// only.
bool is_server_args_field(Field field, Release release = kReferenceRelease);

// The option that sets a field without being deprecated ("--tensor-parallel-size"), nullptr if
// none.
const Option* option_of(Release release, Field field);

// Rows of cells (base/rows.h). Option: names, bits of the releases, Field ("" the one after the
// last row's), Action, ArgType, nargs, i integer choices + u unordered + r required, choices,
// constant, replacement, stores, error message. Field: name, then bits of releases and the default
// there, repeated.
extern const char kOptionRows[];
extern const char kFieldRows[];

}  // namespace sglint
