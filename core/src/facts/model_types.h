#pragma once
// The `model_type`s that SGLang can load and what their config classes do with a config.json.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/release.h"

namespace sglint {

inline constexpr uint8_t kLocalClass = 1;  // SGLang's own class stands in AutoConfig's table
inline constexpr uint8_t kReloaded =
    2;  // SGLang loads the config again with the class of its registry
inline constexpr uint8_t kRope =
    4;  // the class turns rope_theta and rope_scaling into rope_parameters
inline constexpr uint8_t kRopeNone = 8;  // the class has rope_scaling, None if config.json has none

struct ModelType {
  std::string_view name;
  std::string_view defaults;  // letter of the key, value; again and again
  std::string_view renamed;   // "hidden_size=n_embd,…": attribute=key in config.json
  std::string_view nested;  // "+text_config=qwen3_vl_text,…"; + where it exists even if left out
  uint8_t flags = 0;
  Release since = Release::v0_5_15_post1;
  std::string_view fields;  // letters of the keys whose type is checked, "?" after the unusual ones
};

std::optional<ModelType> find_model_type(std::string_view name, Release release);

// Rows of cells (base/rows.h), sorted by name: name, flags, defaults, renamed, nested, since,
// fields. Keys: the words that 'A', 'B', … of `defaults` stand for. Fields: the same for `fields`,
// each with the letters of its types (generate_model_types.py).
extern const char kModelTypeRows[];
extern const char kModelTypeKeys[];
extern const char kModelFields[];

}  // namespace sglint
