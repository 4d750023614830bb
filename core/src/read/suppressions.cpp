#include "read/suppressions.h"

#include <algorithm>

#include "base/text.h"

namespace sglint {
namespace {

constexpr std::string_view kMark = "sglint:", kVerb = "ignore";

Span span_of(size_t begin, size_t end) {
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

// Past the line break.
size_t next_line(std::string_view text, size_t at) {
  const size_t end = text.find('\n', at);
  return end == text.npos ? text.size() : end + 1;
}

// The first character of the line that is no blank, its line break at the latest.
size_t first_letter(std::string_view text, size_t line) {
  const size_t at = text.find_first_not_of(" \t\r", line);
  return at == text.npos ? text.size() : at;
}

bool blank(std::string_view text, size_t letter) {
  return letter >= text.size() || text[letter] == '\n';
}

Span block(std::string_view text, size_t line) {
  const size_t column = first_letter(text, line) - line;
  size_t end = next_line(text, line);
  for (size_t at = end; at < text.size(); at = next_line(text, at)) {
    const size_t letter = first_letter(text, at);
    if (blank(text, letter)) continue;
    // YAML lets the items of `command:` stand at its own column.
    const bool item =
        letter - at == column && text.substr(letter, 2) == "- " && text[line + column] != '-';
    if (letter - at <= column && !item) break;
    end = next_line(text, at);
  }
  return span_of(line, end);
}

bool in_id(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
         c == '-' || c == '_';
}

}  // namespace

std::vector<Suppression> find_suppressions(std::string_view text) {
  std::vector<Suppression> out;
  const auto skip = [&](size_t& i) {
    while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
  };
  for (size_t mark = 0; (mark = text.find(kMark, mark)) != text.npos; mark += kMark.size()) {
    size_t hash = mark;
    while (hash > 0 && (text[hash - 1] == ' ' || text[hash - 1] == '\t')) --hash;
    if (hash == 0 || text[hash - 1] != '#') continue;
    while (hash > 0 && text[hash - 1] == '#') --hash;
    const size_t line = hash == 0 ? 0 : text.rfind('\n', hash - 1) + 1;
    size_t before = hash;  // the end of what stands before the comment on its line
    while (before > line && (text[before - 1] == ' ' || text[before - 1] == '\t')) --before;
    if (hash > line && before == hash) continue;  // x#y is a word and no comment
    size_t i = mark + kMark.size();
    skip(i);
    if (text.substr(i, kVerb.size()) != kVerb) continue;
    i += kVerb.size();
    if (i < text.size() && in_id(text[i])) continue;

    Suppression s;
    size_t end = std::min(text.find('\n', i), text.size());
    const size_t after = end;
    if (end > i && text[end - 1] == '\r') --end;
    for (bool more = true; more;) {
      skip(i);
      const size_t begin = i;
      while (i < end && in_id(text[i])) ++i;
      const std::string_view word = text.substr(begin, i - begin);
      if (!contains(word, "/")) {
        i = begin;
        break;
      }
      s.rules.push_back({std::string(word), span_of(begin, i)});
      size_t comma = i;
      skip(comma);
      more = comma < end && text[comma] == ',';
      if (more) i = comma + 1;
    }
    while (i < end && contains(" \t:-", std::string_view(&text[i], 1))) ++i;
    size_t last = end;
    while (last > i && (text[last - 1] == ' ' || text[last - 1] == '\t')) --last;
    s.reason = std::string(text.substr(i, last - i));
    s.span = span_of(hash, end);
    if (before > line) {
      s.removal = span_of(before, end);
      s.covers = block(text, line);
    } else {
      s.removal = span_of(line, std::min(after + 1, text.size()));
      size_t below = next_line(text, line);
      while (below < text.size()) {
        const size_t letter = first_letter(text, below);
        if (!blank(text, letter) && text[letter] != '#') break;
        below = next_line(text, below);
      }
      if (below < text.size()) s.covers = block(text, below);
    }
    out.push_back(std::move(s));
  }
  return out;
}

}  // namespace sglint
