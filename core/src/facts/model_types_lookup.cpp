#include "base/rows.h"
#include "facts/model_types.h"

namespace sglint {

std::optional<ModelType> find_model_type(std::string_view name, Release release) {
  static const SortedRows kRows(kModelTypeRows);
  std::string_view rows = kRows.from(name);
  std::string_view row = take_until(rows, '\n');
  const auto cell = [&row] { return take_until(row, '\t'); };
  ModelType type;
  type.name = cell();
  type.flags = static_cast<uint8_t>(cell_number(cell()));
  type.defaults = cell();
  type.renamed = cell();
  type.nested = cell();
  type.since = static_cast<Release>(cell_number(cell()));
  type.fields = cell();
  if (type.name != name || type.since > release) return std::nullopt;
  return type;
}

}  // namespace sglint
