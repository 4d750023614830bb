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

template <class T>
Edit set(Key<T> key, std::string value = {}) {
  return {Edit::Kind::set_flag, key.id, {}, std::move(value)};
}
template <class T>
Edit unset(Key<T> key) {
  return {Edit::Kind::unset_flag, key.id, {}, {}};
}
inline Edit set_env(std::string name, std::string value) {
  return {Edit::Kind::set_env, {}, std::move(name), std::move(value)};
}
inline Edit unset_env(std::string name) { return {Edit::Kind::unset_env, {}, std::move(name), {}}; }

}  // namespace sglint
