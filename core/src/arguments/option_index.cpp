#include "arguments/option_index.h"

#include <algorithm>

#include "base/sort.h"
#include "base/text.h"

namespace sglint {

OptionIndex::OptionIndex(const ArgumentTable& table) {
  uint16_t order = 0;
  sorted_.reserve(table.options.size() * 9 / 8);  // few options have a second name
  for (const Option& option : table.options) {
    for (std::string_view name : option.names) sorted_.push_back({name, &option, order++});
    if (option.required) required_.push_back(&option);
  }
  stable_sort(sorted_, [](const OptionName& a, const OptionName& b) { return a.name < b.name; });
}

const OptionName* OptionIndex::find(std::string_view name) const {
  const auto it = std::lower_bound(
      sorted_.begin(), sorted_.end(), name,
      [](const OptionName& entry, std::string_view wanted) { return entry.name < wanted; });
  return it != sorted_.end() && it->name == name ? &*it : nullptr;
}

std::vector<OptionName> OptionIndex::beginning_with(std::string_view prefix) const {
  std::vector<OptionName> found;
  auto it = std::lower_bound(
      sorted_.begin(), sorted_.end(), prefix,
      [](const OptionName& entry, std::string_view wanted) { return entry.name < wanted; });
  for (; it != sorted_.end() && starts_with(it->name, prefix); ++it) found.push_back(*it);
  stable_sort(found, [](const OptionName& a, const OptionName& b) { return a.order < b.order; });
  return found;
}

namespace {

OptionIndex make_index(Release release) { return OptionIndex(argument_table(release)); }

}  // namespace

const OptionIndex& option_index(Release release) { return of_release<make_index>(release); }

}  // namespace sglint
