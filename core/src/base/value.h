#pragma once
// A Python-like dynamic value: what argparse stores, a config.json holds, a field resolves to.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sglint {

// Comparing with a literal is the commonest thing that rules do. These overloads are one call with
// the bare pointer, where std::string_view's would build a view of the literal at every place.
bool equals(std::string_view a, const char* literal);
bool equals(const std::optional<std::string_view>& a, const char* literal);
template <size_t N>
bool operator==(std::string_view a, const char (&literal)[N]) {
  return equals(a, literal);
}
template <size_t N>
bool operator!=(std::string_view a, const char (&literal)[N]) {
  return !equals(a, literal);
}
template <size_t N>
bool operator==(const std::optional<std::string_view>& a, const char (&literal)[N]) {
  return equals(a, literal);
}
template <size_t N>
bool operator!=(const std::optional<std::string_view>& a, const char (&literal)[N]) {
  return !equals(a, literal);
}

// clang warns where a view of a temporary is kept; gcc does not know the attribute.
#if defined(__clang__)
#define SGLINT_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define SGLINT_LIFETIME_BOUND
#endif

// Immutable and cheap to copy: strings, lists and dicts are shared. A `const char*` is taken as a
// literal with static lifetime and not copied; every other string is copied once. A string_view
// from as_str() stays valid as long as any copy of the Value lives.
class Value {
 public:
  enum class Type : uint8_t { none, boolean, integer, real, string, list, dict };
  using List = std::vector<Value>;
  using Item = std::pair<std::string, Value>;
  using Dict = std::vector<Item>;  // in insertion order, keys unique

  Value() = default;
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();
  Value(std::nullopt_t) {}  // NOLINT(google-explicit-constructor): values are written in place
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Value(T v) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::is_same_v<T, bool>) {
      type_ = Type::boolean;
      boolean_ = v;
    } else if constexpr (std::is_integral_v<T>) {
      type_ = Type::integer;
      integer_ = static_cast<int64_t>(v);
    } else {
      type_ = Type::real;
      real_ = static_cast<double>(v);
    }
  }
  Value(const char* literal);  // NOLINT(google-explicit-constructor)
  Value(std::string s);        // NOLINT(google-explicit-constructor)
  Value(std::string_view s);   // NOLINT(google-explicit-constructor)
  Value(List items);           // NOLINT(google-explicit-constructor)
  template <class T>
  Value(const std::optional<T>& v) {  // NOLINT(google-explicit-constructor)
    if (v) *this = Value(*v);
  }
  static Value dict(Dict items = {});

  Type type() const { return type_; }
  bool is_none() const { return type_ == Type::none; }
  bool is_bool() const { return type_ == Type::boolean; }
  bool is_int() const { return type_ == Type::integer; }
  bool is_real() const { return type_ == Type::real; }
  bool is_number() const { return is_int() || is_real() || is_bool(); }
  bool is_str() const { return type_ == Type::string; }
  bool is_list() const { return type_ == Type::list; }
  bool is_dict() const { return type_ == Type::dict; }

  bool truthy() const;  // Python's bool(x)
  bool as_bool() const { return truthy(); }
  int64_t as_int(int64_t otherwise = 0) const;  // of a number; `otherwise` for anything else
  double as_real(double otherwise = 0) const;
  std::string_view as_str(std::string_view otherwise = {}) const SGLINT_LIFETIME_BOUND;
  const List& as_list() const&;  // empty for anything else
  const Dict& as_dict() const&;  // empty for anything else
  // Of a temporary, a copy: a range-for over it would outlive it otherwise.
  List as_list() const&& { return static_cast<const Value&>(*this).as_list(); }
  Dict as_dict() const&& { return static_cast<const Value&>(*this).as_dict(); }

  const Value* find(std::string_view key) const;        // nullptr if absent or not a dict
  const Value& operator[](std::string_view key) const;  // None if absent (dict.get)
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const Value* find(const char* key) const;
  const Value& operator[](const char* key) const;
  bool has(const char* key) const;
  Value with(std::string_view key, Value v) const;  // a copy of this dict with the key set

  friend bool equals(const Value& a, const char* literal);
  template <size_t N>
  friend bool operator==(const Value& a, const char (&literal)[N]) {
    return equals(a, literal);
  }
  template <size_t N>
  friend bool operator!=(const Value& a, const char (&literal)[N]) {
    return !equals(a, literal);
  }
  friend bool operator==(const Value& a, const Value& b);  // Python's ==: 1 == 1.0 == True
  friend bool operator!=(const Value& a, const Value& b) { return !(a == b); }

 private:
  Type type_ = Type::none;
  union {
    bool boolean_;
    int64_t integer_ = 0;
    double real_;
    const char* text_;
  };
  size_t size_ = 0;
  std::shared_ptr<const void> owner_;
};

inline const Value kNone{};

std::string repr(const Value& v);  // Python's repr(): 'triton', 1, True, None
std::string repr(std::string_view s);
std::string str(const Value& v);  // Python's str()
std::string real_repr(double v);  // Python's float repr, shortest round trip

}  // namespace sglint
