#include "base/text.h"

#include <algorithm>

namespace sglint {

void Arg::append_to(std::string& out) const {
  switch (kind_) {
    case Kind::text:
      out.append(text_.data, text_.size);
      break;
    case Kind::literal:
      out += literal_;
      break;
    case Kind::value:
      out += str(*value_);
      break;
    case Kind::integer:
      out += str(Value(integer_));
      break;
    case Kind::real:
      out += str(Value(real_));
      break;
  }
}

bool one_of(std::string_view s, std::initializer_list<const char*> set) {
  const char first = s.empty() ? '\0' : s[0];
  for (const char* x : set)
    if (*x == first && equals(s, x)) return true;
  return false;
}

std::string fill(std::string_view pattern, std::initializer_list<Arg> args) {
  std::string out;
  out.reserve(pattern.size() + 64);
  const Arg* next = args.begin();
  size_t done = 0;
  for (size_t i = 0; i + 1 < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c != '{' && c != '}') continue;
    const char following = pattern[i + 1];
    const bool slot = c == '{' && following == '}';
    if (!slot && c != following) continue;
    out.append(pattern, done, (slot ? i : i + 1) - done);
    if (slot && next != args.end()) (next++)->append_to(out);
    done = ++i + 1;
  }
  out.append(pattern, done);
  return out;
}

bool starts_with(std::string_view s, std::string_view prefix) {
  return prefix.empty() ||
         (!s.empty() && s[0] == prefix[0] && s.substr(0, prefix.size()) == prefix);
}
bool ends_with(std::string_view s, std::string_view suffix) {
  return s.size() >= suffix.size() && s.substr(s.size() - suffix.size()) == suffix;
}
bool contains(std::string_view s, std::string_view part) { return s.find(part) != s.npos; }
bool starts_with(std::string_view s, const char* prefix) {
  size_t i = 0;
  while (i < s.size() && prefix[i] != '\0' && prefix[i] == s[i]) ++i;
  return prefix[i] == '\0';
}
bool ends_with(std::string_view s, const char* suffix) {
  return ends_with(s, std::string_view(suffix));
}
bool contains(std::string_view s, const char* part) { return contains(s, std::string_view(part)); }

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

std::string hyphens(std::string_view s) {
  std::string out(s);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}
std::string underscores(std::string_view s) {
  std::string out(s);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

}  // namespace sglint
