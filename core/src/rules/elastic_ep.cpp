#include "rules/steps.h"

namespace sglint {

void elastic_ep(Resolution& r) { (void)r; }

RuleList elastic_ep_rules() { return {}; }

}  // namespace sglint
