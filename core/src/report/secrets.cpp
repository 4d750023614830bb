#include "report/secrets.h"

#include <algorithm>

#include "base/json.h"
#include "base/sort.h"
#include "base/text.h"
#include "read/quoting.h"
#include "read/secrets.h"
#include "report/texts_of.h"

namespace sglint {
namespace {

constexpr size_t kShortestSecret = 4;  // shorter ones would blot out ordinary text
constexpr size_t kMostSecrets = 300;   // nobody has more; each costs a pass over the report

void add(std::vector<std::string>& secrets, std::string_view value) {
  if (value.size() < kShortestSecret || starts_with(value, "-")) return;
  if (secrets.size() >= kMostSecrets) return;
  // As it is, and as JSON, a shell and Python's repr() spell it.
  const std::string json = quote_json(value), shell = quote_shell(value), python = repr(value);
  for (std::string_view spelling :
       {value, std::string_view(json).substr(1, json.size() - 2), std::string_view(shell),
        std::string_view(python).substr(1, python.size() - 2)})
    if (std::find(secrets.begin(), secrets.end(), spelling) == secrets.end())
      secrets.emplace_back(spelling);
}

void add_within(std::vector<std::string>& secrets, std::string_view text) {
  for (const Span& span : secrets_in(text))
    add(secrets, text.substr(span.begin, span.end - span.begin));
}

void hide(std::string& s, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    for (size_t at = s.find(secret); at != s.npos; at = s.find(secret, at + 3))
      s.replace(at, secret.size(), "***");
  }
}

}  // namespace

std::vector<std::string> secrets_of(std::string_view text, const std::vector<Launch>& launches) {
  std::vector<std::string> secrets;
  for (const Launch& launch : launches) {
    for (size_t i = 0; i < launch.argv.size(); ++i) {
      const Token& token = launch.argv[i];
      const size_t equals = token.text.find('=');
      const bool is_flag = starts_with(token.text, "-");
      if (token.secret || is_secret_flag(token.text)) {
        if (!is_flag) {
          add(secrets, token.text);
        } else if (equals != std::string::npos) {
          add(secrets, std::string_view(token.text).substr(equals + 1));
        } else if (i + 1 < launch.argv.size()) {
          add(secrets, launch.argv[i + 1].text);
        }
      }
      add_within(secrets, token.text);
    }
    for (const EnvSetting& e : launch.env) {
      if (e.secret) add(secrets, e.value);
      add_within(secrets, e.value);
    }
  }
  add_within(secrets, text);
  // Longest first: one may be part of another.
  stable_sort(secrets,
              [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  return secrets;
}

std::vector<SourceSpan> secret_spans(std::string_view text, const std::vector<Launch>& launches,
                                     const std::vector<std::string>& secrets) {
  std::vector<SourceSpan> found;
  for (const Span& span : secrets_in(text)) found.push_back({span.begin, span.end});
  for (const Launch& launch : launches) {
    for (const Token& token : launch.argv)
      if (token.secret && !starts_with(token.text, "--") && token.span.end <= text.size())
        found.push_back({token.span.begin, token.span.end});
    for (const EnvSetting& e : launch.env)
      if (e.secret && e.value_span.end <= text.size())
        found.push_back({e.value_span.begin, e.value_span.end});
  }
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
  stable_sort(found, [](SourceSpan a, SourceSpan b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<SourceSpan> out;
  for (SourceSpan s : found) {
    if (s.begin == s.end) continue;
    if (out.empty() || s.begin >= out.back().end)
      out.push_back(s);
    else
      out.back().end = std::max(out.back().end, s.end);
  }
  return out;
}

void hide_secrets(std::string& s, const std::vector<std::string>& secrets) { hide(s, secrets); }

void hide_secrets(Report& report) {
  if (report.secrets.empty()) return;
  for_each_text(report, [&](std::string& s) { hide(s, report.secrets); });
  // An edit must not lose the secret, nor show it.
  const auto drop = [&](std::vector<SourceEdit>& edits) {
    for (const SourceEdit& edit : edits) {
      std::string text = edit.text;
      hide(text, report.secrets);
      if (text == edit.text) continue;
      edits.clear();
      return;
    }
  };
  for (LaunchReport& l : report.launches) {
    drop(l.fixed_edits);
    for (Diagnostic& d : l.diagnostics)
      for (VerifiedFix& fix : d.fixes) drop(fix.edits);
  }
}

std::string masked(std::string_view text, const std::vector<std::string>& secrets) {
  return masked(text, secret_spans(text, {}, secrets));
}

std::string masked(std::string_view text, const std::vector<SourceSpan>& spans) {
  std::string out(text);
  for (const SourceSpan& span : spans)
    for (size_t i = span.begin; i < std::min<size_t>(span.end, out.size()); ++i)
      if (out[i] != '\n') out[i] = '*';
  return out;
}

}  // namespace sglint
