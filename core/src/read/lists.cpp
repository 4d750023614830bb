#include "read/lists.h"

#include <algorithm>

#include "read/yaml_text.h"

namespace sglint {
namespace {

void append_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | ((c >> 18) & 7));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

}  // namespace

bool literal_at(std::string_view s, size_t i, Literal* out) {
  out->begin = i;
  out->raw = out->format = out->triple = false;
  while (i < s.size() && i - out->begin < 2 && among(s, i, "rRbBuUfF")) {
    out->raw = out->raw || s[i] == 'r' || s[i] == 'R';
    out->format = out->format || s[i] == 'f' || s[i] == 'F';
    ++i;
  }
  if (i >= s.size() || (s[i] != '"' && s[i] != '\'')) return false;
  out->quote = s[i];
  const std::string three(3, s[i]);
  out->triple = starts_with(s.substr(i), three);
  i += out->triple ? 3 : 1;
  out->inner = i;
  while (i < s.size()) {
    if (s[i] == '\\') {
      i += 2;
    } else if (out->triple ? starts_with(s.substr(i), three) : s[i] == out->quote) {
      out->inner_end = i;
      out->end = i + (out->triple ? 3 : 1);
      return true;
    } else if (s[i] == '\n' && !out->triple) {
      return false;
    } else {
      ++i;
    }
  }
  return false;
}

Decoded decode_literal(const Source& source, const Literal& l) {
  const std::string_view s = source.text();
  Decoded out;
  for (size_t i = l.inner; i < l.inner_end;) {
    if (s[i] != '\\' || l.raw || i + 1 >= l.inner_end) {
      const size_t end =
          l.raw ? l.inner_end : std::min(s.substr(0, l.inner_end).find('\\', i + 1), l.inner_end);
      source.copy(i, end, &out.text, &out.at);
      i = end;
      continue;
    }
    const char c = s[i + 1];
    size_t n = 2;
    std::string value;
    switch (c) {
      case 'n':
        value = "\n";
        break;
      case 't':
        value = "\t";
        break;
      case 'r':
        value = "\r";
        break;
      case 'b':
        value = "\b";
        break;
      case 'f':
        value = "\f";
        break;
      case '\n':
        break;  // Python: the line goes on
      case 'x':
      case 'u': {
        const size_t digits = c == 'x' ? 2 : 4;
        uint32_t code = 0;
        size_t k = 0;
        for (; k < digits && i + 2 + k < l.inner_end; ++k) {
          const char d = static_cast<char>(s[i + 2 + k] | 0x20);
          if (!isxdigit(static_cast<unsigned char>(d))) break;
          code = code * 16 + static_cast<uint32_t>(d >= 'a' ? d - 'a' + 10 : d - '0');
        }
        if (k == digits) {
          n = 2 + digits;
          append_utf8(value, code);
        } else {
          value = std::string(s.substr(i, 2));
        }
        break;
      }
      case '\\':
      case '"':
      case '\'':
      case '/':
        value = std::string(1, c);
        break;
      default:
        value = std::string(s.substr(i, 2));
        break;
    }
    out.add(value, source.span(i, i + n));
    i += n;
  }
  return out;
}

bool list_items(Reader& reader, const Source& source, size_t begin, Writing writing,
                std::vector<Word>* out, size_t* end) {
  const std::string_view s = source.text();
  const char close = s[begin] == '[' ? ']' : ')';
  const uint16_t context = reader.context(writing, source);
  size_t i = begin + 1;
  while (i < s.size() && i - begin < 200000) {
    const char c = s[i];
    if (c == close) {
      *end = i + 1;
      return true;
    }
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == '\\') {
      ++i;
      continue;
    }
    if (c == '#' || starts_with(s.substr(i), "//")) {
      i = std::min(s.find('\n', i), s.size());
      continue;
    }
    Word w;
    w.context = context;
    Literal l;
    const size_t from = i;
    if (literal_at(s, i, &l)) {
      Decoded d = decode_literal(source, l);
      w.unknown = l.format && contains(d.text, "{");
      i = l.end;
      // "a" "b" is one string in Python.
      for (;;) {
        size_t k = i;
        while (k < s.size() &&
               (s[k] == ' ' || s[k] == '\n' || s[k] == '\t' || s[k] == '\r' || s[k] == '\\'))
          ++k;
        Literal more;
        if (k == i || !literal_at(s, k, &more)) break;
        const Decoded next = decode_literal(source, more);
        d.text += next.text;
        d.at.insert(d.at.end(), next.at.begin(), next.at.end());
        w.unknown = w.unknown || (more.format && contains(next.text, "{"));
        i = more.end;
      }
      w.text = std::move(d.text);
      w.at = std::move(d.at);
      w.quoted = true;
      w.inside =
          reader.context(l.quote == '"' ? Writing::json_string : Writing::python_string, context);
    }
    // A name, a call, a number, or an expression around the literal: up to the next comma.
    size_t k = i;
    while (k < s.size() && s[k] != ',' && s[k] != close && s[k] != '\n' && s[k] != '#') {
      Literal inner;
      if ((s[k] == '"' || s[k] == '\'') && literal_at(s, k, &inner)) {
        k = inner.end;
        continue;
      }
      if (s[k] == '(' || s[k] == '[' || s[k] == '{') {
        const char other = s[k] == '(' ? ')' : s[k] == '[' ? ']' : '}';
        const size_t closing = s.substr(0, std::min(s.size(), k + 500)).find(other, k);
        if (closing == s.npos) return false;
        k = closing;
      }
      ++k;
    }
    size_t last = k;
    while (last > i && (s[last - 1] == ' ' || s[last - 1] == '\t' || s[last - 1] == '\r' ||
                        s[last - 1] == '\\'))
      --last;
    if (last > i) {
      const std::string_view expression = s.substr(from, last - from);
      bool number = true;
      for (const char d : expression) number = number && among({&d, 1}, 0, "0123456789.-+e");
      w.text = std::string(expression);
      w.at.clear();
      w.unknown = !number;
      // str(8) is known.
      if (starts_with(expression, "str(") && expression.back() == ')') {
        const std::string_view inner = expression.substr(4, expression.size() - 5);
        if (!inner.empty() && inner.find_first_not_of("0123456789.-") == inner.npos) {
          w.text = std::string(inner);
          w.unknown = false;
        }
      }
      i = last;
    }
    if (i == from) return false;
    w.span = source.span(from, i);
    out->push_back(std::move(w));
    if (out->size() > 5000) return false;
  }
  return false;
}

std::vector<Word> json_words(Reader& reader, const Source& source, Writing writing) {
  std::vector<Word> words;
  size_t end = 0;
  if (source[0] != '[' || !list_items(reader, source, 0, writing, &words, &end)) return {};
  return words;
}

void check_list_items(Reader& reader, const std::vector<Word>& words) {
  check_items(reader, words);
}

// The cells of a Jupyter notebook, each a text of its own.
bool Reader::read_notebook(const Source& source) {
  const std::string_view s = source.text();
  if (!contains(s, "\"nbformat\"") || !contains(s, "\"cells\"")) return false;
  constexpr std::string_view kSource = "\"source\":";
  const uint16_t outer = context(Writing::json_string, context(Writing::json_list, source));
  const bool alone = flags_alone;
  ++depth;
  for (size_t i = s.find(kSource); i != s.npos; i = s.find(kSource, i)) {
    i += kSource.size();
    Decoded cell;
    Literal line;
    for (;;) {
      while (i < s.size() && among(s, i, " \t\r\n[,")) ++i;
      if (!literal_at(s, i, &line)) break;
      const Decoded text = decode_literal(source, line);
      cell.text += text.text;
      cell.at.insert(cell.at.end(), text.at.begin(), text.at.end());
      const size_t next = s.find_first_not_of(" \t\r\n", line.end);
      i = line.end;
      // The next literal is another key where this was no list.
      if (next < s.size() && s[next] == ',' && contains(s.substr(next, 40), "\":")) {
        const size_t key = s.find_first_not_of(" \t\r\n", next + 1);
        Literal name;
        if (literal_at(s, key, &name) &&
            s[std::min(s.find_first_not_of(" \t\r\n", name.end), s.size() - 1)] == ':')
          break;
      }
    }
    flags_alone = false;
    if (mentions_sglang(cell.text) || contains(cell.text, "Engine("))
      read_text(Source(cell, outer));
  }
  --depth;
  flags_alone = alone;
  return true;
}

// [ "python3", "-m", … ] as the whole text, or as what is assigned to a name.
bool Reader::read_json_list(const Source& source) {
  const std::string_view s = source.text();
  const size_t begin = s.find_first_not_of(" \t\r\n");
  if (begin == s.npos || s[begin] != '[') return false;
  const Writing writing =
      contains(s, "'") && !contains(s, "\"") ? Writing::python_list : Writing::json_list;
  std::vector<Word> words;
  size_t end = 0;
  if (!list_items(*this, source, begin, writing, &words, &end) || words.empty()) return false;
  const size_t before = launches();
  const std::vector<Word> copy = words;
  Surroundings around;
  around.form = writing == Writing::json_list ? Form::json_list : Form::python_list;
  around.span = source.span(begin, end);
  if (is_flag(words[0].text))
    add_launch(std::move(words), 0, around);
  else if (!read_words(words, around))
    return false;
  if (launches() > before) check_items(*this, copy);
  return true;
}

}  // namespace sglint
