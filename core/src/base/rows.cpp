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

std::string_view Words::first_word(const char* at, const char* end) {
  const std::string_view rest(at, static_cast<size_t>(end - at));
  return rest.substr(0, rest.find(' '));
}

std::string_view rows_from(std::string_view rows, std::string_view key) {
  // Between two starts of rows, the answer among them.
  size_t low = 0, high = rows.size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const size_t before = middle == 0 ? rows.npos : rows.rfind('\n', middle - 1);
    const size_t start = before == rows.npos ? 0 : before + 1;
    std::string_view row = rows.substr(start);
    row = take_until(row, '\n');
    const size_t end = start + row.size() + 1;
    if (take_until(row, '\t') < key)
      low = end;
    else
      high = start;
  }
  return rows.substr(low);
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
