#include "read/templates.h"

#include <algorithm>

#include "base/text.h"
#include "read/reader.h"

namespace sglint {
namespace {

constexpr size_t npos = std::string_view::npos;
constexpr size_t kMostExpressions = 65000;  // a plane has 65,534 characters
constexpr size_t kLongestTag = 4000;
constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

struct Tag {
  enum class Kind : uint8_t { expression, control, open, define, otherwise, end, separator };
  Kind kind = Kind::expression;
  bool trims = false;  // {{-
  uint32_t begin = 0, end = 0;
  uint32_t match = 0;   // of an opening tag: the index of its end, 0 if there is none
  uint32_t opener = 0;  // of `else` and `end`: the index of what opens it, plus one
};

std::string_view word_at(std::string_view s) {
  size_t n = 0;
  while (n < s.size() && (isalnum(static_cast<unsigned char>(s[n])) || s[n] == '_')) ++n;
  return n < s.size() && s[n] == '(' ? std::string_view() : s.substr(0, n);
}

Tag::Kind kind_of(std::string_view inner, bool statement) {
  const size_t first = inner.find_first_not_of("-+ \t\r\n");
  if (first == npos) return Tag::Kind::expression;
  inner.remove_prefix(first);
  const std::string_view word = word_at(inner);
  if (one_of(word, {"if", "with", "block"})) return Tag::Kind::open;
  if (word == "else") return Tag::Kind::otherwise;
  if (statement) {
    if (starts_with(word, "end")) return Tag::Kind::end;
    if (word == "elif") return Tag::Kind::otherwise;
    return one_of(word, {"for", "macro", "call", "filter", "raw"}) ? Tag::Kind::open
                                                                   : Tag::Kind::control;
  }
  if (word == "range") return Tag::Kind::open;
  if (word == "define") return Tag::Kind::define;
  if (word == "end") return Tag::Kind::end;
  if (one_of(word, {"break", "continue", "fail"}) || starts_with(inner, "/*"))
    return Tag::Kind::control;
  if (inner[0] == '$') {  // $x := …, $x = …
    const size_t name = 1 + word_at(inner.substr(1)).size();
    const size_t sign = inner.find_first_not_of(" \t", name);
    if (sign != npos && (starts_with(inner.substr(sign), ":=") ||
                         (inner[sign] == '=' && !starts_with(inner.substr(sign), "=="))))
      return Tag::Kind::control;
  }
  return Tag::Kind::expression;
}

// Behind the `}}` or `%}` that closes the tag at i; 0 if nothing does. `stop` is how far it looked,
// `comments` where the next comment of each kind ends, so that no opening tag searches for it anew.
size_t closing(std::string_view s, size_t i, size_t* stop, size_t comments[2]) {
  size_t k = i + 2;
  const char close = s[i + 1] == '{' ? '}' : s[i + 1];
  const size_t inner = s.find_first_not_of("- \t\r\n", k);
  const bool jinja = close == '#';
  if (jinja || (close == '}' && inner != npos && starts_with(s.substr(inner), "/*"))) {
    size_t& end = comments[jinja];
    if (end < k) end = s.find(jinja ? "#}" : "*/", k);
    *stop = s.size();
    if (end == npos) return 0;
    if (jinja) return end + 2;
    for (k = end + 2; k < end + 50 && among(s, k, "- \t\r\n");) ++k;
    return starts_with(s.substr(std::min(k, s.size())), "}}") ? k + 2 : 0;
  }
  size_t eol = 0;
  bool open[3] = {};  // quotes that nothing closes on this line
  const size_t limit = std::min(s.size(), i + kLongestTag);
  for (; k < limit; ++k) {
    const char c = s[k];
    if (c == '\n') {
      open[0] = open[1] = open[2] = false;
    } else if (c == close && k + 1 < limit && s[k + 1] == '}') {
      return k + 2;
    } else if (c == '{' && k + 1 < limit && (s[k + 1] == '{' || s[k + 1] == '%')) {
      break;
    } else if (const size_t q = std::string_view("\"'`").find(c); q != npos && !open[q]) {
      if (eol <= k) eol = std::min(s.substr(0, limit).find('\n', k), limit);
      size_t end = k + 1;
      while (end < eol && s[end] != c) end += s[end] == '\\' && c != '`' ? 2 : 1;
      if (end < eol)
        k = end;
      else
        open[q] = true;
    }
  }
  *stop = k;
  return 0;
}

bool may_open(std::string_view s, size_t i) {
  if (i + 1 >= s.size() || (i > 0 && s[i - 1] == '$')) return false;  // GitHub's ${{ x }}
  if (s[i + 1] == '{') return true;
  return (s[i + 1] == '%' && among(s, i + 2, " -+")) || (s[i + 1] == '#' && among(s, i + 2, " -"));
}

std::vector<Tag> tags_of(std::string_view s, std::optional<Span>* unclosed) {
  std::vector<Tag> out;
  size_t comments[2] = {};
  for (size_t i = s.find('{'); i != npos; i = s.find('{', i)) {
    if (!may_open(s, i)) {
      ++i;
      continue;
    }
    // `{{ "` in a password or in JSON is none, unless it is closed on its line.
    const size_t word = s.find_first_not_of("- ", i + 2);
    const bool meant = s[i + 1] == '{' && ((among(s, word, ".$") && among(s, word + 1, kLetters)) ||
                                           starts_with(s.substr(std::min(word, s.size())), "/*") ||
                                           (!out.empty() && among(s, i + 2, " -")));
    size_t stop = 0;
    size_t end = closing(s, i, &stop, comments);
    if (end > 0 && s[i + 1] == '{' && !meant && s.substr(i, end - i).find('\n') != npos) end = 0;
    if (end == 0) {
      if (!meant) {
        i += 2;
        continue;
      }
      // The rest of its line, up to the next one, is as good as a value.
      const size_t eol = s.substr(0, stop).find('\n', i);  // npos: not before `stop`
      if (unclosed && !*unclosed)
        *unclosed = Span{static_cast<uint32_t>(i), static_cast<uint32_t>(i + 2)};
      end = std::max(i + 2, std::min(stop, eol));
      while (end > i + 2 && among(s, end - 1, " \t\r\"']},")) --end;
    }
    Tag tag;
    tag.begin = static_cast<uint32_t>(i);
    tag.end = static_cast<uint32_t>(end);
    tag.trims = s[i + 2 < end ? i + 2 : i] == '-';
    tag.kind = s[i + 1] == '#' ? Tag::Kind::control
                               : kind_of(s.substr(i + 2, end - i - 2), s[i + 1] == '%');
    out.push_back(tag);
    i = end;
  }
  return out;
}

void pair_up(std::vector<Tag>& tags) {
  std::vector<uint32_t> open;
  for (uint32_t k = 0; k < tags.size(); ++k) {
    Tag& tag = tags[k];
    if (tag.kind == Tag::Kind::define && !open.empty()) tag.kind = Tag::Kind::open;
    if (tag.kind == Tag::Kind::open || tag.kind == Tag::Kind::define) open.push_back(k);
    if (open.empty()) continue;
    if (tag.kind == Tag::Kind::otherwise) tag.opener = open.back() + 1;
    if (tag.kind != Tag::Kind::end) continue;
    tag.opener = open.back() + 1;
    tags[open.back()].match = k;
    open.pop_back();
  }
}

// A condition within a line is one unknown value, and an `else` goes with all up to its end.
std::vector<Tag> merged(std::string_view s, std::vector<Tag> tags) {
  pair_up(tags);
  std::vector<Tag> out;
  size_t eol = 0;
  for (size_t k = 0; k < tags.size(); ++k) {
    Tag tag = tags[k];
    const Tag* opener = tag.opener > 0 ? &tags[tag.opener - 1] : nullptr;
    if (tag.match > 0) {
      if (eol <= tag.begin) eol = std::min(s.find('\n', tag.begin), s.size());
      const Tag& last = tags[tag.match];
      if (last.end <= eol && s.find_first_not_of(" \t", tag.end) < last.begin) {
        tag.kind = Tag::Kind::expression;
        tag.end = last.end;
        k = tag.match;
      }
    } else if (tag.kind == Tag::Kind::otherwise && opener && opener->match > 0) {
      tag.kind = Tag::Kind::control;
      tag.end = tags[opener->match].end;
      k = opener->match;
    }
    // What is defined apart is a document of its own.
    if (tag.kind == Tag::Kind::define ||
        (tag.kind == Tag::Kind::end && opener && opener->kind == Tag::Kind::define))
      tag.kind = Tag::Kind::separator;
    out.push_back(tag);
  }
  return out;
}

// nindent 12, indent 12: the column at which the text is inserted.
std::optional<size_t> column_of(std::string_view expression) {
  size_t i = expression.rfind("indent ");
  if (i == npos) return std::nullopt;
  size_t n = 0;
  for (i += 7; i < expression.size() && isdigit(static_cast<unsigned char>(expression[i])); ++i)
    n = std::min<size_t>(n * 10 + static_cast<size_t>(expression[i] - '0'), 1000);
  return n;
}

// Writes the text line by line. What stands alone on a line ({{- toYaml .Values.args | nindent 8
// }}) needs a form that fits its surroundings: an item of a list, a key, a value, a line of a
// block.
class Renderer {
 public:
  Renderer(const Source& source, Templates& out) : source_(source), s_(source.text()), out_(out) {}

  void run() {
    tags_ = merged(s_, tags_of(s_, &out_.unclosed));
    out_.text.text.reserve(s_.size());
    out_.text.at.reserve(s_.size());
    for (const Tag& tag : tags_)
      if (tag.kind == Tag::Kind::open) out_.conditions.push_back(source_.span(tag.begin, tag.end));
    for (Line line; next(line);) {
      const size_t from = out_.text.text.size();
      if (line.first == line.last) {
        copy(line.begin, line.end);
        note(from);
      } else if (line.literal) {
        mixed(line);
        note(from);
      } else if (line.expression) {
        insertion(line);
      } else if (tags_[line.first].kind == Tag::Kind::separator) {
        add("---\n", line);
        last_ = {};
        block_ = npos;
      }
    }
  }

 private:
  struct Line {
    size_t begin = 0, end = 0;   // with its line break
    size_t first = 0, last = 0;  // its tags
    bool literal = false;        // more than tags and blanks
    bool expression = false;
  };
  enum class Last : uint8_t { none, open_key, item, pair, flow, other };

  // The line at the cursor: one line of the text, or several that a tag holds together.
  Line line_at(size_t begin, size_t tag) const {
    Line line;
    line.begin = begin;
    line.first = line.last = tag;
    size_t eol = s_.find('\n', begin), at = begin;
    for (; line.last < tags_.size() && tags_[line.last].begin < eol; ++line.last) {
      const Tag& t = tags_[line.last];
      line.literal = line.literal || s_.find_first_not_of(" \t\r", at) < t.begin;
      line.expression = line.expression || t.kind == Tag::Kind::expression;
      at = t.end;
      if (at > eol) eol = s_.find('\n', at);
    }
    line.end = eol == npos ? s_.size() : eol + 1;
    line.literal = line.literal || visible(at, line.end) != npos;
    return line;
  }

  bool next(Line& line) {
    if (at_ >= s_.size()) return false;
    line = line_at(at_, tag_);
    at_ = line.end;
    tag_ = line.last;
    return true;
  }

  size_t visible(size_t begin, size_t end) const {
    return s_.substr(0, end).find_first_not_of(" \t\r\n", begin);
  }
  size_t indent(size_t begin) const { return s_.find_first_not_of(' ', begin) - begin; }

  // The next line that says where it stands: not blank, no comment, more than templates.
  const Line* following() {
    if (ahead_ && ahead_->begin >= at_) return ahead_->begin < s_.size() ? &*ahead_ : nullptr;
    size_t at = at_, tag = tag_;
    while (at < s_.size()) {
      ahead_ = line_at(at, tag);
      const size_t first = visible(at, ahead_->end);
      if (ahead_->literal && s_[first] != '#') return &*ahead_;
      at = ahead_->end;
      tag = ahead_->last;
    }
    ahead_ = Line();
    ahead_->begin = s_.size();
    return nullptr;
  }

  void copy(size_t begin, size_t end) { source_.copy(begin, end, &out_.text.text, &out_.text.at); }

  void add(std::string_view text, const Line& line) {
    out_.text.add(text, source_.span(tags_[line.first].begin, tags_[line.last - 1].end));
  }

  void expression(size_t begin, size_t end) {
    if (out_.expressions.size() < kMostExpressions)
      out_.expressions.push_back(s_.substr(begin, end - begin));
    const size_t k = out_.expressions.size() - 1;
    const char mark[] = {static_cast<char>(0xF3), static_cast<char>(0xB0 | (k >> 12)),
                         static_cast<char>(0x80 | ((k >> 6) & 0x3F)),
                         static_cast<char>(0x80 | (k & 0x3F))};
    out_.text.add(std::string_view(mark, 4), source_.span(begin, end));
  }

  void mixed(const Line& line) {
    size_t at = line.begin;
    const size_t from = out_.text.text.size();
    for (size_t k = line.first; k < line.last; ++k) {
      const Tag& tag = tags_[k];
      copy(at, tag.begin);
      at = tag.end;
      if (tag.kind == Tag::Kind::expression) {
        expression(tag.begin, tag.end);
        continue;
      }
      // `\ {{- end }}` must not leave a blank behind the backslash.
      std::string& text = out_.text.text;
      while (tag.trims && text.size() > from && text.back() == ' ') {
        text.pop_back();
        out_.text.at.pop_back();
      }
    }
    copy(at, line.end);
  }

  // What the line that was written last says of where the next one stands.
  void note(size_t from) {
    std::string_view line = std::string_view(out_.text.text).substr(from);
    size_t column = line.find_first_not_of(' ');
    line = line.substr(0, line.find_last_not_of(" \t\r\n") + 1);
    if (line.empty()) return;
    if (block_ != npos) {
      if (column >= block_) {
        if (inner_ == npos) inner_ = column;
        return;
      }
      block_ = npos;
    }
    if (line[column] == '#') return;
    if (const size_t comment = line.find(" #"); comment != npos) {
      line = line.substr(0, comment);
      line = line.substr(0, line.find_last_not_of(' ') + 1);
    }
    bool item = false;
    size_t dash = column;
    while (column < line.size() && line[column] == '-' &&
           (column + 1 == line.size() || line[column + 1] == ' ')) {
      item = true;
      dash = column;
      column = std::min(line.find_first_not_of(' ', column + 1), line.size());
    }
    const std::string_view rest = line.substr(std::min(column, line.size()));
    const size_t word = rest.find_last_of(' ') + 1;  // 0 without a blank
    const bool block = word < rest.size() && (rest[word] == '|' || rest[word] == '>') &&
                       rest.find_first_not_of("+-0123456789", word + 1) == npos;
    const bool key = contains(rest, ": ") && !among(rest, 0, "\"'[{");
    last_column_ = column;
    if (block) {
      block_ = (word == 0 ? dash : column) + 1;
      inner_ = npos;
    }
    if (item && (!key || (block && word == 0))) {
      last_ = Last::item;
      last_column_ = dash;
    } else {
      last_ = key ? Last::pair : Last::other;
    }
    if (!rest.empty() && rest.back() == ':' && !block) {
      last_ = Last::open_key;
      last_column_ = column;
    }
    if (!rest.empty() && among(rest, rest.size() - 1, "[{,")) last_ = Last::flow;
  }

  void put(const Line& line, size_t column, std::string_view before, std::string_view after) {
    add(std::string(column, ' '), line);
    add(before, line);
    expression(tags_[line.first].begin, tags_[line.last - 1].end);
    add(after, line);
    add("\n", line);
  }

  void insertion(const Line& line) {
    const Tag& first = tags_[line.first];
    const Line* const then = following();
    const size_t own = indent(line.begin);
    const size_t column =
        column_of(s_.substr(first.begin, tags_[line.last - 1].end - first.begin)).value_or(own);
    const size_t behind = then ? indent(then->begin) : 0;
    if (block_ != npos) {
      if (inner_ == npos || column >= block_ || own >= block_ || behind >= block_) {
        if (inner_ == npos) inner_ = behind >= block_ ? behind : block_ + 1;
        put(line, inner_, "", "");
        return;
      }
      block_ = npos;
    }
    const bool items = then && starts_with(s_.substr(then->begin + behind), "- ");
    if (last_ == Last::flow) {
      put(line, own, "", "");
    } else if (last_ == Last::open_key) {
      if (then && (behind > last_column_ || (items && behind == last_column_))) {
        if (!items) {
          out_.left_out.push_back(source_.span(first.begin, first.end));
          return;
        }
        last_column_ = behind;
        last_ = Last::item;
        put(line, behind, "- ", "");
      } else {
        put(line, last_column_ + 2, "", "");
        last_ = Last::other;
      }
    } else if (last_ == Last::item && column >= last_column_) {
      put(line, last_column_, "- ", "");
    } else if (last_ == Last::pair && column == last_column_) {
      put(line, column, "", ":");
    } else {
      out_.left_out.push_back(source_.span(first.begin, first.end));
    }
  }

  const Source& source_;
  const std::string_view s_;
  Templates& out_;
  std::vector<Tag> tags_;
  size_t at_ = 0, tag_ = 0;
  std::optional<Line> ahead_;
  Last last_ = Last::none;
  size_t last_column_ = 0;
  size_t block_ = npos;  // one more than the column that ends a block scalar
  size_t inner_ = npos;  // the column of its lines
};

// "v1" of `.Values.tag | default "v1"`, `default "v1" .Values.tag`, `tag | default('v1')`
std::string_view default_of(std::string_view expression) {
  size_t i = expression.find("default");
  if (i == npos) return {};
  i = expression.find_first_not_of(" (", i + 7);
  if (i == npos || !among(expression, i, "\"'")) return {};
  const size_t end = expression.find(expression[i], i + 1);
  return end == npos ? std::string_view() : expression.substr(i + 1, end - i - 1);
}

bool mark_at(std::string_view s, size_t i) {
  return i + 3 < s.size() && static_cast<unsigned char>(s[i]) == 0xF3 &&
         static_cast<unsigned char>(s[i + 1]) >= 0xB0;
}

}  // namespace

bool has_templates(std::string_view text) {
  bool any = false;
  for (size_t i = text.find('{'); i != npos && !any; i = text.find('{', i + 1))
    any = may_open(text, i) && text[i + 1] != '#';
  if (!any) return false;
  // The characters that stand for expressions must be free.
  for (size_t i = text.find('\xF3'); i != npos; i = text.find('\xF3', i + 1))
    if (mark_at(text, i)) return false;
  return true;
}

Templates render_templates(const Source& source) {
  Templates out;
  Renderer(source, out).run();
  if (out.unclosed) out.unclosed = source.span(out.unclosed->begin, out.unclosed->end);
  return out;
}

bool Templates::restore(std::string& s, bool defaults) const {
  bool any = false;
  for (size_t i = s.find('\xF3'); i != npos; i = s.find('\xF3', i)) {
    const auto byte = [&](size_t k) { return static_cast<unsigned char>(s[i + k]) & 0x3Fu; };
    size_t k = npos;
    if (mark_at(s, i)) k = (byte(1) & 0xFu) << 12 | byte(2) << 6 | byte(3);
    std::string_view text = k < expressions.size() ? expressions[k] : std::string_view();
    if (defaults) text = default_of(text);
    if (text.empty()) {
      ++i;
      continue;
    }
    s.replace(i, 4, text);
    i += text.size();
    any = true;
  }
  return any;
}

size_t template_in(std::string_view word) {
  for (size_t i = word.find('{'); i != npos; i = word.find('{', i + 1))
    if (may_open(word, i)) return i;
  return npos;
}

std::vector<Span> template_tags(std::string_view text) {
  std::vector<Span> out;
  for (const Tag& tag : tags_of(text, nullptr)) out.push_back({tag.begin, tag.end});
  return out;
}

std::vector<Span> template_blocks(std::string_view text, uint32_t from) {
  std::vector<Span> out;
  std::vector<Tag> tags = tags_of(text, nullptr);
  pair_up(tags);
  for (const Tag& tag : tags)
    if (tag.match > 0 && tag.begin >= from && (out.empty() || tag.begin >= out.back().end))
      out.push_back({tag.begin, tags[tag.match].end});
  return out;
}

}  // namespace sglint
