#include "report/secrets.h"

#include <algorithm>

#include "base/text.h"

namespace sglint {
namespace {

constexpr size_t kShortestSecret = 4;  // shorter ones would blot out ordinary text

bool names_a_secret(std::string_view flag) {
  if (!starts_with(flag, "-")) return false;
  const std::string name = lower(flag.substr(0, flag.find('=')));
  if (contains(name, "tokenizer") || contains(name, "tokens") || contains(name, "token-"))
    return false;
  for (std::string_view word : {"key", "token", "secret", "password"})
    if (contains(name, word)) return !contains(name, "keyfile") || contains(name, "password");
  for (std::string_view whole : {"--api-key", "--admin-api-key", "--ssl-keyfile-password"})
    if (name.size() >= 6 && starts_with(whole, name)) return true;  // an abbreviation
  return false;
}

void add(std::vector<std::string>& secrets, std::string_view value) {
  if (value.size() < kShortestSecret || starts_with(value, "-")) return;
  if (std::find(secrets.begin(), secrets.end(), value) == secrets.end())
    secrets.emplace_back(value);
}

void hide(std::string& s, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    for (size_t at = s.find(secret); at != s.npos; at = s.find(secret, at + 3))
      s.replace(at, secret.size(), "***");
  }
}

void hide(std::vector<std::string>& list, const std::vector<std::string>& secrets) {
  for (std::string& s : list) hide(s, secrets);
}

void hide(Diagnostic& d, const std::vector<std::string>& secrets) {
  hide(d.message, secrets);
  if (d.suppressed) hide(*d.suppressed, secrets);
  for (VerifiedFix& fix : d.fixes) {
    hide(fix.title, secrets);
    hide(fix.command, secrets);
    hide(fix.argv, secrets);
  }
}

}  // namespace

std::vector<std::string> secrets_of(const std::vector<Launch>& launches) {
  std::vector<std::string> secrets;
  for (const Launch& launch : launches) {
    for (size_t i = 0; i < launch.argv.size(); ++i) {
      const Token& token = launch.argv[i];
      const size_t equals = token.text.find('=');
      const bool is_flag = starts_with(token.text, "-");
      if (token.secret || names_a_secret(token.text)) {
        if (!is_flag) {
          add(secrets, token.text);
        } else if (equals != std::string::npos) {
          add(secrets, std::string_view(token.text).substr(equals + 1));
        } else if (i + 1 < launch.argv.size()) {
          add(secrets, launch.argv[i + 1].text);
        }
      }
    }
    for (const EnvSetting& e : launch.env)
      if (e.secret) add(secrets, e.value);
  }
  // Longest first: one may be part of another.
  std::sort(secrets.begin(), secrets.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  return secrets;
}

std::vector<SourceSpan> secret_spans(std::string_view text, const std::vector<Launch>& launches,
                                     const std::vector<std::string>& secrets) {
  std::vector<SourceSpan> found;
  for (const std::string& secret : secrets)
    for (size_t at = text.find(secret); at != text.npos; at = text.find(secret, at + secret.size()))
      found.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(at + secret.size())});
  // Where the source spells the value otherwise (escapes, quotes) the whole word goes.
  const auto spelt_otherwise = [&](std::string_view value, Span span) {
    if (span.empty() || span.end > text.size()) return;
    const std::string_view source = text.substr(span.begin, span.end - span.begin);
    for (const std::string& secret : secrets) {
      if (!ends_with(value, secret)) continue;
      if (!contains(source, secret)) found.push_back({span.begin, span.end});
      return;
    }
  };
  for (const Launch& launch : launches) {
    for (const Token& token : launch.argv) spelt_otherwise(token.text, token.span);
    for (const EnvSetting& e : launch.env) spelt_otherwise(e.value, e.value_span);
  }
  std::sort(found.begin(), found.end(), [](SourceSpan a, SourceSpan b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<SourceSpan> out;
  for (SourceSpan s : found)
    if (out.empty() || s.begin >= out.back().end) out.push_back(s);
  return out;
}

void hide_secrets(std::string& s, const std::vector<std::string>& secrets) { hide(s, secrets); }

void hide_secrets(Report& report) {
  if (report.secrets.empty()) return;
  for (Diagnostic& d : report.diagnostics) hide(d, report.secrets);
  for (Diagnostic& d : report.deployment) hide(d, report.secrets);
  for (LaunchReport& l : report.launches) {
    hide(l.error_message, report.secrets);
    hide(l.fixed_command, report.secrets);
    hide(l.argv, report.secrets);
    hide(l.fixed_argv, report.secrets);
    hide(l.assumptions, report.secrets);
    for (auto& log : l.logs) hide(log.second, report.secrets);
    for (auto& variable : l.env) hide(variable.second, report.secrets);
    for (Diagnostic& d : l.diagnostics) hide(d, report.secrets);
    for (ResolvedValue& v : l.resolved) {
      hide(v.value, report.secrets);
      for (auto& earlier : v.earlier) hide(earlier.first, report.secrets);
    }
  }
}

std::string masked(std::string_view text, const std::vector<std::string>& secrets) {
  std::string out(text);
  for (const std::string& secret : secrets)
    for (size_t at = out.find(secret); at != out.npos; at = out.find(secret, at))
      out.replace(at, secret.size(), std::string(secret.size(), '*'));
  return out;
}

}  // namespace sglint
