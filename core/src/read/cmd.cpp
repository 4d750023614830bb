// cmd.exe: carets, set NAME=value, %NAME%, and the quoting of the C runtime.
#include <algorithm>

#include "read/read_rules.h"
#include "read/reader.h"

namespace sglint {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool looks_like_cmd(std::string_view s) {
  bool any = false;
  for (const char* sign : {"^", ":\\", "set", "SET", "Set", "rem ", "REM ", "@echo", "@ECHO"})
    any = any || contains(s, sign);
  if (!any) return false;
  size_t i = 0;
  bool set = false, posix = false;
  size_t single = 0;  // a caret inside POSIX quotes is a caret
  while (i < s.size()) {
    const size_t eol = std::min(s.find('\n', i), s.size());
    std::string_view line = s.substr(i, eol - i);
    i = eol + 1;
    while (!line.empty() && blank(line.back())) line.remove_suffix(1);
    while (!line.empty() && blank(line.front())) line.remove_prefix(1);
    if (line.empty()) continue;
    for (const char c : line) single += c == '\'' ? 1 : 0;
    if (line.back() == '^' && (line.size() == 1 || blank(line[line.size() - 2])) && single % 2 == 0)
      return true;
    if (line.back() == '\\') posix = true;
    const std::string head = lower(line.substr(0, 12));
    if (starts_with(head, "@echo off") || starts_with(head, "rem ") ||
        starts_with(head, "setlocal"))
      return true;
    if (line.size() > 3 && line[1] == ':' && line[2] == '\\' && contains(line, ">")) return true;
    if (starts_with(head, "set ") && contains(line, "=") && !starts_with(head, "set -")) set = true;
    if (starts_with(head, "export ")) posix = true;
  }
  return set && !posix;
}

class Cmd {
 public:
  Cmd(Reader& reader, const Source& source)
      : reader_(reader),
        source_(source),
        s_(source.text()),
        context_(reader.context(Writing::cmd, source)) {}

  [[gnu::noinline]] void run() {
    bool line_start = true;
    while (i_ < s_.size()) {
      if (line_start) {
        line_start = false;
        prompt();
        if (comment() || setting()) {
          line_start = true;
          continue;
        }
      }
      if (i_ >= s_.size()) break;
      const char c = s_[i_];
      if (blank(c)) {
        ++i_;
      } else if (c == '\n') {
        ++i_;
        flush();
        line_start = true;
      } else if (c == '^' && continuation()) {
        continue;
      } else if (c == '&' || c == '|') {
        flush();
        ++i_;
        line_start = true;
      } else if (c == '>' || ((c == '1' || c == '2') && s_.substr(i_ + 1, 1) == ">")) {
        while (i_ < s_.size() && among(s_, i_, "12>&")) ++i_;
        while (i_ < s_.size() && blank(s_[i_])) ++i_;
        if (i_ < s_.size() && s_[i_] != '\n') word();
      } else {
        const size_t before = i_;
        if (words_.empty()) begin_ = i_;
        Word w = word();
        if (i_ == before) {
          ++i_;
          continue;
        }
        words_.push_back(std::move(w));
      }
    }
    flush();
  }

 private:
  size_t skip(size_t k) const {
    while (k < s_.size() && blank(s_[k])) ++k;
    return k;
  }

  void prompt() {
    const size_t k = skip(i_);
    if (k + 2 < s_.size() && isalpha(static_cast<unsigned char>(s_[k])) && s_[k + 1] == ':' &&
        s_[k + 2] == '\\') {
      const size_t eol = std::min(s_.find('\n', k), s_.size());
      const size_t end = s_.substr(0, eol).find('>', k);
      if (end != s_.npos) i_ = end + 1;
    }
    i_ = skip(i_);
    if (i_ < s_.size() && s_[i_] == '@') ++i_;
    while (i_ < s_.size() && (s_[i_] == '(' || s_[i_] == ')')) i_ = skip(i_ + 1);
  }

  bool comment() {
    if (!among(s_, i_, "rR:#")) return false;
    const std::string head = lower(s_.substr(i_, 4));
    if (head != "rem " && head != "rem\n" && !starts_with(head, "::") && !starts_with(head, "#"))
      return false;
    i_ = std::min(s_.find('\n', i_), s_.size());
    if (i_ < s_.size()) ++i_;
    return true;
  }

  // set NAME=value up to the end of the line or an operator; set "NAME=value" up to the quote.
  bool setting() {
    if (lower(s_.substr(i_, 4)) != "set ") return false;
    const size_t line = i_;
    size_t k = skip(i_ + 4);
    if (s_.substr(k, 1) == "/") return false;
    const bool quoted = s_.substr(k, 1) == "\"";
    if (quoted) ++k;
    const size_t eol = std::min(s_.find('\n', k), s_.size());
    const size_t equals = s_.substr(0, eol).find('=', k);
    if (equals == s_.npos) return false;
    size_t end = equals + 1;
    while (end < eol && (quoted ? s_[end] != '"' : s_[end] != '&' && s_[end] != '|')) ++end;
    EnvSetting e;
    e.name = std::string(s_.substr(k, equals - k));
    size_t last = end;
    if (!quoted)
      while (last > equals + 1 && (s_[last - 1] == '\r' || (end < eol && blank(s_[last - 1]))))
        --last;
    e.value = std::string(s_.substr(equals + 1, last - equals - 1));
    e.unknown = contains(e.value, "%") || is_placeholder(e.value);
    e.secret = is_secret_name(e.name);
    e.span = source_.span(k, last);
    e.value_span = source_.span(equals + 1, last);
    e.context = reader_.context(Writing::raw, context_);
    const bool whole = end >= eol || quoted;
    e.removal = whole ? source_.span(line, std::min(eol + 1, s_.size())) : Span{};
    if (is_name(e.name)) {
      variables_[upper(e.name)] = e.value;
      if (e.value.empty())
        env_.erase(std::remove_if(env_.begin(), env_.end(),
                                  [&](const EnvSetting& x) { return x.name == e.name; }),
                   env_.end());
      else
        put_setting(env_, std::move(e));
    }
    i_ = quoted ? std::min(end + 1, eol) : end;
    while (i_ < s_.size() && (s_[i_] == '&' || blank(s_[i_]))) ++i_;
    if (i_ < s_.size() && s_[i_] == '\n') ++i_;
    return true;
  }

  bool continuation() {
    size_t k = skip(i_ + 1);
    if (k < s_.size() && s_[k] != '\n') return false;
    if (k > i_ + 1 && s_[i_ + 1] != '\r')
      reader_.find(kSpaceAfterBackslash, source_.span(i_, k), {}, {{source_.span(i_ + 1, k), ""}},
                   "Delete the space");
    i_ = std::min(k + 1, s_.size());
    const size_t p = skip(i_);
    if (s_.substr(p, 6) == "More? ") i_ = p + 6;
    return true;
  }

  void add(Word& w, size_t begin, size_t end, std::string_view text) {
    w.text += text;
    w.at.insert(w.at.end(), text.size(), source_.span(begin, end));
  }

  // %NAME%
  bool variable(Word& w) {
    const size_t end = s_.substr(0, std::min(s_.size(), i_ + 80)).find('%', i_ + 1);
    if (end == s_.npos || !is_name(s_.substr(i_ + 1, end - i_ - 1))) return false;
    const auto found = variables_.find(upper(s_.substr(i_ + 1, end - i_ - 1)));
    if (found == variables_.end()) {
      add(w, i_, end + 1, s_.substr(i_, end + 1 - i_));
      w.unknown = true;
    } else {
      add(w, i_, end + 1, found->second);
    }
    i_ = end + 1;
    return true;
  }

  Word word() {
    Word w;
    const size_t begin = i_;
    bool quoted = false;
    while (i_ < s_.size()) {
      const char c = s_[i_];
      if (c == '\n') break;
      if (!quoted && (blank(c) || c == '&' || c == '|')) break;
      if (c == '<' && !quoted) {
        if (const size_t n = placeholder_at(s_, i_)) {
          add(w, i_, i_ + n, s_.substr(i_, n));
          w.unknown = true;
          i_ += n;
          continue;
        }
      }
      if (c == '>' && !quoted) break;
      if (c == '%' && variable(w)) continue;
      if (c == '^' && !quoted) {
        const size_t k = skip(i_ + 1);
        if (k >= s_.size() || s_[k] == '\n') break;
        add(w, i_, i_ + 2, s_.substr(i_ + 1, 1));
        i_ += 2;
      } else if (c == '\\') {
        // Backslashes count only before a quote.
        size_t n = 0;
        while (i_ + n < s_.size() && s_[i_ + n] == '\\') ++n;
        if (s_.substr(i_ + n, 1) != "\"") {
          add(w, i_, i_ + n, s_.substr(i_, n));
          for (size_t k = 0; k < n; ++k)
            w.at[w.at.size() - n + k] = source_.span(i_ + k, i_ + k + 1);
          i_ += n;
        } else {
          add(w, i_, i_ + n, std::string(n / 2, '\\'));
          i_ += n;
          if (n % 2) {
            add(w, i_ - 1, i_ + 1, "\"");
            ++i_;
          }
        }
      } else if (c == '"') {
        if (quoted && s_.substr(i_ + 1, 1) == "\"") {
          add(w, i_, i_ + 2, "\"");
          i_ += 2;
          continue;
        }
        quoted = !quoted;
        w.quoted = true;
        ++i_;
      } else {
        size_t k = i_ + 1;
        while (k < s_.size() && !blank(s_[k]) && !among(s_, k, "\n&|<>%^\\\"")) ++k;
        source_.copy(i_, k, &w.text, &w.at);
        i_ = k;
      }
    }
    if (quoted) reader_.find(kUnclosedQuote, source_.span(begin, i_), {"\""});
    w.span = source_.span(begin, i_);
    w.context = context_;
    w.inside = reader_.context(w.quoted ? Writing::shell_double : Writing::raw, context_);
    return w;
  }

  void flush() {
    if (words_.empty()) return;
    std::vector<Word> words = std::move(words_);
    words_.clear();
    if (!is_flag(words[0].text) && !may_launch(words)) return;
    Surroundings around;
    around.form = Form::cmd;
    around.env = env_;
    around.span = {source_.span(begin_, begin_).begin, words.back().span.end};
    around.env_place.style = EnvPlace::Style::cmd;
    around.env_place.at = around.span.begin;
    around.env_place.after = "\n";
    around.env_place.context = context_;
    if (lower(words[0].text) == "start" || lower(words[0].text) == "call")
      words.erase(words.begin());
    if (words.empty()) return;
    if (is_flag(words[0].text)) {
      if (reader_.flags_alone && starts_with(words[0].text, "--"))
        reader_.add_launch(std::move(words), 0, around);
      return;
    }
    reader_.read_words(words, std::move(around));
  }

  Reader& reader_;
  const Source& source_;
  std::string_view s_;
  uint16_t context_;
  size_t i_ = 0;
  size_t begin_ = 0;
  std::vector<Word> words_;
  std::vector<EnvSetting> env_;
  std::map<std::string, std::string> variables_;
};

}  // namespace

bool Reader::read_cmd(const Source& source) {
  if (!looks_like_cmd(source.text())) return false;
  const size_t before = launches();
  Cmd(*this, source).run();
  return launches() > before;
}

}  // namespace sglint
