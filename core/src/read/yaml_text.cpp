#include "read/yaml_text.h"

#include "read/read_rules.h"

namespace sglint {
namespace {

bool white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

size_t escape_length(std::string_view s, size_t i) {
  switch (i + 1 < s.size() ? s[i + 1] : '\0') {
    case 'x':
      return 4;
    case 'u':
      return 6;
    case 'U':
      return 10;
    default:
      return 2;
  }
}

size_t character_length(unsigned char c) {
  return c < 0x80 ? 1 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
}

}  // namespace

Writing writing_of(YamlNode::Style style) {
  switch (style) {
    case YamlNode::Style::single_quoted:
      return Writing::yaml_single;
    case YamlNode::Style::double_quoted:
      return Writing::yaml_double;
    case YamlNode::Style::literal:
    case YamlNode::Style::folded:
      return Writing::yaml_block;
    default:
      return Writing::yaml_plain;
  }
}

// libyaml gives the value and the ends of the source; this walks both side by side. White space of
// the value takes one byte of the source's white space, and indentation and folded breaks are
// stepped over before the next visible character.
Decoded decode_scalar(const Source& source, const YamlNode& node) {
  const std::string_view s = source.text();
  const std::string& value = node.text;
  Decoded out;
  out.text = value;
  out.at.reserve(value.size());
  size_t p = node.span.begin;
  const size_t end = node.span.end;
  const bool twice = node.style == YamlNode::Style::double_quoted;
  const bool once = node.style == YamlNode::Style::single_quoted;
  if (twice || once) ++p;
  if (node.style == YamlNode::Style::literal || node.style == YamlNode::Style::folded)
    while (p < end && s[p] != '\n') ++p;  // the header: | or > with its indicators
  bool lost = node.alias;
  for (size_t i = 0; i < value.size();) {
    const char v = value[i];
    // A break that is escaped away, with the white space around it.
    while (twice && p + 1 < end && s[p] == '\\' && (s[p + 1] == '\n' || s[p + 1] == '\r')) {
      ++p;
      while (p < end && white(s[p])) ++p;
    }
    if (twice && p < end && s[p] == '\\') {
      const size_t n = escape_length(s, p);
      const size_t bytes = character_length(static_cast<unsigned char>(v));
      for (size_t k = 0; k < bytes && i < value.size(); ++k, ++i)
        out.at.push_back(source.span(p, std::min(p + n, end)));
      p += n;
      continue;
    }
    if (white(v)) {
      if (p < end && white(s[p])) {
        out.at.push_back(source.span(p, p + 1));
        // A folded break is one byte of the value and several of the source.
        if (s[p] == '\n' && v == ' ') {
          ++p;
          while (p < end && (s[p] == ' ' || s[p] == '\t')) ++p;
        } else {
          ++p;
        }
      } else {
        out.at.push_back(source.span(p, p));
      }
      ++i;
      continue;
    }
    while (p < end && white(s[p]) && s[p] != v) ++p;
    if (twice && p < end && s[p] == '\\') continue;
    if (p >= end || s[p] != v) {
      lost = true;
      break;
    }
    const size_t n = once && v == '\'' ? 2 : 1;
    out.at.push_back(source.span(p, p + n));
    p += n;
    ++i;
  }
  if (lost) out.at.assign(value.size(), source.span(node.span.begin, node.span.end));
  out.at.resize(value.size(), source.span(end, end));
  return out;
}

Word scalar_word(Reader& reader, const Source& source, const YamlNode& node, uint16_t context) {
  Word w;
  w.text = node.text;
  w.span = source.span(node.span.begin, node.span.end);
  w.context = context;
  w.quoted = node.style != YamlNode::Style::plain;
  if (node.text.find_first_of(" \n$") != std::string::npos) {
    w.at = decode_scalar(source, node).at;
    w.inside = reader.context(writing_of(node.style), context);
  }
  return w;
}

std::vector<Word> list_words(Reader& reader, const Source& source, const YamlNode& list) {
  std::vector<Word> out;
  const uint16_t context = reader.context(
      list.style == YamlNode::Style::flow ? Writing::yaml_flow_list : Writing::yaml_block_list,
      source);
  for (const YamlPtr& item : list.items) {
    if (!item->is_scalar()) return {};
    out.push_back(scalar_word(reader, source, *item, context));
  }
  return out;
}

// `- --tp 8` is one argument; only `- --tp` and `- "8"` are two.
void check_items(Reader& reader, const std::vector<Word>& words) {
  const std::string_view text = reader.text();
  for (const Word& w : words) {
    const size_t space = w.text.find(' ');
    if (!is_flag(w.text) || space == std::string::npos) continue;
    if (w.text.find('=') < space || w.text.find('\n') != std::string::npos) continue;
    const size_t value = w.text.find_first_not_of(' ', space);
    if (value == std::string::npos || w.at.size() != w.text.size()) continue;
    const char quote = text[w.span.begin];
    const bool quoted = quote == '"' || quote == '\'';
    const size_t line =
        text.rfind('\n', w.span.begin) == text.npos ? 0 : text.rfind('\n', w.span.begin) + 1;
    const std::string_view before = text.substr(line, w.span.begin - line);
    const bool block = before.find_first_not_of(" -") == before.npos && contains(before, "-");
    std::string between = quoted ? std::string(1, quote) : "";
    between += block ? "\n" + std::string(before) : ", ";
    // So may what a template writes, unless it has its own quotes.
    const bool inserted =
        reader.templates && is_placeholder(std::string_view(w.text).substr(value));
    const std::string_view source = text.substr(w.span.begin, w.span.end - w.span.begin);
    if (inserted && !quoted && (contains(source, "\"") || contains(source, "quote"))) {
      reader.find(kSeveralWordsInOneItem, w.span, {w.text});
      continue;
    }
    if (quoted) {
      between += quote;
    } else if (inserted || w.text.find_first_not_of("0123456789.-", value) == std::string::npos) {
      // A list of strings must stay one: a bare number would not be.
      reader.find(kSeveralWordsInOneItem, w.span, {w.text},
                  {{{w.at[space].begin, w.at[value].begin}, between + "\""},
                   {{w.span.end, w.span.end}, "\""}},
                  "Make two items of it");
      continue;
    }
    reader.find(kSeveralWordsInOneItem, w.span, {w.text},
                {{{w.at[space].begin, w.at[value].begin}, between}}, "Make two items of it");
  }
}

}  // namespace sglint
