#include "report/outcomes.h"

#include "base/json.h"

namespace sglint {

Ending stop_of(const Arguments& arguments, const Resolution* r) {
  if (const auto& e = arguments.error)
    return {e->exception.empty() ? Outcome::usage_error : Outcome::error, e->rule, e->exception,
            e->message};
  if (!r->stopped()) return {};
  const Finding& finding = *r->rejection();
  return {Outcome::error, finding.rule, std::string(finding.rule->exception), finding.message};
}

std::string_view outcome_name(Outcome outcome) {
  constexpr std::string_view kNames[] = {"ok", "error", "usage_error", "no_launch",
                                         "invalid_request"};
  return kNames[static_cast<int>(outcome)];
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
