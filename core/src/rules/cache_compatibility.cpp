#include "rules/steps.h"

namespace sglint {

void cache_compatibility(Resolution& r) { (void)r; }

RuleList cache_compatibility_rules() { return {}; }

}  // namespace sglint
