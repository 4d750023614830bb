// The records of the rules that look at a host rather than at a command: what `sglint detect` and
// `sglint selftest` report. They are native only, and not in core's catalogue.
#pragma once

#include <string>
#include <vector>

namespace sglint::gpu {

struct HostRule {
  const char* id;        // "host/gpu-busy"; a family of the self-test ends in a slash
  const char* severity;  // error, warning, info; of the self-test: what a failure is
  const char* what;
  const char* why;
  const char* cure;
};

const std::vector<HostRule>& host_rules();
// By id, or the family that an id belongs to; null if there is none.
const HostRule* find_host_rule(const std::string& id);

std::string explain_host_rule(const std::string& id);  // "" if there is none
std::string host_rules_text();                         // as `sglint rules`: id, severity, stage
std::string host_rules_json();                         // items of an array, without its brackets

}  // namespace sglint::gpu
