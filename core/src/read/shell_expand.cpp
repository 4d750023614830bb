#include "read/shell_expand.h"

#include <algorithm>
#include <cstdlib>

namespace sglint {
namespace {

bool space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr size_t kLargestWord = 1 << 16;

class Expansion {
 public:
  Expansion(Reader& reader, ShellLexer& lexer, const Source& source, const ShellState& state,
            bool split, std::vector<Word>& out)
      : reader_(reader), lexer_(lexer), source_(source), state_(state), split_(split), out_(out) {}

  void pieces(const ShellWord& word, size_t skip, int depth) {
    for (const ShellPiece& p : word.pieces) {
      if (p.end <= skip && p.kind == ShellPiece::Kind::text) continue;
      piece(p, p.kind == ShellPiece::Kind::text ? std::max<size_t>(p.begin, skip) : p.begin, depth);
    }
  }

  void finish(Span whole) {
    close_field();
    // A word that stayed one word is what stands in the source; fields of a variable keep the place
    // where the variable was set, so that each can be edited there.
    if (fields_ == 1 && !from_array_) out_.back().span = whole;
  }

  bool any() const { return open_; }

 private:
  void add(std::string_view text, Span origin) {
    open_ = true;
    field_.text += text;
    field_.at.resize(field_.text.size(), origin);
  }

  void close_field() {
    if (!open_) return;
    if (!field_.at.empty()) field_.span = {field_.at.front().begin, field_.at.back().end};
    out_.push_back(std::move(field_));
    field_ = Word();
    open_ = false;
    ++fields_;
  }

  void literal(size_t begin, size_t end) {
    open_ = true;
    source_.copy(begin, end, &field_.text, &field_.at);
  }

  void unknown(const ShellPiece& p) {
    const auto begin = static_cast<uint32_t>(field_.text.size());
    literal(p.begin, p.end);
    field_.holes.push_back({begin, static_cast<uint32_t>(field_.text.size())});
    field_.unknown = true;
  }

  void value(const Word& w, bool quoted, Span usage) {
    // A variable made of itself many times over would grow without end: then nothing is said of it.
    reader_.expanded += w.text.size();
    const bool too_much = field_.text.size() + w.text.size() > kLargestWord ||
                          reader_.expanded > 4 * reader_.text().size() + kLargestWord;
    if (w.unknown || too_much) field_.unknown = true;
    if (too_much) return;
    if (quoted || !split_) {
      add_holes(w, &field_);
      field_.at.insert(field_.at.end(), w.at.begin(), w.at.end());
      add(w.text, usage);
      return;
    }
    size_t i = 0;
    auto hole = w.holes.begin();
    while (i < w.text.size()) {
      while (hole != w.holes.end() && hole->end <= i) ++hole;
      if (space(w.text[i]) && (hole == w.holes.end() || i < hole->begin)) {
        if (open_) close_field();
        ++i;
        continue;
      }
      if (!open_) field_.context = w.inside, field_.unknown = w.unknown;
      add(std::string_view(w.text).substr(i, 1), i < w.at.size() ? w.at[i] : usage);
      ++i;
    }
  }

  void piece(const ShellPiece& p, size_t begin, int depth) {
    switch (p.kind) {
      case ShellPiece::Kind::text:
        literal(begin, p.end);
        if (p.quoted) field_.quoted = true;
        return;
      case ShellPiece::Kind::escape:
      case ShellPiece::Kind::value:
        open_ = true;
        field_.quoted = true;
        add(p.value, source_.span(p.begin, p.end));
        return;
      case ShellPiece::Kind::unknown:
        unknown(p);
        return;
      case ShellPiece::Kind::variable:
        break;
    }
    const auto found = state_.variables.find(p.value);
    const Variable* v = found == state_.variables.end() ? nullptr : &found->second;
    const bool empty = v && !v->array && (v->words.empty() || v->words[0].text.empty());
    const Span usage = source_.span(p.begin, p.end);
    if (p.op == '[') {
      if (!v) return unknown(p);
      for (size_t i = 0; i < v->words.size(); ++i) {
        if (i > 0 && split_) close_field();
        if (i > 0 && !split_) add(" ", usage);
        if (split_ && !open_) {
          field_ = v->words[i];
          open_ = true;
        } else {
          value(v->words[i], true, usage);
        }
        from_array_ = true;
      }
      // Elements keep their own source: closing a field must not shorten it to its inner bytes.
      if (split_ && open_ && !v->words.empty()) {
        out_.push_back(std::move(field_));
        field_ = Word();
        open_ = false;
        ++fields_;
      }
      return;
    }
    if (p.op == '-' || p.op == '=') {
      if ((!v || empty) && depth < 8) {
        const ShellWord other = lexer_.word_of(p.arg_begin, p.arg_end);
        if (p.quoted) open_ = true;
        pieces(other, 0, depth + 1);
        return;
      }
    } else if (p.op == '+') {
      if (!v) return unknown(p);
      if (empty) return;
      if (depth < 8) pieces(lexer_.word_of(p.arg_begin, p.arg_end), 0, depth + 1);
      return;
    }
    if (!v) return unknown(p);
    if (!v->words.empty()) value(v->words[0], p.quoted, usage);
    if (p.quoted) open_ = true;
  }

  Reader& reader_;
  ShellLexer& lexer_;
  const Source& source_;
  const ShellState& state_;
  const bool split_;
  std::vector<Word>& out_;
  Word field_;
  bool open_ = false;
  bool from_array_ = false;
  int fields_ = 0;
};

// bash's {a,b} and {1..4}.
class Braces {
 public:
  // False if there is nothing to expand, or far too much.
  bool run(std::string_view word) {
    return word.size() <= 400 && expand("", word, 0) && out.size() > 1;
  }
  std::vector<std::string> out;

 private:
  bool expand(const std::string& before, std::string_view rest, int depth) {
    if (depth > 20 || out.size() > 1000) return false;
    for (size_t open = rest.find('{'); open != rest.npos; open = rest.find('{', open + 1)) {
      std::vector<std::string> parts;
      size_t close = 0;
      if (!parts_of(rest, open, parts, &close)) continue;
      const std::string head = before + std::string(rest.substr(0, open));
      for (const std::string& part : parts)
        if (!expand(head, part + std::string(rest.substr(close + 1)), depth + 1)) return false;
      return true;
    }
    out.push_back(before + std::string(rest));
    return true;
  }

  static bool parts_of(std::string_view s, size_t open, std::vector<std::string>& parts,
                       size_t* close) {
    int depth = 0;
    size_t begin = open + 1;
    for (size_t i = open; i < s.size(); ++i) {
      if (s[i] == '{') ++depth;
      if (s[i] == '}') --depth;
      if (depth == 0 || (depth == 1 && s[i] == ',')) {
        parts.emplace_back(s.substr(begin, i - begin));
        begin = i + 1;
      }
      if (depth > 0) continue;
      *close = i;
      return parts.size() > 1 || range(s.substr(open + 1, i - open - 1), parts);
    }
    return false;
  }

  // 1..4 and 0..64..16
  static bool range(std::string_view text, std::vector<std::string>& parts) {
    long numbers[3] = {0, 0, 1};
    size_t count = 0, i = 0;
    for (; count < 3; ++count) {
      const bool negative = i < text.size() && text[i] == '-';
      i += negative;
      const size_t begin = i;
      long n = 0;
      while (i < text.size() && i - begin < 9 && text[i] >= '0' && text[i] <= '9')
        n = n * 10 + (text[i++] - '0');
      if (i == begin) return false;
      numbers[count] = negative ? -n : n;
      if (i == text.size()) break;
      if (text.substr(i, 2) != "..") return false;
      i += 2;
    }
    if (count == 0 || count == 3) return false;
    const auto [first, last, given] = numbers;
    const long step = std::max(std::labs(given), 1L);
    if (std::labs(last - first) / step > 1000) return false;
    parts.clear();
    for (long n = first; first <= last ? n <= last : n >= last; n += first <= last ? step : -step)
      parts.push_back(std::to_string(n));
    return true;
  }
};

// The layer in which something written inside the word stands.
uint16_t inside_of(Reader& reader, const Source& source, size_t begin) {
  const char c = source[begin];
  const uint16_t outer = reader.context(Writing::shell, source);
  return reader.context(c == '\''  ? Writing::shell_single
                        : c == '"' ? Writing::shell_double
                                   : Writing::shell_bare,
                        outer);
}

}  // namespace

void add_holes(const Word& from, Word* to) {
  const auto by = static_cast<uint32_t>(to->text.size());
  for (const Span& hole : from.holes) to->holes.push_back({hole.begin + by, hole.end + by});
}

void expand(Reader& reader, ShellLexer& lexer, const Source& source, const ShellWord& word,
            const ShellState& state, std::vector<Word>& out) {
  const uint16_t context = reader.context(Writing::shell, source);
  // Nearly every word is one plain piece.
  if (word.pieces.size() == 1 && word.pieces[0].kind == ShellPiece::Kind::text) {
    const ShellPiece& p = word.pieces[0];
    Word w;
    w.text = std::string(source.text().substr(p.begin, p.end - p.begin));
    Braces braces;
    if (!word.quoted && contains(w.text, "{") && braces.run(w.text)) {
      for (std::string& each : braces.out) {
        out.emplace_back();
        out.back().text = std::move(each);
        out.back().span = source.span(word.begin, word.end);
        out.back().context = context;
      }
      return;
    }
    if (word.quoted && w.text.find_first_of(" \t\n") != std::string::npos) {
      std::string text;
      source.copy(p.begin, p.end, &text, &w.at);
      w.inside = inside_of(reader, source, word.begin);
    }
    w.span = source.span(word.begin, word.end);
    w.context = context;
    w.quoted = p.quoted;
    out.push_back(std::move(w));
    return;
  }
  const size_t first = out.size();
  Expansion e(reader, lexer, source, state, true, out);
  e.pieces(word, 0, 0);
  e.finish(source.span(word.begin, word.end));
  for (size_t i = first; i < out.size(); ++i) {
    Word& w = out[i];
    if (w.context == 0) {
      w.context = context;
      w.inside = inside_of(reader, source, word.begin);
    } else if (out.size() == first + 1) {
      w.context = context;
    }
  }
}

Word expand_value(Reader& reader, ShellLexer& lexer, const Source& source, const ShellWord& word,
                  size_t skip, const ShellState& state) {
  std::vector<Word> out;
  Expansion e(reader, lexer, source, state, false, out);
  e.pieces(word, skip, 0);
  e.finish(source.span(skip, word.end));
  if (out.empty()) out.emplace_back();
  out[0].span = source.span(skip, word.end);
  // What is written inside the value are words of their own once it is expanded without quotes.
  out[0].inside = reader.context(Writing::shell, inside_of(reader, source, skip));
  out[0].context = reader.context(Writing::shell, source);
  return std::move(out[0]);
}

}  // namespace sglint
