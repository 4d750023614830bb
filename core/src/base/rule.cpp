#include "base/rule.h"

namespace sglint {

std::string_view severity_name(Severity severity) {
  constexpr std::string_view kNames[] = {"error", "warning", "info"};
  return kNames[static_cast<int>(severity)];
}

std::string_view stage_name(Stage stage) {
  constexpr std::string_view kNames[] = {"read", "arguments", "resolve", "check", "load"};
  return kNames[static_cast<int>(stage)];
}

}  // namespace sglint
