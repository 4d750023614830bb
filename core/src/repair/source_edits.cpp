#include "repair/source_edits.h"

#include <algorithm>
#include <cstring>

namespace sglint {

std::string shell_quote(std::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("-_./:=,@%+", c);
  });
  if (plain) return std::string(word);
  std::string out = "'";
  for (char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::vector<TextEdit> source_edits(std::string_view text, const Launch& launch,
                                   const Attempt& after) {
  std::vector<TextEdit> edits;
  if (launch.form == Form::argv) return edits;
  // Tokens that the repair kept still carry their span; what lies between two kept ones was
  // changed.
  size_t next = 0;  // in launch.argv
  uint32_t cursor = launch.argv.empty() ? launch.span.end : launch.argv.front().span.begin;
  std::string pending;
  const auto drop_until = [&](size_t index, bool at_end) {
    if (next == index && pending.empty()) return;
    if (next == index) {
      edits.push_back({{cursor, cursor}, " " + pending});
    } else {
      uint32_t begin = launch.argv[next].span.begin;
      const uint32_t end = launch.argv[index - 1].span.end;
      if (pending.empty())
        while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
      edits.push_back({{begin, end}, pending});
    }
    pending.clear();
    (void)at_end;
  };
  for (const Token& token : after.argv) {
    size_t found = next;
    while (found < launch.argv.size() &&
           !(launch.argv[found].span == token.span && !token.span.empty() &&
             launch.argv[found].text == token.text))
      ++found;
    if (found == launch.argv.size()) {
      pending += (pending.empty() ? "" : " ") + shell_quote(token.text);
      continue;
    }
    drop_until(found, false);
    cursor = launch.argv[found].span.end;
    next = found + 1;
  }
  drop_until(launch.argv.size(), true);
  return edits;
}

std::string shell_command(const Launch& launch, const Attempt& attempt) {
  std::string out;
  for (const EnvSetting& e : launch.env)
    if (attempt.env.is_set(e.name))
      out += e.name + "=" + (e.secret ? "***" : shell_quote(*attempt.env.raw(e.name))) + " ";
  for (const auto& setting : attempt.env.all()) {
    const bool known = std::any_of(launch.env.begin(), launch.env.end(),
                                   [&](const EnvSetting& e) { return e.name == setting.first; });
    if (!known) out += setting.first + "=" + shell_quote(setting.second) + " ";
  }
  out += "sglang serve";
  for (const Token& token : attempt.argv)
    out += " " + (token.secret ? std::string("***") : shell_quote(token.text));
  return out;
}

}  // namespace sglint
