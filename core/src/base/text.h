#pragma once
// Small text helpers shared by all layers.

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/value.h"

namespace sglint {

// One argument of a message template, rendered as Python's str() would. For `{x!r}` pass repr(x).
// Constructed at thousands of places, so nothing of it is inline.
class Arg {
 public:
  Arg(std::string s);        // NOLINT(google-explicit-constructor)
  Arg(std::string_view s);   // NOLINT(google-explicit-constructor)
  Arg(const char* s);        // NOLINT(google-explicit-constructor)
  Arg(const Value& v);       // NOLINT(google-explicit-constructor)
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Arg(T v) : Arg(Value(v)) {}  // NOLINT(google-explicit-constructor)
  template <class T>
  Arg(const std::optional<T>& v) : Arg(Value(v)) {}  // NOLINT(google-explicit-constructor)
  Arg(const Arg& other);
  ~Arg();
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Replaces each `{}` of the template by the next argument; `{{` and `}}` stand for braces.
std::string fill(std::string_view pattern, std::initializer_list<Arg> args);

bool starts_with(std::string_view s, std::string_view prefix);
bool ends_with(std::string_view s, std::string_view suffix);
bool contains(std::string_view s, std::string_view part);
std::string lower(std::string_view s);  // ASCII
std::string upper(std::string_view s);  // ASCII

// `x in {"a", "b"}`
bool one_of(std::string_view s, std::initializer_list<std::string_view> set);

}  // namespace sglint
