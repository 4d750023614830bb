#include "rules/steps.h"

namespace sglint {

void dwdp(Resolution& r) { (void)r; }

RuleList dwdp_rules() { return {}; }

}  // namespace sglint
