#include "rules/steps.h"

namespace sglint {

void pipeline_parallelism(Resolution& r) { (void)r; }

RuleList pipeline_parallelism_rules() { return {}; }

}  // namespace sglint
