#include "rules/steps.h"

namespace sglint {

void debug_utils(Resolution& r) { (void)r; }

void other_validations(Resolution& r) { (void)r; }

RuleList other_validations_rules() { return {}; }

}  // namespace sglint
