#include "rules/steps.h"

namespace sglint {

void deprecated_args(Resolution& r) { (void)r; }

RuleList deprecated_args_rules() { return {}; }

}  // namespace sglint
