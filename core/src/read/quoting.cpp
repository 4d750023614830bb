#include "read/quoting.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "base/yaml.h"

namespace sglint {
namespace {

bool plain_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80 || contains("-_./:,@%+=", std::string_view(&c, 1));
}

bool plain(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), plain_char);
}

std::string escaped(std::string_view word, std::string_view which, std::string_view by) {
  std::string out;
  for (const char c : word) {
    if (contains(which, std::string_view(&c, 1))) out += by;
    out += c;
  }
  return out;
}

std::string replaced(std::string_view word, char what, std::string_view by) {
  std::string out;
  for (const char c : word) {
    if (c == what)
      out += by;
    else
      out += c;
  }
  return out;
}

// The bytes of a JSON or double-quoted YAML string, without the quotes.
std::string json_inner(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  return out;
}

bool has_layer(const std::vector<Context>& contexts, uint16_t c, Writing writing) {
  for (int depth = 0; depth < 20 && c < contexts.size() && c != 0; ++depth) {
    if (contexts[c].writing == writing) return true;
    c = contexts[c].outer;
  }
  return false;
}

bool quoted_by(std::string_view old, char quote) {
  return old.size() >= 2 && old.front() == quote && old.back() == quote;
}

}  // namespace

std::string quote_shell(std::string_view word) {
  if (plain(word)) return std::string(word);
  return "'" + replaced(word, '\'', "'\\''") + "'";
}

std::string quote_expanding(std::string_view word) {
  if (word.find_first_of("$`") == word.npos) return quote_shell(word);
  std::string out;
  bool bare = true;
  for (size_t i = 0; i < word.size();) {
    const size_t begin = i;
    const char c = word[i++];
    const char open = c == '$' && i < word.size() ? word[i] : c;
    if ((c == '$' && (open == '(' || open == '{')) || c == '`') {
      // A substitution stands as it was written, its own quotes included.
      const char close = open == '(' ? ')' : open == '{' ? '}' : '`';
      int depth = c == '`' ? 1 : 0;
      char quote = 0;
      for (; i < word.size(); ++i) {
        const char d = word[i];
        if (d == '\\' && quote != '\'') {
          ++i;
        } else if (c != '`' && (quote ? d == quote : d == '\'' || d == '"')) {
          quote = quote ? 0 : d;
        } else if (quote) {
          continue;
        } else if (d == close) {
          if (--depth == 0) break;
        } else if (d == open) {
          ++depth;
        }
      }
      if (i >= word.size()) return quote_shell(word);
      ++i;
      // ${NAME} alone may stand for several words, as may $NAME.
      bare = bare && open == '{' && plain(word.substr(begin + 2, i - begin - 3));
    } else if (c == '"' || c == '\\') {
      out += '\\';
      bare = false;
    } else {
      bare = bare && (c == '$' || plain_char(c));
    }
    out += word.substr(begin, i - begin);
  }
  return bare ? out : "\"" + out + "\"";
}

std::string quote_powershell(std::string_view word) {
  if (plain(word) && word[0] != '@' && !contains(word, ",")) return std::string(word);
  return "'" + replaced(word, '\'', "''") + "'";
}

std::string quote_cmd(std::string_view word) {
  if (plain(word) && !contains(word, "%")) return std::string(word);
  // Backslashes count only before a quote, the closing one included.
  std::string out = "\"";
  size_t slashes = 0;
  for (const char c : word) {
    if (c == '"') out.append(slashes + 1, '\\');
    slashes = c == '\\' ? slashes + 1 : 0;
    out += c;
  }
  out.append(slashes, '\\');
  return out + "\"";
}

std::string quote_json(std::string_view word) { return "\"" + json_inner(word) + "\""; }

// string_only: a list of arguments must hold strings, so `8` needs quotes; in a map of arguments it
// does not.
std::string quote_yaml(std::string_view word, bool string_only) {
  YamlNode node;
  node.text = std::string(word);
  const std::optional<Value> v = yaml_scalar(node);
  const bool same =
      v && (v->is_str() ? v->as_str() == word
                        : !string_only && !v->is_none() && !v->is_bool() && str(*v) == word);
  bool safe = !word.empty() && std::all_of(word.begin(), word.end(),
                                           [](char c) { return plain_char(c) || c == ' '; });
  safe = safe && !contains("-?:,@% =", word.substr(0, 1)) && word.back() != ' ' &&
         word.back() != ':' && !contains(word, ": ") && !contains(word, " #") &&
         !contains(word, ",");
  // --flag begins with a hyphen that is no list mark.
  if (starts_with(word, "--") && word.size() > 2)
    safe =
        std::all_of(word.begin(), word.end(), [](char c) { return plain_char(c) && c != ','; }) &&
        word.back() != ':';
  if (!string_only && v && !v->is_str() && same) return std::string(word);  // -1
  return safe && same ? std::string(word) : quote_json(word);
}

std::string encode(std::string_view word, const std::vector<Context>& contexts, uint16_t context,
                   std::string_view old) {
  if (context >= contexts.size()) return quote_shell(word);
  std::string out;
  const Writing writing = contexts[context].writing;
  switch (writing) {
    case Writing::powershell:
      out = quote_powershell(word);
      break;
    case Writing::cmd:
      out = quote_cmd(word);
      break;
    case Writing::json_list:
      out = quote_json(word);
      break;
    case Writing::python_list: {
      const bool single = quoted_by(old, '\'') && !contains(word, "'") && !contains(word, "\\") &&
                          !contains(word, "\n");
      out = single ? "'" + std::string(word) + "'" : quote_json(word);
      break;
    }
    case Writing::yaml_block_list:
    case Writing::yaml_flow_list:
      if (quoted_by(old, '\''))
        out = "'" + replaced(word, '\'', "''") + "'";
      else if (quoted_by(old, '"'))
        out = quote_json(word);
      else
        out = quote_yaml(word, true);
      break;
    case Writing::yaml_map:
      if (quoted_by(old, '\''))
        out = "'" + replaced(word, '\'', "''") + "'";
      else if (quoted_by(old, '"'))
        out = quote_json(word);
      else
        out = quote_yaml(word, false);
      break;
    case Writing::raw:
      out = std::string(word);
      break;
    default: {
      // Shell words, and systemd's, which agree where quotes are needed.
      const bool in_single = has_layer(contexts, contexts[context].outer, Writing::shell_single) ||
                             has_layer(contexts, contexts[context].outer, Writing::python_string);
      const bool double_fits = word.find_first_of("\"$`\\!\n") == word.npos;
      if (quoted_by(old, '"') && double_fits)
        out = "\"" + std::string(word) + "\"";
      else if (quoted_by(old, '\'') && !contains(word, "'") && !in_single)
        out = "'" + std::string(word) + "'";
      else if (!plain(word) && in_single && double_fits)
        out = "\"" + std::string(word) + "\"";
      else
        out = quote_shell(word);
      break;
    }
  }
  // Then the layers around, from the inside out.
  uint16_t c = contexts[context].outer;
  for (int depth = 0; depth < 20 && c != 0 && c < contexts.size(); ++depth) {
    switch (contexts[c].writing) {
      case Writing::shell_single:
        out = replaced(out, '\'', "'\\''");
        break;
      case Writing::shell_double:
        out = escaped(out, "\"\\$`", "\\");
        break;
      case Writing::shell_bare:
        out = escaped(out, " \t\"'\\$`&|;<>()", "\\");
        break;
      case Writing::yaml_single:
        out = replaced(out, '\'', "''");
        break;
      case Writing::yaml_double:
      case Writing::json_string:
        out = json_inner(out);
        break;
      case Writing::python_string:
        out = escaped(out, "'\\", "\\");
        break;
      default:
        break;
    }
    c = contexts[c].outer;
  }
  return out;
}

}  // namespace sglint
