#include "base/python_text.h"

#include <rapidjson/internal/strtod.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/json.h"
#include "base/python_json.h"
#include "base/text.h"

namespace sglint {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The code point that begins at `at`, or -1 for bytes that are no UTF-8; `size` gets its length.
int32_t code_point(std::string_view s, size_t at, size_t* size) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(at);
  const size_t n = lead < 0x80       ? 1
                   : lead >> 5 == 6  ? 2
                   : lead >> 4 == 14 ? 3
                   : lead >> 3 == 30 ? 4
                                     : 0;
  *size = n ? n : 1;
  if (!n || at + n > s.size()) {
    *size = 1;
    return -1;
  }
  int32_t point = n == 1 ? lead : lead & (0xff >> (n + 1));
  for (size_t i = 1; i < n; ++i) {
    if (byte(at + i) >> 6 != 2) {
      *size = 1;
      return -1;
    }
    point = point << 6 | (byte(at + i) & 0x3f);
  }
  return point;
}

bool is_space(int32_t c) {
  return (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

// The value of a decimal digit in any script that commands are pasted in, or -1.
int digit_value(int32_t c) {
  for (int32_t zero : {0x30, 0x660, 0x6f0, 0x966, 0xff10})
    if (c >= zero && c <= zero + 9) return c - zero;
  return -1;
}

// `s` with other scripts' digits made ASCII and underscores between digits taken out; nullopt for
// an underscore elsewhere. Python does the same before it reads a number.
std::optional<std::string> plain_number(std::string_view s) {
  std::string out;
  out.reserve(s.size());
  for (size_t at = 0, size = 0; at < s.size(); at += size) {
    const int32_t c = code_point(s, at, &size);
    const int digit = digit_value(c);
    if (digit >= 0) {
      out += static_cast<char>('0' + digit);
    } else if (c == '_') {
      size_t next_size = 0;
      const bool between = !out.empty() && is_digit(out.back()) && at + 1 < s.size() &&
                           digit_value(code_point(s, at + 1, &next_size)) >= 0;
      if (!between) return std::nullopt;
    } else if (c > 0 && c < 0x80) {
      out += static_cast<char>(c);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

void append_escaped(std::string& out, std::string_view s) {
  char text[16];
  out += '"';
  for (size_t at = 0, size = 0; at < s.size(); at += size) {
    const int32_t c = code_point(s, at, &size);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\b') {
      out += "\\b";
    } else if (c == '\f') {
      out += "\\f";
    } else if (c >= 0x20 && c < 0x7f) {
      out += static_cast<char>(c);
    } else if (c > 0xffff) {
      snprintf(text, sizeof text, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
               0xdc00 + ((c - 0x10000) & 0x3ff));
      out += text;
    } else {
      // Bytes that are no UTF-8 reach Python as lone surrogates.
      const int32_t unit = c >= 0 ? c : 0xdc00 + static_cast<unsigned char>(s[at]);
      snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(unit));
      out += text;
    }
  }
  out += '"';
}

void append_json_dump(std::string& out, const Value& v) {
  switch (v.type()) {
    case Value::Type::none:
      out += "null";
      return;
    case Value::Type::boolean:
      out += v.as_bool() ? "true" : "false";
      return;
    case Value::Type::integer:
      out += std::to_string(v.as_int());
      return;
    case Value::Type::real: {
      const double d = v.as_real();
      out += std::isnan(d)   ? "NaN"
             : std::isinf(d) ? (d > 0 ? "Infinity" : "-Infinity")
                             : real_repr(d);
      return;
    }
    case Value::Type::string:
      append_escaped(out, v.as_str());
      return;
    case Value::Type::list: {
      out += '[';
      bool first = true;
      for (const Value& item : v.as_list()) {
        if (!first) out += ", ";
        first = false;
        append_json_dump(out, item);
      }
      out += ']';
      return;
    }
    case Value::Type::dict: {
      out += '{';
      bool first = true;
      for (const auto& [key, item] : v.as_dict()) {
        if (!first) out += ", ";
        first = false;
        append_escaped(out, key);
        out += ": ";
        append_json_dump(out, item);
      }
      out += '}';
      return;
    }
  }
}

std::string_view take_digits(std::string_view& s) {
  const std::string_view digits =
      s.substr(0, std::min(s.find_first_not_of("0123456789"), s.size()));
  s.remove_prefix(digits.size());
  return digits;
}

}  // namespace

std::string_view python_type(const Value& v) {
  static constexpr const char* kNames[] = {"NoneType", "bool", "int", "float",
                                           "str",      "list", "dict"};
  return kNames[static_cast<size_t>(v.type())];
}

std::string_view python_strip(std::string_view s) {
  size_t size = 0;
  while (!s.empty() && is_space(code_point(s, 0, &size))) s.remove_prefix(size);
  while (!s.empty()) {
    size_t start = s.size() - 1;
    while (start > 0 && static_cast<unsigned char>(s[start]) >> 6 == 2) --start;
    if (!is_space(code_point(s, start, &size)) || start + size != s.size()) break;
    s.remove_suffix(size);
  }
  return s;
}

std::optional<int64_t> python_int(std::string_view s) {
  s = python_strip(s);
  const bool negative = !s.empty() && s.front() == '-';
  if (!s.empty() && (s.front() == '-' || s.front() == '+')) s.remove_prefix(1);
  const std::optional<std::string> digits = plain_number(s);
  // Python itself refuses more than 4300 digits.
  if (!digits || digits->empty() || digits->size() > 4300) return std::nullopt;
  uint64_t n = 0;
  constexpr uint64_t kMost = static_cast<uint64_t>(INT64_MAX);
  bool too_large = false;
  for (char c : *digits) {
    if (!is_digit(c)) return std::nullopt;
    too_large = too_large || n > (kMost - static_cast<uint64_t>(c - '0')) / 10;
    if (!too_large) n = n * 10 + static_cast<uint64_t>(c - '0');
  }
  if (too_large) return negative ? INT64_MIN : INT64_MAX;
  return negative ? -static_cast<int64_t>(n) : static_cast<int64_t>(n);
}

std::optional<double> python_float(std::string_view s) {
  s = python_strip(s);
  const std::optional<std::string> text = plain_number(s);
  if (!text || text->empty()) return std::nullopt;
  std::string_view rest = *text;
  const bool negative = rest.front() == '-';
  if (negative || rest.front() == '+') rest.remove_prefix(1);
  const double sign = negative ? -1 : 1;
  const std::string word = lower(rest);
  if (one_of(word, {"inf", "infinity"})) return sign * std::numeric_limits<double>::infinity();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  std::string digits(take_digits(rest));
  auto point = static_cast<int64_t>(digits.size());  // where it stands in `digits`
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    digits += take_digits(rest);
  }
  if (digits.empty()) return std::nullopt;
  if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E')) {
    rest.remove_prefix(1);
    const std::optional<int64_t> exponent = python_int(rest);
    if (!exponent || python_strip(rest) != rest) return std::nullopt;
    point += std::clamp<int64_t>(*exponent, -100000, 100000);
    rest = {};
  }
  if (!rest.empty()) return std::nullopt;
  const size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
  digits.erase(0, zeros);
  point -= static_cast<int64_t>(zeros);
  // RapidJSON's conversion is exact, but reads beside its tables outside of a double's range.
  if (digits.empty() || point < -323 || (point == -323 && digits < "247032822920623272088"))
    return sign * 0.0;
  if (point > 309 || (point == 309 && digits >= "179769313486231580793728971405303415"))
    return sign * std::numeric_limits<double>::infinity();
  const int exponent = static_cast<int>(point - static_cast<int64_t>(digits.size()));
  double whole = 0;
  const bool exact = digits.size() <= 15;  // then one multiplication does
  for (size_t i = 0; exact && i < digits.size(); ++i) whole = whole * 10 + (digits[i] - '0');
  constexpr int kNotExact = 1000;
  return sign * rapidjson::internal::StrtodFullPrecision(whole, exact ? exponent : kNotExact,
                                                         digits.data(), digits.size(),
                                                         digits.size(), exponent);
}

std::optional<double> leading_number(std::string_view& s) {
  std::string_view rest = s;
  take_digits(rest);
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    take_digits(rest);
  }
  const std::optional<double> number = python_float(s.substr(0, s.size() - rest.size()));
  if (number) s = rest;
  return number;
}

std::optional<Value> python_json_loads(std::string_view s, std::string* error) {
  std::optional<Value> value = parse_json(s);
  if (value) return value;
  *error = python_json_error(s);
  if (!error->empty()) return std::nullopt;
  return Value();  // Python reads it, for instance lone surrogates; nothing here can hold it
}

std::string python_json_dumps(const Value& v) {
  std::string out;
  append_json_dump(out, v);
  return out;
}

}  // namespace sglint
