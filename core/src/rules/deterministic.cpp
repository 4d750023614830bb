#include "rules/steps.h"

namespace sglint {

void deterministic_inference(Resolution& r) { (void)r; }

RuleList deterministic_rules() { return {}; }

}  // namespace sglint
