#include "rules/steps.h"

namespace sglint {

void multi_item_scoring(Resolution& r) { (void)r; }

RuleList multi_item_scoring_rules() { return {}; }

}  // namespace sglint
