#include <algorithm>

#include "base/rows.h"
#include "facts/model_types.h"

namespace sglint {
namespace {

std::vector<ModelType> read_types() {
  std::vector<ModelType> all;
  std::string_view rows = kModelTypeRows;
  while (!rows.empty()) {
    std::string_view row = take_until(rows, '\n');
    const auto cell = [&row] { return take_until(row, '\t'); };
    ModelType type;
    type.name = cell();
    type.flags = static_cast<uint8_t>(cell_number(cell()));
    type.defaults = cell();
    type.renamed = cell();
    type.nested = cell();
    type.since = static_cast<Release>(cell_number(cell()));
    all.push_back(type);
  }
  return all;
}

}  // namespace

std::span<const std::string_view> model_type_keys() {
  static const std::vector<std::string_view> kKeys = cell_words(kModelTypeKeys);
  return kKeys;
}

std::span<const ModelType> model_types() {
  static const std::vector<ModelType> kTypes = read_types();
  return kTypes;
}

const ModelType* find_model_type(std::string_view name, Release release) {
  const std::span<const ModelType> all = model_types();
  const auto it =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const ModelType& t, std::string_view n) { return t.name < n; });
  return it != all.end() && it->name == name && it->since <= release ? &*it : nullptr;
}

}  // namespace sglint
