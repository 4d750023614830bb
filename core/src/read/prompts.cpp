// What a terminal printed before the command: `$`, `➜  dir git:(main) ✗`, `(venv) user@host:~#`.
#include "read/reader.h"

namespace sglint {
namespace {

constexpr std::string_view kSymbols[] = {"$",        "%",        "\xE2\x9D\xAF", "\xE2\x9E\x9C",
                                         "\xCE\xBB", "\xC2\xBB", "\xE2\x96\xB6"};

size_t skip_spaces(std::string_view s, size_t i) {
  while (i < s.size() && (s[i] == ' ' || s[i] == '\t')) ++i;
  return i;
}

size_t word_end(std::string_view s, size_t i) {
  while (i < s.size() && s[i] != ' ' && s[i] != '\t') ++i;
  return i;
}

bool ends_prompt(std::string_view word) {
  return !word.empty() &&
         (word.back() == '$' || word.back() == '#' || word.back() == '%' || word.back() == '>');
}

}  // namespace

// Bytes of `line` (without its line break) up to the command; 0 if there is no prompt.
size_t prompt_length(std::string_view line, bool hash) {
  line = line.substr(0, 200);
  size_t i = skip_spaces(line, 0);
  const size_t start = i;
  // Names of environments: (base) (venv)
  while (i < line.size() && line[i] == '(') {
    const size_t close = line.find(')', i);
    if (close == line.npos || close - i > 40) return 0;
    const size_t next = skip_spaces(line, close + 1);
    if (next == close + 1 && next < line.size() && line[next] != '[') return 0;
    i = next;
  }
  const bool environment = i > start;
  const std::string_view rest = line.substr(i);
  if (rest.empty()) return 0;
  for (std::string_view symbol : kSymbols) {
    if (!starts_with(rest, symbol)) continue;
    size_t k = i + symbol.size();
    if (k >= line.size() || (line[k] != ' ' && line[k] != '\t')) break;
    k = skip_spaces(line, k);
    if (symbol != "\xE2\x9E\x9C") return k;
    // ➜  dir git:(main) ✗ command; a word that starts a command is not a directory.
    const std::string_view dir = line.substr(k, word_end(line, k) - k);
    if (!mentions_sglang(dir) && !starts_with(dir, "python") && !contains(dir, "=") &&
        !one_of(dir, {"docker", "nohup", "sudo", "env", "export", "srun", "bash", "sh", "ssh",
                      "numactl", "timeout", "uv", "cd"}))
      k = skip_spaces(line, k + dir.size());
    if (starts_with(line.substr(k), "git:(")) k = skip_spaces(line, word_end(line, k));
    if (starts_with(line.substr(k), "\xE2\x9C\x97")) k = skip_spaces(line, k + 3);
    return k;
  }
  if (hash && starts_with(rest, "# ")) return skip_spaces(line, i + 1);
  // Notebook and REPL lines.
  if (rest[0] == '!' && rest.size() > 1 && rest[1] != '=' && rest[1] != '[')
    return skip_spaces(line, i + 1);
  if (starts_with(rest, "In [")) {
    const size_t colon = rest.find("]:");
    if (colon != rest.npos) {
      size_t k = skip_spaces(line, i + colon + 2);
      if (k < line.size() && line[k] == '!') ++k;
      return k;
    }
  }
  // [user@host dir]$ command
  if (rest[0] == '[') {
    const size_t close = rest.find(']');
    if (close != rest.npos && contains(rest.substr(0, close), "@") && close + 1 < rest.size() &&
        ends_prompt(rest.substr(close + 1, 1)))
      return skip_spaces(line, i + close + 2);
    return 0;
  }
  // supervisord
  for (std::string_view key : {"command=", "command = "})
    if (starts_with(rest, key) && mentions_sglang(rest) && contains(rest, " -"))
      return i + key.size();
  const size_t first_end = word_end(line, i);
  std::string_view first = line.substr(i, first_end - i);
  if (first_end == line.size()) return 0;
  // A host is no variable: "${command[@]}" > log
  if (first.find_first_of("=${\"'") < first.size() - 1) return 0;
  if (ends_prompt(first) && first.size() > 1) {
    // user@host:~$   host:~#   bash-5.1#   /app#   sh-4.2$
    if (contains(first, "@") || contains(first, ":") || starts_with(first, "bash-") ||
        starts_with(first, "sh-") || starts_with(first, "/") || starts_with(first, "~"))
      return skip_spaces(line, first_end);
    return 0;
  }
  // user@host ~/dir % command, host:~ user$ command, user@host:~/my dir$ command, / # command
  if (contains(first, "@") || (contains(first, ":") && !contains(first, "://")) || first == "/" ||
      first == "~" || (environment && (first[0] == '/' || first[0] == '~'))) {
    size_t k = first_end;
    for (int words = 0; words < 3; ++words) {
      k = skip_spaces(line, k);
      const size_t end = word_end(line, k);
      if (end == line.size()) return 0;
      const std::string_view word = line.substr(k, end - k);
      if (contains(word, "=") || contains(word, "'") || contains(word, "\"")) return 0;
      if (ends_prompt(word)) return skip_spaces(line, end);
      k = end;
    }
  }
  // user:dir$ glued to the command is not read; (venv) alone is.
  return environment && (mentions_sglang(rest) || starts_with(rest, "python")) ? i : 0;
}

}  // namespace sglint
