#include "facts/env.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"

namespace sglint {

const EnvVariable* find_env_variable(std::string_view name) {
  const std::span<const EnvVariable> all = env_variables();
  const auto it = std::lower_bound(all.begin(), all.end(), name,
                                   [](const EnvVariable& v, std::string_view n) { return v.name < n; });
  return it != all.end() && it->name == name ? &*it : nullptr;
}

void Environment::erase(std::string_view name) {
  const auto it = values_.find(name);
  if (it != values_.end()) values_.erase(it);
}

std::optional<std::string_view> Environment::raw(std::string_view name) const {
  const auto it = values_.find(name);
  if (it == values_.end()) return std::nullopt;
  return std::string_view(it->second);
}

Value Environment::get(std::string_view name) const {
  const EnvVariable* variable = find_env_variable(name);
  const std::optional<std::string_view> text = raw(name);
  if (!variable) return text ? Value(*text) : Value();
  if (!text) return variable->fallback.value();
  const std::string value(*text);
  char* end = nullptr;
  switch (variable->type) {
    case EnvType::bool_: {
      const std::string word = lower(value);
      if (one_of(word, {"true", "1", "yes", "y"})) return true;
      if (one_of(word, {"false", "0", "no", "n"})) return false;
      return variable->fallback.value();
    }
    case EnvType::int_: {
      const long long n = strtoll(value.c_str(), &end, 10);
      if (end == value.c_str() || *end) return variable->fallback.value();
      return static_cast<int64_t>(n);
    }
    case EnvType::float_: {
      const double n = strtod(value.c_str(), &end);
      if (end == value.c_str() || *end) return variable->fallback.value();
      return n;
    }
    default: return value;
  }
}

bool Environment::flag(std::string_view name) const { return get(name).truthy(); }

}  // namespace sglint
