// What must never be printed again.
#include "read/secrets.h"

#include <algorithm>

#include "base/text.h"
#include "read/reader.h"

namespace sglint {
namespace {

bool letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool name_char(char c) { return letter_or_digit(c) || c == '_' || c == '-'; }
bool blank(char c) { return c == ' ' || c == '\t'; }
bool quote(char c) { return c == '"' || c == '\'' || c == '\\'; }
bool ends_value(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '"' || c == '\'' || c == '\\' ||
         c == '`' || c == ',' || c == ';' || c == '&' || c == ')' || c == '}' || c == ']' ||
         c == '<' || c == '>' || c == '|';
}

// Hugging Face, OpenAI, GitHub, GitLab, Slack, AWS, NVIDIA: their tokens show what they are.
bool known_prefix(std::string_view word) {
  for (const char* prefix : {"hf_", "sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-",
                             "xoxp-", "AKIA", "nvapi-", "api_org_"})
    if (starts_with(word, prefix) && word.size() >= std::string_view(prefix).size() + 16)
      return true;
  return false;
}

// A value that is nobody's secret: a variable, a placeholder, a constant, a count.
bool harmless(std::string_view value) {
  if (value.empty() || contains("$<{[%*(", value.substr(0, 1))) return true;
  return one_of(lower(value), {"none", "null", "true", "false"}) ||
         (value.size() < 6 && value.find_first_not_of("0123456789.") == value.npos);
}

// The value behind a name that ends at i, over quotes and what separates the two: = : or, behind a
// flag, white space; in a manifest `- name: X` with `value: …` on the next line.
Span value_behind(std::string_view s, size_t i, bool flag) {
  const size_t name_end = i;
  while (i < s.size() && quote(s[i])) ++i;
  const size_t gap = i;
  while (i < s.size() && blank(s[i])) ++i;
  const bool separated = i > gap;
  if (i < s.size() && (s[i] == '=' || s[i] == ':')) {
    ++i;
    while (i < s.size() && blank(s[i])) ++i;
  } else if (i < s.size() && s[i] == '\n' && !flag) {
    while (i < s.size() && (blank(s[i]) || s[i] == '\n')) ++i;
    if (!starts_with(s.substr(i), "value:")) return {};
    i += 6;
    while (i < s.size() && blank(s[i])) ++i;
  } else if (!flag || !separated) {
    // A list has flag and value in items of their own.
    if (!flag || i >= s.size() || s[i] != ',' || gap == name_end) return {};
    ++i;
    while (i < s.size() && (blank(s[i]) || s[i] == '\n' || s[i] == '\r')) ++i;
  }
  size_t open = i;
  while (i < s.size() && quote(s[i])) ++i;
  const size_t begin = i;
  // Inside quotes the value goes on up to the quote.
  if (i > open && s[i - 1] != '\\') {
    const char by = s[i - 1];
    while (i < s.size() && s[i] != by && s[i] != '\n' && s[i] != '\\') ++i;
  } else {
    while (i < s.size() && !ends_value(s[i])) ++i;
  }
  if (i == begin || harmless(s.substr(begin, i - begin))) return {};
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(i)};
}

// user:password@ behind ://
Span password(std::string_view s, size_t i) {
  size_t colon = s.npos;
  for (size_t k = i; k < s.size() && k - i < 300; ++k) {
    if (s[k] == ':' && colon == s.npos) colon = k;
    if (s[k] == '@') {
      if (colon == s.npos || harmless(s.substr(colon + 1, k - colon - 1))) return {};
      return {static_cast<uint32_t>(colon + 1), static_cast<uint32_t>(k)};
    }
    if (s[k] == '/' || s[k] == '?' || ends_value(s[k])) return {};
  }
  return {};
}

}  // namespace

bool is_secret_name(std::string_view env_name) {
  const std::string name = upper(env_name);
  if (name.size() < 5) return false;
  for (const char* part : {"API_KEY", "APIKEY", "SECRET", "PASSWORD", "PASSWD", "ACCESS_KEY",
                           "CREDENTIAL", "PRIVATE_KEY", "AUTH_KEY"})
    if (contains(name, part)) return true;
  // Counts of tokens are no secrets, nor are the tokens of a vocabulary.
  for (const char* other :
       {"TOKENS", "TOKENIZ", "PER_TOKEN", "TOKEN_", "EOS", "BOS", "PAD", "UNK", "SEP", "CLS",
        "MASK", "IMAGE", "VIDEO", "AUDIO", "STOP", "THINK", "SPECIAL", "NEW_TOKEN", "CACHED_TOKEN"})
    if (contains(name, other)) return false;
  return contains(name, "TOKEN");
}

bool is_secret_flag(std::string_view word) {
  const std::string name = hyphens(lower(word.substr(0, word.find('='))));
  // Counts of tokens and the tokens of a vocabulary are no secrets.
  if (!starts_with(name, "-") || contains(name, "token-") || contains(name, "tokens") ||
      contains(name, "tokenizer"))
    return false;
  for (std::string_view part : {"key", "token", "secret", "password"})
    if (contains(name, part)) return !contains(name, "keyfile") || contains(name, "password");
  for (std::string_view whole : {"--api-key", "--admin-api-key", "--ssl-keyfile-password"})
    if (name.size() >= 6 && starts_with(whole, name)) return true;  // an abbreviation
  return false;
}

std::vector<Span> secrets_in(std::string_view s) {
  std::vector<Span> out;
  const auto add = [&](Span span) {
    if (!span.empty() && (out.empty() || out.back().end <= span.begin)) out.push_back(span);
  };
  for (size_t i = 0; i < s.size();) {
    if (s[i] == ':' && starts_with(s.substr(i), "://")) {
      i += 3;
      add(password(s, i));
      continue;
    }
    if (!name_char(s[i])) {
      ++i;
      continue;
    }
    const size_t begin = i;
    while (i < s.size() && name_char(s[i])) ++i;
    const std::string_view word = s.substr(begin, i - begin);
    if (word.size() > 200) {
      if (known_prefix(word)) add({static_cast<uint32_t>(begin), static_cast<uint32_t>(i)});
      continue;
    }
    const size_t dashes = std::min(word.find_first_not_of('-'), word.size());
    if (known_prefix(word.substr(dashes))) {
      add({static_cast<uint32_t>(begin + dashes), static_cast<uint32_t>(i)});
    } else if (lower(word) == "bearer" && i < s.size() && s[i] == ' ') {
      size_t end = ++i;
      while (end < s.size() && !ends_value(s[end])) ++end;
      if (!harmless(s.substr(i, end - i)))
        add({static_cast<uint32_t>(i), static_cast<uint32_t>(end)});
    } else {
      if (is_secret_name(underscores(word.substr(dashes)))) {
        const Span value = value_behind(s, i, dashes > 0);
        // `Authorization-Token: Bearer x` is read on from the second word.
        if (!value.empty() && lower(s.substr(value.begin, value.end - value.begin)) != "bearer")
          add(value);
      }
    }
  }
  return out;
}

void mark_secrets(std::vector<Token>& argv) {
  for (size_t i = 0; i < argv.size(); ++i) {
    const std::string_view word = argv[i].text;
    const size_t equals = word.find('=');
    if (is_secret_flag(word)) {
      if (equals != word.npos)
        argv[i].secret = true;
      else if (i + 1 < argv.size() && !starts_with(argv[i + 1].text, "--"))
        argv[i + 1].secret = true;
    }
    if (known_prefix(word)) argv[i].secret = true;
  }
}

}  // namespace sglint
