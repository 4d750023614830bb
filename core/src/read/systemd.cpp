// systemd units: Environment= and ExecStart=.
#include <algorithm>

#include "read/reader.h"

namespace sglint {
namespace {

bool comment_at(std::string_view s, size_t i) {
  while (i < s.size() && (s[i] == ' ' || s[i] == '\t')) ++i;
  return i < s.size() && (s[i] == '#' || s[i] == ';');
}

// A value without the comments between its lines, over which systemd (though no shell) goes on.
Decoded without_comments(const Source& value) {
  const std::string_view s = value.text();
  Decoded out;
  for (size_t i = 0; i < s.size();) {
    const size_t end = std::min(s.find('\n', i), s.size() - 1) + 1;
    if (i == 0 || !comment_at(s, i)) value.copy(i, end, &out.text, &out.at);
    i = end;
  }
  return out;
}

}  // namespace

bool Reader::read_systemd(const Source& source) {
  const std::string_view s = source.text();
  if (!contains(s, "ExecStart")) return false;
  Surroundings around;
  around.form = Form::systemd;
  ShellState state;
  bool taken = false;
  struct Start {
    size_t begin, args, end;
  };
  std::vector<Start> starts;
  size_t i = 0;
  while (i < s.size()) {
    const size_t line = i;
    size_t end = std::min(s.find('\n', i), s.size());
    // A line that ends with a backslash goes on; comments in between are skipped.
    for (size_t from = line;;) {
      size_t last = end;
      if (last > from && s[last - 1] == '\r') --last;
      const bool comment = from != line && comment_at(s, from);
      if (!comment && !(last > from && s[last - 1] == '\\')) break;
      if (end >= s.size()) break;
      from = end + 1;
      end = std::min(s.find('\n', from), s.size());
    }
    i = end + 1;
    size_t begin = line;
    while (begin < end && (s[begin] == ' ' || s[begin] == '\t')) ++begin;
    if (begin == end || s[begin] == '#' || s[begin] == ';' || s[begin] == '[') continue;
    const size_t equals = s.find('=', begin);
    if (equals == s.npos || equals > end) continue;
    std::string_view key = s.substr(begin, equals - begin);
    while (!key.empty() && key.back() == ' ') key.remove_suffix(1);
    size_t args = equals + 1;
    while (args < end && (s[args] == ' ' || s[args] == '\t')) ++args;
    if (key == "Environment") {
      taken = true;
      const Decoded value = without_comments(source.part(args, end));
      const Source part(value, source.outer());
      const std::vector<Word> words = split_words(*this, part);
      if (words.empty()) around.env.clear();
      for (size_t k = 0; k < words.size(); ++k) {
        if (!contains(words[k].text, "=")) continue;
        EnvSetting e = env_setting(words[k]);
        e.removal = words.size() == 1 ? source.span(line, std::min(end + 1, s.size()))
                    : k > 0           ? Span{words[k - 1].span.end, words[k].span.end}
                                      : Span{words[0].span.begin, words[1].span.begin};
        Variable v;
        Word w;
        w.text = e.value;
        w.span = e.span;
        w.at.assign(w.text.size(), e.span);
        v.words.push_back(std::move(w));
        state.variables[e.name] = std::move(v);
        put_setting(around.env, std::move(e));
      }
    } else if (key == "EnvironmentFile") {
      around.assumptions.push_back(fill("The variables in {} (EnvironmentFile) are not known.",
                                        {s.substr(args, end - args)}));
    } else if (key == "ExecStart") {
      taken = true;
      while (args < end && among(s, args, "-@:+!")) ++args;
      starts.push_back({begin, args, end});
    }
  }
  for (const Start& start : starts) {
    around.span = source.span(start.begin, start.end);
    around.env_place.style = EnvPlace::Style::systemd;
    around.env_place.at = source.span(start.begin, 0).begin;
    around.env_place.after = "\n";
    around.env_place.context = context(Writing::shell, source);
    const Decoded value = without_comments(source.part(start.args, start.end));
    const Source part(value, source.outer());
    ShellState copy = state;
    const bool alone = flags_alone;
    flags_alone = false;
    read_shell(part, copy, around);
    flags_alone = alone;
  }
  return taken && !starts.empty();
}

}  // namespace sglint
