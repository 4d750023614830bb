// Commands of a shell text, one after the other: assignments, exports, and what is run.
#include <algorithm>

#include "read/read_rules.h"
#include "read/shell_expand.h"

namespace sglint {
namespace {

constexpr int kMaxDepth = 6;
constexpr size_t kMostWords = 60000;  // of one command; whole servers are started with a hundred

bool reserved(std::string_view w) {
  return one_of(w, {"then", "do", "else", "elif", "if", "while", "until", "!", "{", "}", "fi",
                    "done", "esac", "time", "coproc"});
}

class ShellReader {
 public:
  ShellReader(Reader& reader, const Source& source, ShellState& state, const Surroundings& around)
      : reader_(reader), source_(source), state_(state), around_(around), lexer_(reader, source) {}

  void run() {
    for (ShellItem item;;) {
      lexer_.next(item, words_.empty() && assignments_.empty());
      switch (item.kind) {
        case ShellItem::Kind::word:
          take_word(item);
          break;
        case ShellItem::Kind::array:
          take_array(item);
          break;
        case ShellItem::Kind::op:
          flush(item.begin);
          break;
        case ShellItem::Kind::newline:
          newline(item);
          break;
        case ShellItem::Kind::heredoc:
          heredoc(item);
          break;
        case ShellItem::Kind::end:
          dangling();
          flush(static_cast<uint32_t>(source_.size()));
          return;
      }
    }
  }

 private:
  struct Assignment {
    std::string name;
    Word value;
    std::vector<Word> items;
    bool array = false;
    bool append = false;
    Span span;
    uint32_t begin = 0, end = 0;
  };

  // The length of NAME= or NAME+= at the start of the word, else 0.
  size_t assignment_prefix(const ShellWord& word) const {
    if (word.pieces.empty() || word.pieces[0].kind != ShellPiece::Kind::text ||
        word.pieces[0].quoted)
      return 0;
    const std::string_view text =
        source_.text().substr(word.pieces[0].begin, word.pieces[0].end - word.pieces[0].begin);
    const size_t equals = text.find('=');
    if (equals == text.npos || equals == 0) return 0;
    const size_t name = text[equals - 1] == '+' ? equals - 1 : equals;
    return is_name(text.substr(0, name)) ? equals + 1 : 0;
  }

  bool exporting() const {
    return !words_.empty() &&
           one_of(words_[0].text, {"export", "declare", "typeset", "local", "readonly"});
  }

  void take_word(const ShellItem& item) {
    if (words_.size() >= kMostWords) {
      too_many_ = true;
      return;
    }
    if (words_.empty() && assignments_.empty()) command_begin_ = item.begin;
    const size_t prefix = words_.empty() || exporting() ? assignment_prefix(item.word) : 0;
    if (prefix > 0) {
      Assignment a;
      const std::string_view text = source_.text().substr(item.word.begin, prefix);
      a.append = prefix > 1 && text[prefix - 2] == '+';
      a.name = std::string(text.substr(0, prefix - (a.append ? 2 : 1)));
      a.value = expand_value(reader_, lexer_, source_, item.word, item.word.begin + prefix, state_);
      a.span = source_.span(item.word.begin, item.word.end);
      a.begin = item.word.begin;
      a.end = item.word.end;
      assignments_.push_back(std::move(a));
      return;
    }
    if (words_.empty() && !item.word.quoted && item.word.pieces.size() == 1) {
      const std::string_view text = source_.text().substr(item.begin, item.end - item.begin);
      if (reserved(text)) return;
    }
    expand(reader_, lexer_, source_, item.word, state_, words_);
  }

  void take_array(const ShellItem& item) {
    if (words_.empty() && assignments_.empty()) command_begin_ = item.begin;
    const size_t prefix = assignment_prefix(item.word);
    if (prefix == 0) return;
    Assignment a;
    const std::string_view text = source_.text().substr(item.word.begin, prefix);
    a.append = prefix > 1 && text[prefix - 2] == '+';
    a.name = std::string(text.substr(0, prefix - (a.append ? 2 : 1)));
    a.array = true;
    for (const ShellWord& w : item.items) expand(reader_, lexer_, source_, w, state_, a.items);
    a.span = source_.span(item.begin, item.end);
    a.begin = item.begin;
    a.end = item.end;
    assignments_.push_back(std::move(a));
  }

  void newline(const ShellItem& item) {
    size_t at = 0;
    if (!words_.empty() && lexer_.flag_follows(&at)) {
      if (is_flag(words_[0].text)) return;  // flags alone, one on each line
      bool sglang = false;
      for (const Word& w : words_) sglang = sglang || mentions_sglang(w.text);
      if (sglang) {
        const size_t end = source_.text().find_first_of(" \t\r\n", at);
        // A comment at the end of the line would swallow the backslash.
        const uint32_t last = lexer_.last_word_end();
        const Span place = source_.span(last, last);
        reader_.find(kMissingContinuation, source_.span(at, std::min(end, source_.size())),
                     {source_.text().substr(at, std::min(end, source_.size()) - at)},
                     contains(source_.text().substr(last, item.begin - last), "#")
                         ? std::vector<TextEdit>{}
                         : std::vector<TextEdit>{{place, " \\"}},
                     "Continue the line");
        return;
      }
    }
    flush(item.begin);
  }

  // A script or a manifest that the text writes to a file or feeds to a program.
  void heredoc(const ShellItem& item) {
    const std::string_view body = source_.text().substr(item.begin, item.end - item.begin);
    const bool docker = !words_.empty() && one_of(base_name(words_[0].text), {"docker", "ssh"});
    flush(item.begin);
    if (!contains(body, "sglang") || reader_.depth >= kMaxDepth) return;
    ++reader_.depth;
    const Source part = source_.part(item.begin, item.end);
    if (!reader_.read_dockerfile(part) && !reader_.read_yaml(part)) {
      ShellState fresh;
      if (!docker) fresh = state_;
      reader_.read_shell(part, fresh, around_);
    }
    --reader_.depth;
  }

  // `\` and nothing behind it.
  void dangling() {
    if (words_.empty()) return;
    const size_t last = source_.text().find_last_not_of(" \t\r\n");
    if (last == std::string_view::npos || source_[last] != '\\' ||
        last + 1 < lexer_.last_word_end())
      return;
    bool sglang = is_flag(words_[0].text);
    for (const Word& w : words_) sglang = sglang || mentions_sglang(w.text);
    if (!sglang) return;
    size_t begin = last;
    while (begin > 0 && (source_[begin - 1] == ' ' || source_[begin - 1] == '\t')) --begin;
    reader_.find(kDanglingBackslash, source_.span(last, last + 1), {},
                 {{source_.span(begin, last + 1), ""}}, "Delete the backslash");
  }

  void set(Assignment& a, bool exported, Span removal) {
    Variable& v = state_.variables[a.name];
    v.setting = setting(a, removal);
    if (a.array) {
      if (!a.append) v.words.clear();
      v.array = true;
      v.words.insert(v.words.end(), a.items.begin(), a.items.end());
    } else if (a.append && !v.words.empty()) {
      Word& w = v.words[0];
      add_holes(a.value, &w);
      w.text += a.value.text;
      w.at.resize(w.text.size() - a.value.text.size(), w.span);
      w.at.insert(w.at.end(), a.value.at.begin(), a.value.at.end());
      w.at.resize(w.text.size(), a.value.span);
      w.unknown = w.unknown || a.value.unknown;
    } else {
      v.array = false;
      v.words.resize(1);
      v.words[0] = std::move(a.value);
    }
    if (exported || state_.export_all) {
      if (!v.exported) state_.export_order.push_back(a.name);
      v.exported = true;
    }
  }

  EnvSetting setting(const Assignment& a, Span removal) const {
    EnvSetting e;
    e.name = a.name;
    e.value = a.value.text;
    e.unknown = a.value.unknown || is_placeholder(a.value.text);
    e.secret = is_secret_name(a.name);
    e.span = a.span;
    e.value_span = a.value.span;
    e.removal = removal;
    e.context = a.value.context;
    return e;
  }

  // The whole line if the command is alone on it, else the bytes from `begin` to `end`.
  Span line_removal(uint32_t begin, uint32_t end) const {
    const std::string_view s = source_.text();
    size_t first = begin, last = end;
    while (first > 0 && (s[first - 1] == ' ' || s[first - 1] == '\t')) --first;
    while (last < s.size() && (s[last] == ' ' || s[last] == '\t' || s[last] == '\r')) ++last;
    if ((first == 0 || s[first - 1] == '\n') && last < s.size() && s[last] == '\n')
      return source_.span(first, last + 1);
    return source_.span(begin, end);
  }

  void flush(uint32_t end) {
    if (words_.empty() && assignments_.empty()) return;
    command(words_, assignments_, end);
    words_.clear();
    assignments_.clear();
    too_many_ = false;
  }

  void command(std::vector<Word>& words, std::vector<Assignment>& assignments, uint32_t end) {
    if (words.empty()) {
      for (Assignment& a : assignments)
        set(a, state_.variables[a.name].exported, line_removal(a.begin, a.end));
    } else if (one_of(words[0].text, {"export", "declare", "typeset", "local", "readonly"})) {
      declare(words, assignments);
    } else if (words[0].text == "unset") {
      for (size_t i = 1; i < words.size(); ++i) {
        state_.variables.erase(words[i].text);
        std::vector<std::string>& order = state_.export_order;
        order.erase(std::remove(order.begin(), order.end(), words[i].text), order.end());
      }
    } else if (words[0].text == "setenv" && words.size() == 3) {  // csh
      Assignment a;
      a.name = words[1].text;
      a.value = words[2];
      a.span = {words[1].span.begin, words[2].span.end};
      set(a, true, line_removal(command_begin_, end));
    } else if (words[0].text == "set") {
      set_options(words, end);
    } else {
      program(words, assignments);
    }
  }

  // export, declare and the like.
  void declare(const std::vector<Word>& words, std::vector<Assignment>& assignments) {
    const bool by_export = words[0].text == "export";
    bool exported = by_export;
    for (size_t i = 1; i < words.size(); ++i) {
      const std::string& w = words[i].text;
      if (starts_with(w, "-")) {
        if (contains(w, "x")) exported = true;
        if (by_export && contains(w, "n")) exported = false;
        continue;
      }
      // export NAME of a variable set before
      const auto found = state_.variables.find(w);
      if (found != state_.variables.end() && exported && !found->second.exported) {
        found->second.exported = true;
        state_.export_order.push_back(w);
      }
    }
    const bool alone = assignments.size() == 1 && words.size() == 1;
    for (Assignment& a : assignments) {
      uint32_t begin = a.begin;
      while (begin > 0 && (source_[begin - 1] == ' ' || source_[begin - 1] == '\t')) --begin;
      set(a, exported, alone ? line_removal(command_begin_, a.end) : source_.span(begin, a.end));
    }
  }

  void set_options(const std::vector<Word>& words, uint32_t end) {
    for (size_t i = 1; i < words.size(); ++i) {
      if (words[i].text == "-a" || words[i].text == "allexport") state_.export_all = true;
      if (words[i].text == "+a") state_.export_all = false;
    }
    // `set NAME=value` is cmd's way; pasted among POSIX lines it can only mean that.
    if (words.size() != 2 || starts_with(words[1].text, "-")) return;
    const size_t equals = words[1].text.find('=');
    if (equals == std::string::npos || !is_name(words[1].text.substr(0, equals))) return;
    Assignment a;
    a.name = words[1].text.substr(0, equals);
    a.value = words[1];
    a.value.text.erase(0, equals + 1);
    a.value.at.clear();
    a.value.span.begin += static_cast<uint32_t>(equals + 1);
    a.span = words[1].span;
    set(a, true, line_removal(command_begin_, end));
  }

  // Anything else may be a launch.
  void program(std::vector<Word>& words, const std::vector<Assignment>& assignments) {
    // Noise: nobody starts that many.
    if (reader_.launches() > 5000 || reader_.settings > 200000) return;
    if (!is_flag(words[0].text) && !may_launch(words)) return;
    if (too_many_)
      reader_.find(kTooManyWords, words.back().span, {static_cast<int64_t>(words.size())});

    Surroundings here = around_;
    here.shell = &state_;
    const size_t given = here.env.size();
    for (const std::string& name : state_.export_order) {
      const auto found = state_.variables.find(name);
      if (found == state_.variables.end()) continue;
      if (given > 0)
        put_setting(here.env, found->second.setting);
      else
        here.env.push_back(found->second.setting);  // their names are different
    }
    for (const Assignment& a : assignments) {
      size_t after = a.end;
      while (after < source_.size() && (source_[after] == ' ' || source_[after] == '\t')) ++after;
      put_setting(here.env, setting(a, source_.span(a.begin, after)));
    }
    here.span =
        source_.span(command_begin_, std::max<uint32_t>(lexer_.last_word_end(), command_begin_));
    if (here.env_place.style == EnvPlace::Style::none) {
      here.env_place.style = EnvPlace::Style::shell_prefix;
      here.env_place.at = here.span.begin;
      here.env_place.context = reader_.context(Writing::shell, source_);
    }
    if (is_flag(words[0].text)) {
      if (reader_.flags_alone && starts_with_dashes(words[0].text))
        reader_.add_launch(std::move(words), 0, here);
      return;
    }
    reader_.read_words(words, std::move(here));
  }

  static bool starts_with_dashes(std::string_view w) {
    return (starts_with(w, "--") && is_flag(w)) || dash_like(w, 0) > 0 || space_like(w, 0) > 0;
  }

  Reader& reader_;
  const Source& source_;
  ShellState& state_;
  const Surroundings& around_;
  ShellLexer lexer_;
  std::vector<Word> words_;
  std::vector<Assignment> assignments_;
  uint32_t command_begin_ = 0;
  bool too_many_ = false;
};

}  // namespace

void Reader::read_shell(const Source& source, ShellState& state, const Surroundings& around) {
  if (depth > kMaxDepth) return;
  ++depth;
  ShellReader(*this, source, state, around).run();
  --depth;
}

std::vector<Word> split_words(Reader& reader, const Source& source) {
  ShellLexer lexer(reader, source);
  const ShellState nothing;
  std::vector<Word> words;
  for (ShellItem item;;) {
    lexer.next(item);
    if (item.kind == ShellItem::Kind::end) return words;
    if (item.kind == ShellItem::Kind::word)
      expand(reader, lexer, source, item.word, nothing, words);
  }
}

void Reader::read_inside(const Word& word, const Surroundings& around, bool own_shell) {
  if (depth > kMaxDepth || word.at.size() != word.text.size()) return;
  const Source source(word.text, word.at.data(), word.inside ? word.inside : word.context);
  ShellState fresh;
  Surroundings inner = around;
  inner.span = {};
  if (inner.env_place.style == EnvPlace::Style::shell_prefix)
    inner.env_place.style = EnvPlace::Style::none;  // inside the quotes it has its own place
  if (own_shell && around.shell) {
    // The inner shell inherits what is exported.
    for (const std::string& name : around.shell->export_order) {
      const auto found = around.shell->variables.find(name);
      if (found != around.shell->variables.end()) fresh.variables.emplace(name, found->second);
    }
  }
  for (const EnvSetting& e : around.env) {
    Variable v;
    Word w;
    w.text = e.value;
    w.span = e.value_span;
    w.at.assign(w.text.size(), e.value_span);
    w.unknown = e.unknown;
    const auto known = fresh.variables.find(e.name);
    if (known != fresh.variables.end() && !known->second.words.empty() &&
        known->second.words[0].text == e.value)
      w.holes = known->second.words[0].holes;
    else if (e.unknown)
      w.holes.push_back({0, static_cast<uint32_t>(e.value.size())});
    v.words.push_back(std::move(w));
    v.setting = e;
    fresh.variables[e.name] = std::move(v);
  }
  const bool alone = flags_alone;
  flags_alone = false;
  read_shell(source, fresh, inner);
  flags_alone = alone;
}

}  // namespace sglint
