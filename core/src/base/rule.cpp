#include "base/rule.h"

namespace sglint {

std::string_view severity_name(Severity severity) {
  constexpr std::string_view kNames[] = {"error", "warning", "info"};
  return kNames[static_cast<int>(severity)];
}

std::string_view stage_name(Stage stage) {
  constexpr std::string_view kNames[] = {"read",  "arguments", "resolve",
                                         "check", "load",      "deployment"};
  return kNames[static_cast<int>(stage)];
}

std::string example_source(const Example& example) {
  if (!example.text.empty()) return std::string(example.text);
  const bool whole = example.command.find("sglang serve ") != std::string_view::npos;
  return (whole ? "" : "sglang serve ") + std::string(example.command);
}

}  // namespace sglint
