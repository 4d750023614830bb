#include "base/text.h"

namespace sglint {

Arg::Arg(std::string s) : text_(std::move(s)) {}
Arg::Arg(std::string_view s) : text_(s) {}
Arg::Arg(const char* s) : text_(s) {}
Arg::Arg(const Value& v) : text_(str(v)) {}
Arg::Arg(const Arg& other) = default;
Arg::~Arg() = default;

bool one_of(std::string_view s, std::initializer_list<std::string_view> set) {
  for (std::string_view x : set)
    if (s == x) return true;
  return false;
}

std::string fill(std::string_view pattern, std::initializer_list<Arg> args) {
  std::string out;
  out.reserve(pattern.size() + 64);
  const Arg* next = args.begin();
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const char following = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (c == '{' && following == '}') {
      if (next != args.end()) out += (next++)->text();
      ++i;
    } else if ((c == '{' && following == '{') || (c == '}' && following == '}')) {
      out += c;
      ++i;
    } else {
      out += c;
    }
  }
  return out;
}

bool starts_with(std::string_view s, std::string_view prefix) {
  return s.substr(0, prefix.size()) == prefix;
}
bool ends_with(std::string_view s, std::string_view suffix) {
  return s.size() >= suffix.size() && s.substr(s.size() - suffix.size()) == suffix;
}
bool contains(std::string_view s, std::string_view part) { return s.find(part) != s.npos; }

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}
std::string upper(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

}  // namespace sglint
