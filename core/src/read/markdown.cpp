// Markdown around commands: fenced blocks and inline code.
#include <algorithm>

#include "read/reader.h"

namespace sglint {
namespace {

// The run of fence characters that opens or closes a block on this line; 0 if there is none.
size_t fence_length(std::string_view line, size_t* at) {
  size_t i = 0;
  while (i < line.size() && (line[i] == ' ' || line[i] == '\t' || line[i] == '>')) ++i;
  *at = i;
  if (i >= line.size() || (line[i] != '`' && line[i] != '~')) return 0;
  size_t n = 0;
  while (i + n < line.size() && line[i + n] == line[i]) ++n;
  return n >= 3 ? n : 0;
}

}  // namespace

bool Reader::read_markdown(const Source& source) {
  const std::string_view s = source.text();
  if (!contains(s, "```") && !contains(s, "~~~")) return false;
  const size_t before = launches();
  size_t i = 0;
  size_t open = 0, body = 0;
  char mark = 0;
  bool any = false;
  while (i <= s.size()) {
    const size_t eol = std::min(s.find('\n', i), s.size());
    const std::string_view line = s.substr(i, eol - i);
    size_t at = 0;
    const size_t n = fence_length(line, &at);
    const bool end = i >= s.size();
    if (open == 0 && n > 0) {
      open = n;
      mark = line[at];
      body = std::min(eol + 1, s.size());
      any = true;
      // ```python -m …``` on one line is inline code.
      if (contains(line.substr(at + n), "```")) open = 0;
    } else if (open > 0 && ((n >= open && line[at] == mark) || end)) {
      const Source block = source.part(body, std::min(i, s.size()));
      const size_t launched = launches(), found = out_.findings.size();
      read_text(block);
      // Another program's output or settings need not be well-formed here.
      if (launches() == launched && !mentions_sglang(block.text())) out_.findings.resize(found);
      open = 0;
    }
    if (end) break;
    i = eol + 1;
  }
  return any && launches() > before;
}

// `sglang serve …` in the middle of a sentence.
bool Reader::read_inline_code(const Source& source) {
  const std::string_view s = source.text();
  const size_t before = launches();
  size_t i = 0;
  while ((i = s.find('`', i)) != s.npos) {
    size_t n = 0;
    while (i + n < s.size() && s[i + n] == '`') ++n;
    const std::string mark(n, '`');
    const size_t begin = i + n;
    const size_t end = s.find(mark, begin);
    if (end == s.npos) break;
    const std::string_view code = s.substr(begin, end - begin);
    // A name alone, such as `sglang`, starts nothing.
    if (code.size() < 20000 && contains(code, " ") &&
        (mentions_sglang(code) || starts_with(code, "--model"))) {
      const size_t count = launches();
      const size_t found = out_.findings.size();
      const Source part = source.part(begin, end);
      ShellState state;
      read_shell(part, state, {});
      // `sglang serve` alone is a name, not a launch.
      if (launches() == count + 1 && out_.launches.back().argv.empty()) {
        out_.launches.pop_back();
        out_.findings.resize(found);
      }
      i = end + n;
    } else {
      i = begin;  // the mark may have opened nothing
      if (code.size() < 200 && !contains(code, "\n")) i = end + n;
    }
  }
  return launches() > before;
}

}  // namespace sglint
