#include "rules/steps.h"

namespace sglint {

void pd_disaggregation(Resolution& r) { (void)r; }

void load_balance_method(Resolution& r) { (void)r; }

RuleList pd_disaggregation_rules() { return {}; }

}  // namespace sglint
