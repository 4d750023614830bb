#pragma once
// A change of a launch in terms of flags and environment variables, independent of how it is
// written.

#include <string>
#include <string_view>
#include <vector>

#include "arguments/fields.h"

namespace sglint {

struct Edit {
  enum class Kind : uint8_t { set_flag, unset_flag, set_env, unset_env };
  Kind kind = Kind::set_flag;
  Field field{};
  std::string env;    // for *_env
  std::string value;  // for set_*: as typed; empty for a flag without a value
};

// One way out of a finding: edits that belong together and what they cost, in words.
struct Fix {
  std::vector<Edit> edits;
  std::string_view price;  // "turns overlap scheduling off: lower decode throughput"; "" if free
};

Edit set(Field field, std::string value);
Edit unset(Field field);
Edit set_env(std::string name, std::string value);
Edit unset_env(std::string name);

template <class T>
Edit set(Key<T> key, std::string value = {}) {
  return set(key.id, std::move(value));
}
template <class T>
Edit unset(Key<T> key) {
  return unset(key.id);
}

}  // namespace sglint
