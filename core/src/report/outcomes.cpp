#include "report/outcomes.h"

#include "base/json.h"
#include "base/python_text.h"

namespace sglint {

Ending stop_of(const Arguments& arguments, const Resolution* r) {
  if (const auto& e = arguments.error)
    return {e->exception.empty() ? Outcome::usage_error : Outcome::error, e->rule, e->exception,
            e->message};
  if (!r->rejection()) return {};
  const Finding& finding = *r->rejection();
  return {Outcome::error, finding.rule, std::string(finding.rule->exception), finding.message};
}

std::string_view outcome_name(Outcome outcome) {
  constexpr std::string_view kNames[] = {"ok", "error", "usage_error", "no_launch",
                                         "invalid_request"};
  return kNames[static_cast<int>(outcome)];
}

void write_exactly(std::string& s, const std::vector<Token>& argv) {
  if (!contains(s, "922337203685477580")) return;
  for (const Token& token : argv) {
    const std::string_view word = std::string_view(token.text).substr(token.text.find('=') + 1);
    const std::optional<int64_t> n = python_int(word);
    if (!n || (*n != INT64_MAX && *n != INT64_MIN)) continue;
    const std::string held = std::to_string(*n);
    std::string exact(*n < 0 ? "-" : "");
    for (const char c : word)
      if (c >= (exact.size() > (*n < 0) ? '0' : '1') && c <= '9') exact += c;
    for (size_t at = s.find(held); at != s.npos; at = s.find(held, at + exact.size()))
      s.replace(at, held.size(), exact);
  }
}

std::optional<Value> parse_request(std::string_view json, std::string* why) {
  JsonError error;
  std::optional<Value> request = parse_json(json, &error);
  if (!request)
    *why = fill("The request is not JSON at byte {}: {}",
                {static_cast<int64_t>(error.offset), error.what});
  return request;
}

}  // namespace sglint
