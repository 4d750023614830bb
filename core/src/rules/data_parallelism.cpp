#include "rules/steps.h"

namespace sglint {

void data_parallelism(Resolution& r) { (void)r; }

RuleList data_parallelism_rules() { return {}; }

}  // namespace sglint
