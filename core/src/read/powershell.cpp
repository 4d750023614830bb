// PowerShell: back-ticks, $env:NAME, single and double quotes.
#include <algorithm>

#include "read/read_rules.h"
#include "read/reader.h"

namespace sglint {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool looks_like_powershell(std::string_view s) {
  if (contains(s, "$env:") || contains(s, "$Env:") || contains(s, "PS C:\\") || contains(s, "PS>"))
    return true;
  // A back-tick at the end of a line; a Markdown fence has three.
  // One inside POSIX quotes is a letter.
  bool single = false;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '\'' && (i == 0 || s[i - 1] != '\\')) single = !single;
    if (s[i] != '`' || single || i == 0 || !blank(s[i - 1])) continue;
    size_t k = i + 1;
    while (k < s.size() && blank(s[k])) ++k;
    if (k < s.size() && s[k] == '\n') return true;
  }
  return false;
}

class PowerShell {
 public:
  PowerShell(Reader& reader, const Source& source)
      : reader_(reader),
        source_(source),
        s_(source.text()),
        context_(reader.context(Writing::powershell, source)) {}

  [[gnu::noinline]] void run() {
    bool line_start = true;
    while (i_ < s_.size()) {
      if (line_start) {
        line_start = false;
        prompt();
        if (environment() || assignment()) {
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
        size_t k = i_;
        while (k < s_.size() && blank(s_[k])) ++k;
        // A flag at the start of a line belongs to the command before.
        const bool flag = !words_.empty() && s_.substr(k, 2) == "--" && k + 2 < s_.size() &&
                          isalpha(static_cast<unsigned char>(s_[k + 2]));
        if (flag && !is_flag(words_[0].text))
          reader_.find(kMissingContinuation, source_.span(k, k + 2), {"--"},
                       {{{words_.back().span.end, words_.back().span.end}, " `"}},
                       "Continue the line");
        if (!flag) {
          flush();
          line_start = true;
        }
      } else if (c == '`' && continuation()) {
        continue;
      } else if (c == '#') {
        i_ = std::min(s_.find('\n', i_), s_.size());
      } else if (s_.substr(i_, 2) == "<#") {
        const size_t end = s_.find("#>", i_);
        i_ = end == s_.npos ? s_.size() : end + 2;
      } else if (c == ';' || c == '|' || c == '(' || c == ')' || c == '{' || c == '}') {
        flush();
        ++i_;
        line_start = true;
      } else if (c == '&') {
        if (!words_.empty()) flush();
        ++i_;
      } else if (c == '>' || ((c == '2' || c == '1' || c == '*') && s_.substr(i_ + 1, 1) == ">")) {
        while (i_ < s_.size() && among(s_, i_, "12*>&")) ++i_;
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
  void prompt() {
    size_t k = i_;
    while (k < s_.size() && blank(s_[k])) ++k;
    if (s_.substr(k, 2) == "PS" && (s_.substr(k + 2, 1) == " " || s_.substr(k + 2, 1) == ">")) {
      const size_t end = s_.find('>', k);
      const size_t eol = std::min(s_.find('\n', k), s_.size());
      if (end < eol) i_ = end + 1;
    } else if (s_.substr(k, 3) == ">> ") {
      i_ = k + 3;
    }
  }

  bool continuation() {
    size_t k = i_ + 1;
    while (k < s_.size() && blank(s_[k])) ++k;
    if (k < s_.size() && s_[k] != '\n') return false;
    if (k > i_ + 1 && s_[i_ + 1] != '\r')
      reader_.find(kSpaceAfterBackslash, source_.span(i_, k), {}, {{source_.span(i_ + 1, k), ""}},
                   "Delete the space");
    i_ = std::min(k + 1, s_.size());
    // The prompt of a continued line
    size_t p = i_;
    while (p < s_.size() && blank(s_[p])) ++p;
    if (s_.substr(p, 3) == ">> ") i_ = p + 3;
    return true;
  }

  // $env:NAME = "value"
  bool environment() {
    size_t k = i_;
    while (k < s_.size() && blank(s_[k])) ++k;
    const bool brace = lower(s_.substr(k, 6)) == "${env:";
    if (!brace && lower(s_.substr(k, 5)) != "$env:") return false;
    const size_t line = k;
    k += brace ? 6 : 5;
    const size_t name = k;
    while (k < s_.size() && (isalnum(static_cast<unsigned char>(s_[k])) || s_[k] == '_')) ++k;
    EnvSetting e;
    e.name = std::string(s_.substr(name, k - name));
    if (brace) ++k;
    while (k < s_.size() && blank(s_[k])) ++k;
    if (k >= s_.size() || s_[k] != '=') return false;
    ++k;
    while (k < s_.size() && blank(s_[k])) ++k;
    i_ = k;
    const Word value = word();
    e.value = value.text;
    e.unknown = value.unknown || is_placeholder(e.value);
    e.secret = is_secret_name(e.name);
    e.span = source_.span(line, i_);
    e.value_span = value.span;
    e.context = context_;
    while (i_ < s_.size() && (blank(s_[i_]) || s_[i_] == ';')) ++i_;
    const bool whole = i_ < s_.size() && s_[i_] == '\n';
    e.removal = source_.span(line, whole ? i_ + 1 : i_);
    if (whole) ++i_;
    variables_["env:" + lower(e.name)] = value;
    if (e.value.empty())
      env_.erase(std::remove_if(env_.begin(), env_.end(),
                                [&](const EnvSetting& x) { return x.name == e.name; }),
                 env_.end());
    else
      put_setting(env_, std::move(e));
    return true;
  }

  // $name = "value" or $name = @( … )
  bool assignment() {
    size_t k = i_;
    while (k < s_.size() && blank(s_[k])) ++k;
    if (k >= s_.size() || s_[k] != '$') return false;
    const size_t name = ++k;
    while (k < s_.size() && (isalnum(static_cast<unsigned char>(s_[k])) || s_[k] == '_')) ++k;
    const std::string variable = lower(s_.substr(name, k - name));
    while (k < s_.size() && blank(s_[k])) ++k;
    if (variable.empty() || k >= s_.size() || s_[k] != '=') return false;
    ++k;
    while (k < s_.size() && blank(s_[k])) ++k;
    i_ = k;
    if (s_.substr(k, 2) == "@(") {
      i_ += 2;
      std::vector<Word> items;
      while (i_ < s_.size() && s_[i_] != ')') {
        if (blank(s_[i_]) || s_[i_] == '\n' || s_[i_] == ',' || s_[i_] == '`') {
          ++i_;
          continue;
        }
        if (s_[i_] == '#') {
          i_ = std::min(s_.find('\n', i_), s_.size());
          continue;
        }
        const size_t before = i_;
        in_array_ = true;
        Word w = word();
        in_array_ = false;
        if (i_ == before) {
          ++i_;
          continue;
        }
        items.push_back(std::move(w));
      }
      if (i_ < s_.size()) ++i_;
      arrays_[variable] = std::move(items);
    } else {
      variables_[variable] = word();
    }
    return true;
  }

  void add(Word& w, size_t begin, size_t end, std::string_view text) {
    w.text += text;
    w.at.insert(w.at.end(), text.size(), source_.span(begin, end));
  }

  // At a `$` inside a word.
  void variable(Word& w) {
    const size_t begin = i_;
    size_t k = i_ + 1;
    const bool brace = s_.substr(k, 1) == "{";
    if (s_.substr(k, 1) == "(") {
      int depth = 0;
      while (k < s_.size() && s_[k] != '\n') {
        depth += s_[k] == '(' ? 1 : s_[k] == ')' ? -1 : 0;
        ++k;
        if (depth == 0) break;
      }
      add(w, begin, k, s_.substr(begin, k - begin));
      w.unknown = true;
      i_ = k;
      return;
    }
    if (brace) ++k;
    const size_t name = k;
    while (k < s_.size() && (isalnum(static_cast<unsigned char>(s_[k])) || s_[k] == '_' ||
                             (s_[k] == ':' && lower(s_.substr(name, k - name)) == "env")))
      ++k;
    const std::string variable = lower(s_.substr(name, k - name));
    if (brace && k < s_.size() && s_[k] == '}') ++k;
    const auto found = variables_.find(variable);
    if (variable.empty() || found == variables_.end()) {
      add(w, begin, std::max(k, begin + 1), s_.substr(begin, std::max(k, begin + 1) - begin));
      w.unknown = w.unknown || !variable.empty();
    } else {
      add(w, begin, k, found->second.text);
      w.unknown = w.unknown || found->second.unknown;
    }
    i_ = std::max(k, begin + 1);
  }

  Word word() {
    Word w;
    const size_t begin = i_;
    bool any = false;
    while (i_ < s_.size()) {
      const char c = s_[i_];
      if (c == '<') {
        if (const size_t n = placeholder_at(s_, i_)) {
          add(w, i_, i_ + n, s_.substr(i_, n));
          w.unknown = true;
          i_ += n;
          continue;
        }
      }
      if (blank(c) || c == '\n' || c == ';' || c == '|' || c == ')' || (in_array_ && c == ','))
        break;
      if (c == '`') {
        size_t k = i_ + 1;
        while (k < s_.size() && blank(s_[k])) ++k;
        if (k >= s_.size() || s_[k] == '\n') break;
        add(w, i_, i_ + 2, s_.substr(i_ + 1, 1));
        i_ += 2;
      } else if (c == '\'' || c == '"') {
        any = true;
        quote(w, c);
      } else if (c == '$') {
        variable(w);
      } else {
        size_t k = i_ + 1;
        while (k < s_.size() && !blank(s_[k]) && !among(s_, k, "\n<;|),`'\"$")) ++k;
        source_.copy(i_, k, &w.text, &w.at);
        i_ = k;
      }
    }
    w.span = source_.span(begin, i_);
    w.context = context_;
    w.inside = context_;
    w.quoted = any;
    return w;
  }

  void quote(Word& w, char c) {
    const size_t open = i_++;
    w.inside = reader_.context(c == '"' ? Writing::shell_double : Writing::shell_single, context_);
    while (i_ < s_.size()) {
      const char d = s_[i_];
      if (d == c) {
        if (s_.substr(i_ + 1, 1) == std::string_view(&c, 1)) {  // doubled: the quote itself
          add(w, i_, i_ + 2, std::string_view(&c, 1));
          i_ += 2;
          continue;
        }
        ++i_;
        return;
      }
      // \" is how quotes get through to a program before PowerShell 7.3.
      if (d == '\\' && s_.substr(i_ + 1, 1) == "\"" && has_more(i_ + 2, c)) {
        add(w, i_, i_ + 2, "\"");
        i_ += 2;
      } else if (d == '`' && c == '"' && i_ + 1 < s_.size()) {
        add(w, i_, i_ + 2, s_.substr(i_ + 1, 1));
        i_ += 2;
      } else if (d == '$' && c == '"') {
        variable(w);
      } else {
        size_t k = i_ + 1;
        while (k < s_.size() && s_[k] != c && !among(s_, k, "\\`$")) ++k;
        source_.copy(i_, k, &w.text, &w.at);
        i_ = k;
      }
    }
    reader_.find(kUnclosedQuote, source_.span(open, open + 1), {std::string(1, c)});
  }

  // Is there a closing quote on this line?
  bool has_more(size_t i, char c) const {
    for (; i < s_.size() && s_[i] != '\n'; ++i)
      if (s_[i] == c) return true;
    return false;
  }

  void flush() {
    if (words_.empty()) return;
    std::vector<Word> words;
    for (Word& w : words_) {
      if (starts_with(w.text, "@") && arrays_.count(lower(w.text.substr(1)))) {
        for (const Word& item : arrays_[lower(w.text.substr(1))]) words.push_back(item);
      } else if (starts_with(w.text, "$") && arrays_.count(lower(w.text.substr(1)))) {
        for (const Word& item : arrays_[lower(w.text.substr(1))]) words.push_back(item);
      } else {
        words.push_back(std::move(w));
      }
    }
    words_.clear();
    if (words.empty() || (!is_flag(words[0].text) && !may_launch(words))) return;
    Surroundings around;
    around.form = Form::powershell;
    around.env = env_;
    around.span = {source_.span(begin_, begin_).begin, words.back().span.end};
    around.env_place.style = EnvPlace::Style::powershell;
    around.env_place.at = around.span.begin;
    around.env_place.after = "\n";
    around.env_place.context = context_;
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
  bool in_array_ = false;
  std::vector<Word> words_;
  std::vector<EnvSetting> env_;
  std::map<std::string, Word> variables_;
  std::map<std::string, std::vector<Word>> arrays_;
};

}  // namespace

bool Reader::read_powershell(const Source& source) {
  if (!looks_like_powershell(source.text())) return false;
  const size_t before = launches();
  PowerShell(*this, source).run();
  return launches() > before;
}

}  // namespace sglint
