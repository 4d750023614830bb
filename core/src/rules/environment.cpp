#include "rules/steps.h"

namespace sglint {

void environment_variables(Resolution& r) { (void)r; }

void crash_dump_env(Resolution& r) { (void)r; }

RuleList environment_rules() { return {}; }

}  // namespace sglint
