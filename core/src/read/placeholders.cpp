// What stands for something that the reader of the command fills in: <model>, [x], {{ x }}, ...
#include "read/reader.h"

namespace sglint {
namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

// `<model path>` would be two redirections to a shell; nobody means that. A space inside is
// allowed, one at either end is not, so that `< in > out` stays what it is.
size_t placeholder_at(std::string_view text, size_t i) {
  if (starts_with(text.substr(i), "{{")) {
    const std::string_view line = text.substr(i, 200);
    const size_t end = line.find("}}", 2);
    if (end == line.npos || end > line.find('\n')) return 0;
    return end + 2;
  }
  if (i >= text.size() || text[i] != '<' || i + 2 >= text.size()) return 0;
  if (!letter(text[i + 1]) && text[i + 1] != '.' && text[i + 1] != '$' && text[i + 1] != '{' &&
      static_cast<unsigned char>(text[i + 1]) < 0x80)
    return 0;
  for (size_t k = i + 1; k < text.size() && k - i < 80; ++k) {
    const char c = text[k];
    if (c == '>') {
      if (text[k - 1] == ' ' || (k + 1 < text.size() && (text[k + 1] == '>' || text[k + 1] == '&')))
        return 0;
      return k + 1 - i;
    }
    if (c == '\n' || c == '<' || c == '|' || c == ';' || c == '&' || c == '"' || c == '\'')
      return 0;
  }
  return 0;
}

bool is_placeholder(std::string_view word) {
  if (word.empty()) return false;
  if (word == "$@" || word == "$*") return true;  // of an inner script
  if (contains(word, "...") || contains(word, "${") || contains(word, "\xE2\x80\xA6")) return true;
  for (size_t i = 0; i < word.size(); ++i) {
    if ((word[i] == '<' || word[i] == '{') && placeholder_at(word, i) > 0) return true;
    // The private characters that stand for templates (templates.cpp).
    if (word[i] == '\xF3' && i + 1 < word.size() && static_cast<unsigned char>(word[i + 1]) >= 0xB0)
      return true;
  }
  // [x] and {x} as a whole word or value: a JSON list has quotes or digits in it.
  std::string_view value = word;
  if (word[0] == '-') {
    const size_t equals = word.find('=');
    if (equals != word.npos) value = word.substr(equals + 1);
  }
  if (one_of(value, {"%s", "%d"})) return true;
  if (value.size() > 2 && ((value.front() == '[' && value.back() == ']') ||
                           (value.front() == '{' && value.back() == '}'))) {
    const std::string_view inner = value.substr(1, value.size() - 2);
    if (!letter(inner[0]) && inner[0] != '_' && !starts_with(inner, "--")) return false;
    for (const char c : inner)
      if (!letter(c) && !digit(c) && c != '_' && c != '-' && c != '.' && c != ' ') return false;
    return true;
  }
  return false;
}

bool Reader::inserted(const Word& word) const {
  return templates && word.text.size() == 4 && is_placeholder(word.text);
}

}  // namespace sglint
