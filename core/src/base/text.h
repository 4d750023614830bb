#pragma once
// Small text helpers shared by all layers.

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/value.h"

namespace sglint {

// One argument of a message template, rendered as Python's str() would. For `{x!r}` pass repr(x).
// It only refers to what it is made from: use it within the expression that makes it. Constructed
// at thousands of places, so it is small and has no destructor.
class Arg {
 public:
  Arg(const std::string& s) : Arg(std::string_view(s)) {}  // NOLINT(google-explicit-constructor)
  Arg(std::string_view s) : kind_(Kind::text), text_{s.data(), s.size()} {}  // NOLINT
  Arg(const char* s) : kind_(Kind::literal), literal_(s) {}  // NOLINT(google-explicit-constructor)
  Arg(const Value& v) : kind_(Kind::value), value_(&v) {}    // NOLINT(google-explicit-constructor)
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Arg(T v) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::is_same_v<T, bool>) {
      kind_ = Kind::literal;
      literal_ = v ? "True" : "False";
    } else if constexpr (std::is_integral_v<T>) {
      kind_ = Kind::integer;
      integer_ = static_cast<int64_t>(v);
    } else {
      kind_ = Kind::real;
      real_ = static_cast<double>(v);
    }
  }
  template <class T>
  Arg(const std::optional<T>& v) : Arg("None") {  // NOLINT(google-explicit-constructor)
    if (v) *this = Arg(*v);
  }
  void append_to(std::string& out) const;

 private:
  enum class Kind : uint8_t { text, literal, value, integer, real };
  struct Piece {
    const char* data;
    size_t size;
  };
  Kind kind_{};
  union {
    Piece text_;
    const char* literal_;
    const Value* value_;
    int64_t integer_;
    double real_;
  };
};

// Replaces each `{}` of the template by the next argument; `{{` and `}}` stand for braces.
std::string fill(std::string_view pattern, std::initializer_list<Arg> args);

bool starts_with(std::string_view s, std::string_view prefix);
bool ends_with(std::string_view s, std::string_view suffix);
bool contains(std::string_view s, std::string_view part);
bool starts_with(std::string_view s, const char* prefix);
bool ends_with(std::string_view s, const char* suffix);
bool contains(std::string_view s, const char* part);
std::string lower(std::string_view s);        // ASCII
std::string upper(std::string_view s);        // ASCII
std::string hyphens(std::string_view s);      // tp_size -> tp-size
std::string underscores(std::string_view s);  // tp-size -> tp_size

// `x in {"a", "b"}`
bool one_of(std::string_view s, std::initializer_list<const char*> set);

}  // namespace sglint
