#include "rules/steps.h"

namespace sglint {

void eplb_and_dispatch(Resolution& r) { (void)r; }

void expert_distribution_metrics(Resolution& r) { (void)r; }

RuleList eplb_rules() { return {}; }

}  // namespace sglint
