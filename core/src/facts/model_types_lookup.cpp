#include <algorithm>

#include "facts/model_types.h"

namespace sglint {

const ModelType* find_model_type(std::string_view name, Release release) {
  const std::span<const ModelType> all = model_types();
  const auto it =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const ModelType& t, std::string_view n) { return t.name < n; });
  return it != all.end() && it->name == name && it->since <= release ? &*it : nullptr;
}

}  // namespace sglint
