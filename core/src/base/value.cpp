#include "base/value.h"

#include <rapidjson/internal/dtoa.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/python_text.h"

namespace sglint {

// Out of line: a Value is made and dropped at thousands of places.
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

Value::Value(const char* literal) : type_(Type::string), text_(literal), size_(strlen(literal)) {}

Value::Value(std::string s) : type_(Type::string) {
  auto owned = std::make_shared<const std::string>(std::move(s));
  text_ = owned->data();
  size_ = owned->size();
  owner_ = std::move(owned);
}

Value::Value(std::string_view s) : Value(std::string(s)) {}

Value::Value(List items)
    : type_(Type::list), owner_(std::make_shared<const List>(std::move(items))) {}

Value Value::dict(Dict items) {
  Value v;
  v.type_ = Type::dict;
  v.owner_ = std::make_shared<const Dict>(std::move(items));
  return v;
}

bool Value::truthy() const {
  switch (type_) {
    case Type::none:
      return false;
    case Type::boolean:
      return boolean_;
    case Type::integer:
      return integer_ != 0;
    case Type::real:
      return real_ != 0;
    case Type::string:
      return size_ != 0;
    case Type::list:
      return !as_list().empty();
    case Type::dict:
      return !as_dict().empty();
  }
  return false;
}

int64_t Value::as_int(int64_t otherwise) const {
  switch (type_) {
    case Type::boolean:
      return boolean_ ? 1 : 0;
    case Type::integer:
      return integer_;
    case Type::real:
      return std::fabs(real_) < 9.2e18 ? static_cast<int64_t>(real_) : otherwise;
    default:
      return otherwise;
  }
}

double Value::as_real(double otherwise) const {
  switch (type_) {
    case Type::boolean:
      return boolean_ ? 1 : 0;
    case Type::integer:
      return static_cast<double>(integer_);
    case Type::real:
      return real_;
    default:
      return otherwise;
  }
}

std::string_view Value::as_str(std::string_view otherwise) const {
  return type_ == Type::string ? std::string_view(text_, size_) : otherwise;
}

const Value::List& Value::as_list() const& {
  static const List kEmpty;
  return type_ == Type::list ? *static_cast<const List*>(owner_.get()) : kEmpty;
}

const Value::Dict& Value::as_dict() const& {
  static const Dict kEmpty;
  return type_ == Type::dict ? *static_cast<const Dict*>(owner_.get()) : kEmpty;
}

const Value* Value::find(std::string_view key) const {
  for (const Item& item : as_dict())
    if (item.first == key) return &item.second;
  return nullptr;
}

const Value& Value::operator[](std::string_view key) const {
  const Value* v = find(key);
  return v ? *v : kNone;
}

Value Value::with(std::string_view key, Value v) const {
  Dict items = as_dict();
  for (Item& item : items) {
    if (item.first == key) {
      item.second = std::move(v);
      return dict(std::move(items));
    }
  }
  items.emplace_back(std::string(key), std::move(v));
  return dict(std::move(items));
}

const Value* Value::find(const char* key) const { return find(std::string_view(key)); }
const Value& Value::operator[](const char* key) const { return (*this)[std::string_view(key)]; }
bool Value::has(const char* key) const { return find(std::string_view(key)) != nullptr; }

// Most comparisons fail at the first byte: no strlen, which costs more than that in wasm.
bool equals(std::string_view a, const char* literal) {
  for (const char c : a)
    if (c != *literal || *literal++ == '\0') return false;
  return *literal == '\0';
}
bool equals(const std::optional<std::string_view>& a, const char* literal) {
  return a && equals(*a, literal);
}
bool equals(const Value& a, const char* literal) {
  return a.is_str() && equals(a.as_str(), literal);
}

bool operator==(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_real() || b.is_real()) return a.as_real() == b.as_real();
    return a.as_int() == b.as_int();
  }
  if (a.type_ != b.type_) return false;
  switch (a.type_) {
    case Value::Type::none:
      return true;
    case Value::Type::string:
      return a.size_ == b.size_ && (a.text_ == b.text_ || a.as_str() == b.as_str());
    case Value::Type::list:
      return a.as_list() == b.as_list();
    case Value::Type::dict: {
      if (a.as_dict().size() != b.as_dict().size()) return false;
      for (const Value::Item& item : a.as_dict()) {
        const Value* other = b.find(item.first);
        if (!other || !(*other == item.second)) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

namespace {

// The shortest digits that read back as `v` > 0; v = 0.d1d2d3… * 10^point.
std::string shortest_digits(double v, int* point) {
  char buffer[40];
  int length = 0, power = 0;
  rapidjson::internal::Grisu2(v, buffer, &length, &power);
  std::string digits(buffer, static_cast<size_t>(length));
  *point = length + power;
  // Grisu2 misses the shortest now and then. But up to 15 digits only one decimal reads back as
  // `v`, so where it finds that it is right; else the C library's rounding is asked.
  for (int precision = 15; precision <= 17 && length > 15; ++precision) {
    snprintf(buffer, sizeof buffer, "%.*e", precision - 1, v);
    const std::string_view text = buffer;
    const size_t e = text.find('e');
    digits = buffer[0] + std::string(text.substr(2, e - 2));
    *point = atoi(buffer + e + 1) + 1;
    if (python_float(text) == v) break;
  }
  digits.resize(digits.find_last_not_of('0') + 1);
  return digits;
}

}  // namespace

std::string real_repr(double v) {
  if (std::isnan(v)) return "nan";
  const std::string sign = std::signbit(v) ? "-" : "";
  if (std::isinf(v)) return sign + "inf";
  if (v == 0) return sign + "0.0";
  int point = 0;
  const std::string digits = shortest_digits(std::fabs(v), &point);
  const int exponent = point - 1;
  if (exponent < -4 || exponent >= 16) {
    const std::string size = std::to_string(std::abs(exponent));
    return sign + digits[0] + (digits.size() > 1 ? "." + digits.substr(1) : "") +
           (exponent < 0 ? "e-" : "e+") + (size.size() < 2 ? "0" : "") + size;
  }
  if (point <= 0) return sign + "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  const size_t whole = static_cast<size_t>(point);
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

namespace {

// Control, format, space and private characters, which Python's repr() escapes. Surrogates and
// unassigned code points do not come up in commands.
constexpr uint32_t kUnprintable[][2] = {
    {0x80, 0xa0},       {0xad, 0xad},       {0x600, 0x605},      {0x61c, 0x61c},
    {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},      {0x8e2, 0x8e2},
    {0x1680, 0x1680},   {0x180e, 0x180e},   {0x2000, 0x200f},    {0x2028, 0x202f},
    {0x205f, 0x2064},   {0x2066, 0x206f},   {0x3000, 0x3000},    {0xe000, 0xf8ff},
    {0xfeff, 0xfeff},   {0xfff9, 0xfffb},   {0x110bd, 0x110bd},  {0x110cd, 0x110cd},
    {0x13430, 0x13438}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},  {0xe0001, 0xe0001},
    {0xe0020, 0xe007f}, {0xf0000, 0xffffd}, {0x100000, 0x10fffd}};

// Appends the character at `at`, which is no ASCII, as repr() shows it; returns its length.
size_t append_repr_character(std::string& out, std::string_view s, size_t at) {
  const auto lead = static_cast<unsigned char>(s[at]);
  const size_t size = lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 1;
  uint32_t c = lead & (0x7fu >> size);
  bool valid = size > 1 && at + size <= s.size();
  for (size_t i = 1; valid && i < size; ++i) {
    const auto next = static_cast<unsigned char>(s[at + i]);
    valid = next >> 6 == 2;
    c = c << 6 | (next & 0x3f);
  }
  if (!valid) {
    out += s[at];
    return 1;
  }
  bool printable = true;
  for (const auto& range : kUnprintable) printable = printable && (c < range[0] || c > range[1]);
  if (printable) {
    out += s.substr(at, size);
  } else {
    char hex[16];
    snprintf(hex, sizeof hex, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    out += hex;
  }
  return size;
}

}  // namespace

std::string repr(std::string_view s) {
  const bool single = s.find('\'') != s.npos && s.find('"') == s.npos;
  const char quote = single ? '"' : '\'';
  std::string out(1, quote);
  for (size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      i += append_repr_character(out, s, i) - 1;
    } else if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      char hex[8];
      snprintf(hex, sizeof hex, "\\x%02x", byte);
      out += hex;
    } else {
      out += c;
    }
  }
  out += quote;
  return out;
}

std::string repr(const Value& v) {
  switch (v.type()) {
    case Value::Type::none:
      return "None";
    case Value::Type::boolean:
      return v.as_bool() ? "True" : "False";
    case Value::Type::integer:
      return std::to_string(v.as_int());
    case Value::Type::real:
      return real_repr(v.as_real());
    case Value::Type::string:
      return repr(v.as_str());
    case Value::Type::list: {
      std::string out = "[";
      for (const Value& item : v.as_list()) {
        if (out.size() > 1) out += ", ";
        out += repr(item);
      }
      return out + "]";
    }
    case Value::Type::dict: {
      std::string out = "{";
      for (const Value::Item& item : v.as_dict()) {
        if (out.size() > 1) out += ", ";
        out += repr(std::string_view(item.first)) + ": " + repr(item.second);
      }
      return out + "}";
    }
  }
  return {};
}

std::string str(const Value& v) { return v.is_str() ? std::string(v.as_str()) : repr(v); }

}  // namespace sglint
