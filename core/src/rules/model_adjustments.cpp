#include "rules/steps.h"

namespace sglint {

void model_specific_adjustments(Resolution& r) { (void)r; }

void model_capability_adjustments(Resolution& r) { (void)r; }

RuleList model_adjustments_rules() { return {}; }

}  // namespace sglint
