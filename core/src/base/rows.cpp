#include "base/rows.h"

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

std::vector<std::string_view> cell_words(std::string_view cell) {
  std::vector<std::string_view> words;
  while (!cell.empty()) words.push_back(take_until(cell, ' '));
  return words;
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
      return strtod(std::string(cell).c_str(), nullptr);
    case 's':
      return cell;
    case 'j':
      return parse_json(cell).value_or(Value());
    default:
      return {};
  }
}

}  // namespace sglint
