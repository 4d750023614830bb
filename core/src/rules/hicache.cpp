#include "rules/steps.h"

namespace sglint {

void hicache_ratio_default(Resolution& r) { (void)r; }

void hicache(Resolution& r) { (void)r; }

RuleList hicache_rules() { return {}; }

}  // namespace sglint
