#include "read/shell_lexer.h"

#include <algorithm>

#include "read/read_rules.h"

namespace sglint {
namespace {

bool name_char(char c, bool first) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (!first && c >= '0' && c <= '9');
}

bool ends_word(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f' || c == ';' ||
         c == '&' || c == '|' || c == '<' || c == '>' || c == '(' || c == ')';
}

// What is more than text wherever it stands in a word.
bool begins_piece(char c) {
  return c == '\\' || c == '\'' || c == '"' || c == '$' || c == '`' || c == '<' || c == '{';
}

// The value of an ANSI-C escape that begins after the backslash at i; moves i behind it.
std::string ansi_escape(std::string_view s, size_t& i) {
  const char c = i < s.size() ? s[i++] : '\\';
  switch (c) {
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case 'r':
      return "\r";
    case 'a':
      return "\a";
    case 'b':
      return "\b";
    case 'e':
      return "\x1B";
    case 'f':
      return "\f";
    case 'v':
      return "\v";
    case '\\':
    case '\'':
    case '"':
    case '?':
      return std::string(1, c);
    case 'x': {
      int value = 0, digits = 0;
      while (digits < 2 && i < s.size() && isxdigit(static_cast<unsigned char>(s[i]))) {
        const char d = static_cast<char>(s[i] | 0x20);
        value = value * 16 + (d >= 'a' ? d - 'a' + 10 : s[i] - '0');
        ++i, ++digits;
      }
      if (digits == 0) return "\\x";
      return std::string(1, static_cast<char>(value));
    }
    default:
      return std::string("\\") + c;
  }
}

}  // namespace

// A prompt stands at the start of a line only.
void ShellLexer::skip_prompt() {
  if (!line_start_) return;
  line_start_ = false;
  const size_t eol = std::min(source_.text().find('\n', i_), std::min(source_.size(), i_ + 300));
  i_ += prompt_length(source_.text().substr(i_, eol - i_), reader_.hash_is_prompt);
}

// Most lines of a log or a long script neither speak of SGLang nor change what later lines mean.
void ShellLexer::skip_inert_lines() {
  const std::string_view s = source_.text();
  while (i_ < s.size()) {
    if (sglang_ < i_) sglang_ = s.find("sglang", i_);
    if (server_ < i_) server_ = s.find("launch_server", i_);
    const size_t eol = std::min(s.find('\n', i_), s.size());
    if (std::min(sglang_, server_) < eol || !inert(s.substr(i_, eol - i_))) return;
    i_ = std::min(eol + 1, s.size());
  }
}

// No assignment, no quote or bracket that may go on behind the line, no launch.
bool ShellLexer::inert(std::string_view line) const {
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == line.npos) return true;
  if (line[first] == '#') return !reader_.hash_is_prompt;
  if (line[first] == '-' || static_cast<unsigned char>(line[first]) >= 0x80) return false;
  bool equals = false, several = false;
  for (size_t i = first; i < line.size(); ++i) {
    const char c = line[i];
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    switch (c) {
      case '\\':
      case '$':
        return false;
      case '<':
      case '>':
        if (next == '<' || next == '(') return false;
        break;
      case '\'':
      case '"': {
        const size_t end = line.find(c, i + 1);
        if (end == line.npos || isalpha(static_cast<unsigned char>(line[i - (i > 0)])) ||
            line.substr(i, end - i).find_first_of("\\$`") != line.npos)
          return false;
        i = end;
        break;
      }
      case '=':
        equals = true;
        break;
      case ';':
      case '&':
      case '|':
      case '(':
        several = true;
        break;
      case '#':
        if (i > 0 && blank(line[i - 1])) i = line.size();
        break;
      default:
        break;
    }
  }
  if (equals && several) return false;
  const std::string_view rest = line.substr(first);
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r"));
  return !contains(word, "=") && !starts_with(word, "smg") && !contains(word, "sgl-") &&
         !contains(word, "mini_lb") &&
         !one_of(word,
                 {"export", "declare", "typeset", "local", "readonly", "unset", "set", "setenv",
                  "then", "do", "else", "if", "while", "until", "!", "{", "time", "eval"}) &&
         prompt_length(line, reader_.hash_is_prompt) == 0;
}

// After a backslash and a line break: a secondary prompt, comments and blank lines that a reader
// sees through though a shell does not.
void ShellLexer::skip_continuation() {
  size_t k = i_;
  while (k < source_.size() && blank(source_[k])) ++k;
  if (source_[k] == '>' && source_[k + 1] == ' ') {
    // PS2, unless one word that is no flag follows and the line before has none: `> log 2>&1 &`.
    const std::string_view s = source_.text();
    const size_t word = s.find_first_not_of(" \t", k + 1);
    const size_t end = s.find_first_of(" \t\r\n", word);
    const size_t rest = s.find_first_not_of(" \t", end);
    size_t line = s.rfind('\n', i_ - 2) + 1;
    while (blank(source_[line])) ++line;
    if (word >= s.size() || is_flag(s.substr(word, end - word)) || source_[line] == '>' ||
        (rest < s.size() && !among(s, rest, "\r\n&|;2")))
      i_ = k + 1;
    return;
  }
  if (source_[k] != '#') {
    if (source_[k] != '\n') return;
    size_t at = 0;
    const size_t before = i_;
    i_ = k;
    const bool follows = flag_follows(&at);
    i_ = follows ? at : before;
    return;
  }
  const size_t comment = k;
  const size_t before = i_;
  i_ = k;
  size_t at = 0;
  if (flag_follows(&at)) {
    size_t end = source_.text().find('\n', comment);
    end = std::min(end, source_.size());
    reader_.find(kCommentEndsCommand, source_.span(comment, end), {});
    i_ = at;
  } else {
    i_ = before;
  }
}

bool ShellLexer::flag_follows(size_t* at) const {
  size_t k = i_;
  while (k < source_.size()) {
    size_t first = k;
    while (first < source_.size() && (blank(source_[first]) || source_[first] == '\n')) ++first;
    if (source_[first] == '#') {
      k = source_.text().find('\n', first);
      if (k == std::string_view::npos) return false;
      continue;
    }
    if (source_[first] != '-' && dash_like(source_.text(), first) == 0) return false;
    size_t end = first;
    while (end < source_.size() && end - first < 60 && !ends_word(source_[end])) ++end;
    if (!is_flag(source_.text().substr(first, end - first))) return false;
    *at = first;
    return true;
  }
  return false;
}

bool ShellLexer::skip_blanks() {
  while (i_ < source_.size()) {
    const char c = source_[i_];
    if (blank(c)) {
      ++i_;
    } else if (c == '\\') {
      size_t k = i_ + 1;
      while (k < source_.size() && blank(source_[k])) ++k;
      const bool plain = k == i_ + 1 || (k == i_ + 2 && source_[i_ + 1] == '\r');
      if (k >= source_.size()) {
        i_ = k;
        return false;
      }
      if (source_[k] != '\n') return true;
      if (!plain)
        reader_.find(kSpaceAfterBackslash, source_.span(i_, k), {}, {{source_.span(i_ + 1, k), ""}},
                     "Delete the space");
      i_ = k + 1;
      skip_continuation();
    } else {
      return true;
    }
  }
  return false;
}

bool ShellLexer::comment_to_end() {
  const size_t eol = source_.text().find('\n', i_);
  i_ = std::min(eol, source_.size());
  return i_ < source_.size();
}

void ShellLexer::text(ShellWord& out, size_t begin, size_t end, bool quoted) {
  if (begin == end) return;
  if (!out.pieces.empty()) {
    ShellPiece& last = out.pieces.back();
    if (last.kind == ShellPiece::Kind::text && last.end == begin && last.quoted == quoted) {
      last.end = static_cast<uint32_t>(end);
      return;
    }
  }
  ShellPiece piece;
  piece.begin = static_cast<uint32_t>(begin);
  piece.end = static_cast<uint32_t>(end);
  piece.quoted = quoted;
  out.pieces.push_back(std::move(piece));
}

// The place of the bracket that closes the one before i, quotes respected; npos if there is none.
size_t ShellLexer::closing(size_t i, size_t limit, char open, char close) const {
  int depth = 1;
  const size_t stop = std::min(limit, i + 100000);
  const size_t from = i;
  // Noise full of opening brackets must not cost more than a few passes over the text.
  if (wasted_ > 2 * source_.size() + 10000) return std::string_view::npos;
  for (; i < stop; ++i) {
    const char c = source_[i];
    if (c == '\\') {
      ++i;
    } else if (c == '\'' || c == '"') {
      const size_t end = source_.text().substr(0, stop).find(c, i + 1);
      if (end == std::string_view::npos) break;
      i = end;
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      return i;
    }
  }
  wasted_ += stop - from;
  return std::string_view::npos;
}

// At a `$`.
void ShellLexer::dollar(ShellWord& out, size_t limit, bool quoted) {
  const size_t begin = i_++;
  ShellPiece piece;
  piece.quoted = quoted;
  piece.begin = static_cast<uint32_t>(begin);
  const char c = i_ < limit ? source_[i_] : '\0';
  if (c == '(') {
    const size_t end = closing(i_ + 1, limit, '(', ')');
    if (end == std::string_view::npos) {
      text(out, begin, i_, quoted);
      return;
    }
    i_ = end + 1;
    piece.kind = ShellPiece::Kind::unknown;
  } else if (c == '{') {
    const size_t end = closing(i_ + 1, limit, '{', '}');
    if (end == std::string_view::npos || (i_ + 1 < limit && source_[i_ + 1] == '{')) {
      text(out, begin, i_, quoted);  // ${{ x }} is a template's
      return;
    }
    size_t k = i_ + 1;
    while (k < end && name_char(source_[k], k == i_ + 1)) ++k;
    piece.value = std::string(source_.text().substr(i_ + 1, k - i_ - 1));
    piece.kind = piece.value.empty() ? ShellPiece::Kind::unknown : ShellPiece::Kind::variable;
    const std::string_view rest = source_.text().substr(k, end - k);
    if (rest == "[@]" || rest == "[*]") {
      piece.op = '[';
    } else if (!rest.empty()) {
      const size_t colon = rest[0] == ':' ? 1 : 0;
      const char op = colon < rest.size() ? rest[colon] : '\0';
      if (op == '-' || op == '=' || op == '+' || op == '?') {
        piece.op = op;
        piece.arg_begin = static_cast<uint32_t>(k + colon + 1);
        piece.arg_end = static_cast<uint32_t>(end);
      } else {
        piece.kind = ShellPiece::Kind::unknown;
      }
    }
    i_ = end + 1;
  } else if (name_char(c, true)) {
    size_t k = i_;
    while (k < limit && name_char(source_[k], k == i_)) ++k;
    piece.value = std::string(source_.text().substr(i_, k - i_));
    piece.kind = ShellPiece::Kind::variable;
    i_ = k;
  } else if (c == '@' || c == '*' || c == '#' || c == '?' || c == '$' || c == '!' ||
             (c >= '0' && c <= '9')) {
    ++i_;
    piece.kind = ShellPiece::Kind::unknown;
  } else {
    text(out, begin, i_, quoted);
    return;
  }
  piece.end = static_cast<uint32_t>(i_);
  out.pieces.push_back(std::move(piece));
}

// "it's": a letter on both sides and nothing but letters before. Prose around a command has these.
bool ShellLexer::apostrophe(const ShellWord& so_far, size_t limit) const {
  if (so_far.quoted || i_ == so_far.begin || i_ + 1 >= limit) return false;
  for (size_t k = so_far.begin; k < i_; ++k)
    if (!isalpha(static_cast<unsigned char>(source_[k]))) return false;
  size_t k = i_ + 1;
  while (k < limit && isalpha(static_cast<unsigned char>(source_[k]))) ++k;
  return k > i_ + 1 && k - i_ <= 3 && (k >= limit || source_[k] != '\'');
}

// Adds what stands between `begin` and the place that is reached.
ShellPiece& ShellLexer::piece(ShellWord& out, ShellPiece::Kind kind, size_t begin, bool quoted) {
  ShellPiece& piece = out.pieces.emplace_back();
  piece.kind = kind;
  piece.quoted = quoted;
  piece.begin = static_cast<uint32_t>(begin);
  piece.end = static_cast<uint32_t>(i_);
  return piece;
}

// At a backslash outside of quotes; false if the word ends there.
bool ShellLexer::backslash(ShellWord& out, size_t limit) {
  const std::string_view s = source_.text();
  if (i_ + 1 >= limit) {
    ++i_;
    return false;
  }
  size_t k = i_ + 1;
  if (s[k] == '\r' && k + 1 < limit && s[k + 1] == '\n') ++k;
  if (s[k] == '\n') {
    i_ = k + 1;
    // `2\` with an indented next line ends the word there; without one the words are glued.
    skip_continuation();
    if (i_ < limit && (s[i_] == '-' || dash_like(s, i_)) && i_ + 1 < limit && s[i_ + 1] == '-') {
      const size_t at = k - (s[k - 1] == '\r' ? 2 : 1);  // of the backslash
      reader_.find(kGluedContinuation, source_.span(out.begin, i_ + 2),
                   {s.substr(out.begin, k - 1 - out.begin)}, {{source_.span(at, at), " "}},
                   "Write a space before the backslash");
    }
    return true;
  }
  // Blanks between the backslash and the line break: skip_blanks() says so.
  size_t blanks = i_ + 1;
  while (blanks < limit && blank(s[blanks])) ++blanks;
  if (blanks > i_ + 1 && blanks < limit && s[blanks] == '\n') return false;
  i_ += 2;
  piece(out, ShellPiece::Kind::escape, i_ - 2).value = s[i_ - 1];
  out.quoted = true;
  return true;
}

void ShellLexer::single_quoted(ShellWord& out, size_t limit) {
  const std::string_view s = source_.text();
  out.quoted = true;
  const size_t open = i_;
  size_t end = s.substr(0, limit).find('\'', open + 1);
  if (end == s.npos) {
    // Taken as if it ended with the line, so that what follows is read too.
    end = std::min(std::min(s.find('\n', open), limit), source_.size());
    reader_.find(kUnclosedQuote, source_.span(open, end), {"'"});
    text(out, open + 1, end, true);
    i_ = end;
    return;
  }
  text(out, open + 1, end, true);
  i_ = end + 1;
  if (end == open + 1) piece(out, ShellPiece::Kind::value, open);
}

void ShellLexer::double_quoted(ShellWord& out, size_t limit) {
  const std::string_view s = source_.text();
  out.quoted = true;
  const size_t open = i_++;
  const size_t pieces = out.pieces.size();
  // Where the quote is never closed the line ends it; looked up once, not for every quote.
  size_t stop = limit;
  size_t k = i_;
  while (k < limit && s[k] != '"') k += s[k] == '\\' ? 2 : 1;
  if (k >= limit) {
    wasted_ += limit - i_;
    stop = std::min(s.find('\n', i_), limit);
  }
  size_t begin = i_;  // of the text that is not yet among the pieces
  while (i_ < stop && s[i_] != '"') {
    const size_t at = i_;
    const char escaped = s[at] == '\\' && at + 1 < stop ? s[at + 1] : '\0';
    if (s[at] == '$') {
      text(out, begin, at, true);
      dollar(out, stop, true);
    } else if (s[at] == '`') {
      const size_t end = s.substr(0, stop).find('`', at + 1);
      if (end == s.npos) {
        ++i_;
        continue;
      }
      text(out, begin, at, true);
      i_ = end + 1;
      piece(out, ShellPiece::Kind::unknown, at);
    } else if (escaped == '\n') {
      text(out, begin, at, true);
      i_ += 2;
    } else if (escaped == '"' || escaped == '\\' || escaped == '$' || escaped == '`') {
      text(out, begin, at, true);
      i_ += 2;
      piece(out, ShellPiece::Kind::escape, at).value = escaped;
    } else {
      i_ += escaped ? 2 : 1;
      continue;
    }
    begin = i_;
  }
  const bool closed = i_ < stop;
  i_ = std::min(i_, stop);
  text(out, begin, i_, true);
  if (!closed) return reader_.find(kUnclosedQuote, source_.span(open, i_), {"\""});
  ++i_;
  if (out.pieces.size() == pieces) piece(out, ShellPiece::Kind::value, open);
}

// $'…'
void ShellLexer::ansi_quoted(ShellWord& out, size_t limit) {
  const std::string_view s = source_.text();
  out.quoted = true;
  const size_t open = i_;
  i_ += 2;
  std::string value;
  while (i_ < limit && s[i_] != '\'') {
    if (s[i_] == '\\') {
      ++i_;
      value += ansi_escape(s.substr(0, limit), i_);
    } else {
      value += s[i_++];
    }
  }
  i_ = std::min(i_ + 1, limit);
  piece(out, ShellPiece::Kind::value, open).value = std::move(value);
}

void ShellLexer::word(ShellWord& out, size_t limit, bool inside_default) {
  constexpr size_t kMostPieces = 20000;  // more is noise, of which the rest is taken as it stands
  const std::string_view s = source_.text();
  out.pieces.clear();
  out.quoted = false;
  out.begin = static_cast<uint32_t>(i_);
  while (i_ < limit) {
    const char c = s[i_];
    if (out.pieces.size() > kMostPieces) {
      size_t k = i_;
      while (k < limit && !ends_word(s[k])) ++k;
      text(out, i_, k, false);
      i_ = k;
      break;
    }
    const size_t placeholder =
        c == '<' || c == '{' ? placeholder_at(s.substr(0, limit), i_) : size_t{0};
    if (placeholder) {
      i_ += placeholder;
      piece(out, ShellPiece::Kind::unknown, i_ - placeholder);
    } else if (!inside_default && ends_word(c)) {
      break;
    } else if (c == '\\') {
      if (!backslash(out, limit)) break;
    } else if (c == '\'' && !apostrophe(out, limit)) {
      single_quoted(out, limit);
    } else if (c == '"') {
      double_quoted(out, limit);
    } else if (c == '$' && i_ + 1 < limit && s[i_ + 1] == '\'') {
      ansi_quoted(out, limit);
    } else if (c == '$') {
      dollar(out, limit, false);
    } else if (const size_t end = c == '`' ? s.substr(0, limit).find('`', i_ + 1) : s.npos;
               end != s.npos && !contains(s.substr(i_, end - i_), "\n")) {
      const size_t open = i_;
      i_ = end + 1;
      piece(out, ShellPiece::Kind::unknown, open, false);
    } else {
      size_t k = i_ + 1;
      if (c != '`' && c != '\'')
        while (k < limit && (inside_default || !ends_word(s[k])) && !begins_piece(s[k])) ++k;
      text(out, i_, k, false);
      i_ = k;
    }
  }
  out.end = static_cast<uint32_t>(i_);
}

ShellWord ShellLexer::word_of(size_t begin, size_t end) {
  const size_t saved = i_;
  i_ = begin;
  ShellWord out;
  word(out, end, true);
  i_ = saved;
  return out;
}

// At `<` or `>`: the operator and its target are no words of the command.
void ShellLexer::redirection() {
  const std::string_view s = source_.text();
  const size_t begin = i_;
  if (starts_with(s.substr(i_), "<<<")) {
    i_ += 3;
  } else if (starts_with(s.substr(i_), "<<")) {
    i_ += 2;
    Heredoc doc;
    if (source_[i_] == '-') doc.strip_tabs = true, ++i_;
    while (i_ < source_.size() && blank(source_[i_])) ++i_;
    ShellWord delimiter;
    word(delimiter, source_.size());
    for (const ShellPiece& p : delimiter.pieces)
      doc.delimiter += p.kind == ShellPiece::Kind::text
                           ? std::string(s.substr(p.begin, p.end - p.begin))
                           : p.value;
    if (!doc.delimiter.empty() && doc.delimiter.size() < 100) heredocs_.push_back(std::move(doc));
    return;
  } else {
    while (i_ < source_.size() && i_ - begin < 3 &&
           (source_[i_] == '>' || source_[i_] == '<' || source_[i_] == '&' || source_[i_] == '|')) {
      // `>(` and `<(` are processes
      ++i_;
    }
  }
  while (i_ < source_.size() && blank(source_[i_])) ++i_;
  if (source_[i_] == '>' || source_[i_] == '<') ++i_;
  if (source_[i_] == '(') {
    const size_t end = closing(i_ + 1, source_.size(), '(', ')');
    i_ = end == s.npos ? i_ + 1 : end + 1;
    return;
  }
  ShellWord target;
  if (source_[i_] != '\n' && i_ < source_.size() && source_[i_] != '\\')
    word(target, source_.size());
}

// At the line break before the body of a heredoc, which is given as one item.
void ShellLexer::heredoc_body(ShellItem& item) {
  const std::string_view s = source_.text();
  const Heredoc doc = heredocs_.front();
  heredocs_.erase(heredocs_.begin());
  const size_t body = i_ + 1;
  size_t line = body;
  while (line < source_.size()) {
    const size_t eol = std::min(s.find('\n', line), source_.size());
    size_t first = line;
    while (first < eol && (source_[first] == '\t' || source_[first] == ' ')) ++first;
    size_t last = eol;
    if (last > first && source_[last - 1] == '\r') --last;
    const size_t from = doc.strip_tabs ? first : line;
    if (s.substr(from, last - from) == doc.delimiter ||
        s.substr(first, last - first) == doc.delimiter)
      break;
    line = eol + 1;
  }
  item.kind = ShellItem::Kind::heredoc;
  item.begin = static_cast<uint32_t>(std::min(body, source_.size()));
  item.end = static_cast<uint32_t>(std::min(line, source_.size()));
  const size_t eol = s.find('\n', item.end);
  i_ = eol == s.npos ? source_.size() : eol;  // the line break after the delimiter stays
}

// At the bracket behind NAME=.
void ShellLexer::array_items(ShellItem& item) {
  item.kind = ShellItem::Kind::array;
  ++i_;
  while (skip_blanks()) {
    const size_t before = i_;
    if (source_[i_] == ')') {
      ++i_;
      break;
    }
    if (source_[i_] == '\n') {
      ++i_;
    } else if (source_[i_] == '#') {
      comment_to_end();
    } else {
      ShellWord element;
      word(element, source_.size());
      if (i_ == before)
        ++i_;
      else
        item.items.push_back(std::move(element));
    }
  }
  item.end = static_cast<uint32_t>(i_);
}

void ShellLexer::next(ShellItem& item, bool idle) {
  const std::string_view s = source_.text();
  item.kind = ShellItem::Kind::end;
  item.items.clear();
  for (;;) {
    if (idle && line_start_ && heredocs_.empty()) skip_inert_lines();
    skip_prompt();
    if (!skip_blanks()) {
      item.begin = item.end = static_cast<uint32_t>(source_.size());
      return;
    }
    const char c = source_[i_];
    item.begin = static_cast<uint32_t>(i_);
    if (c == '#') {
      comment_to_end();
      continue;
    }
    if (c == '\n') {
      if (!heredocs_.empty()) return heredoc_body(item);
      ++i_;
      line_start_ = true;
      item.kind = ShellItem::Kind::newline;
      item.end = static_cast<uint32_t>(i_);
      return;
    }
    if ((c == '<' || c == '>') && placeholder_at(s, i_) == 0) {
      redirection();
      continue;
    }
    if (c == '&' && (source_[i_ + 1] == '>')) {
      ++i_;
      redirection();
      continue;
    }
    if (c == ';' || c == '&' || c == '|' || c == '(' || c == ')') {
      size_t n = 1;
      if (source_[i_ + 1] == c && c != '(' && c != ')') n = 2;
      if (c == '|' && source_[i_ + 1] == '&') n = 2;
      item.kind = ShellItem::Kind::op;
      item.op = s.substr(i_, n);
      i_ += n;
      item.end = static_cast<uint32_t>(i_);
      return;
    }
    word(item.word, source_.size());
    if (i_ == item.begin) {  // nothing was taken: never stand still
      ++i_;
      continue;
    }
    // 2> and 2>&1
    if ((source_[i_] == '<' || source_[i_] == '>') && item.word.pieces.size() == 1 &&
        i_ - item.begin <= 2) {
      bool number = true;
      for (size_t k = item.begin; k < i_; ++k) number = number && s[k] >= '0' && s[k] <= '9';
      if (number) {
        redirection();
        continue;
      }
    }
    item.kind = ShellItem::Kind::word;
    item.end = static_cast<uint32_t>(i_);
    // NAME=( … )
    if (source_[i_] == '(' && i_ > item.begin && source_[i_ - 1] == '=' && !item.word.quoted)
      array_items(item);
    last_word_end_ = item.end;
    return;
  }
}

}  // namespace sglint
