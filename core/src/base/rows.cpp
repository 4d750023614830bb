#include "base/rows.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/json.h"

namespace sglint {

std::string_view take_until(std::string_view& rest, char separator) {
  const size_t end = rest.find(separator);
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  return taken;
}

int64_t cell_number(std::string_view cell) {
  return strtoll(std::string(cell).c_str(), nullptr, 10);
}

std::string_view Words::first_word(const char* at, const char* end) {
  const std::string_view rest(at, static_cast<size_t>(end - at));
  return rest.substr(0, rest.find(' '));
}

SortedRows::SortedRows(std::string_view rows) : rows_(rows) {
  for (size_t at = 0; at < rows.size(); at = rows.find('\n', at) + 1)
    starts_.push_back(static_cast<uint32_t>(at));
}

std::string_view SortedRows::from(std::string_view key) const {
  // What ends a row's first cell comes before every character of a longer key.
  const auto it = std::lower_bound(starts_.begin(), starts_.end(), key,
                                   [this](uint32_t start, std::string_view wanted) {
                                     return rows_.compare(start, wanted.size(), wanted) < 0;
                                   });
  return it == starts_.end() ? std::string_view() : rows_.substr(*it);
}

Value cell_value(std::string_view cell) {
  const char kind = cell.empty() ? '\0' : cell[0];
  if (kind) cell.remove_prefix(1);
  switch (kind) {
    case 't':
      return true;
    case 'f':
      return false;
    case 'i':
      return cell_number(cell);
    case 'r':
      return parse_json(cell).value_or(Value()).as_real();
    case 's':
      return cell;
    case 'j':
      return parse_json(cell).value_or(Value());
    default:
      return {};
  }
}

}  // namespace sglint
