#include "base/number.h"

#include <cstdlib>
#include <limits>
#include <string>

#include "base/text.h"

namespace sglint {
namespace {

std::string_view strip(std::string_view s) {
  constexpr std::string_view kBlanks = " \t\n\r\f\v\x1c\x1d\x1e\x1f";
  const size_t begin = s.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(kBlanks) - begin + 1);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Copies digits without the underscores that may stand between two of them; false on anything else.
bool take_digits(std::string_view& s, std::string& out) {
  size_t count = 0;
  while (!s.empty()) {
    if (is_digit(s[0])) {
      out += s[0];
      ++count;
    } else if (s[0] != '_' || count == 0 || s.size() < 2 || !is_digit(s[1])) {
      break;
    }
    s.remove_prefix(1);
  }
  return count > 0;
}

void take_sign(std::string_view& s, std::string& out) {
  if (s.empty() || (s[0] != '+' && s[0] != '-')) return;
  out += s[0];
  s.remove_prefix(1);
}

}  // namespace

std::optional<int64_t> parse_python_int(std::string_view text) {
  std::string_view s = strip(text);
  std::string plain;
  take_sign(s, plain);
  if (!take_digits(s, plain) || !s.empty()) return std::nullopt;
  return strtoll(plain.c_str(), nullptr, 10);
}

std::optional<double> parse_python_float(std::string_view text) {
  std::string_view s = strip(text);
  std::string plain;
  take_sign(s, plain);
  const double sign = plain == "-" ? -1 : 1;
  const std::string word = lower(s);
  if (word == "inf" || word == "infinity") return sign * std::numeric_limits<double>::infinity();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  const bool whole = take_digits(s, plain);
  bool fraction = false;
  if (!s.empty() && s[0] == '.') {
    plain += '.';
    s.remove_prefix(1);
    fraction = take_digits(s, plain);
  }
  if (!whole && !fraction) return std::nullopt;
  if (!s.empty() && (s[0] == 'e' || s[0] == 'E')) {
    plain += 'e';
    s.remove_prefix(1);
    take_sign(s, plain);
    if (!take_digits(s, plain)) return std::nullopt;
  }
  if (!s.empty()) return std::nullopt;
  return strtod(plain.c_str(), nullptr);
}

}  // namespace sglint
