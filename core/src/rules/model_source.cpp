#include "rules/steps.h"

namespace sglint {

void model_source_paths(Resolution& r) { (void)r; }

RuleList model_source_rules() { return {}; }

}  // namespace sglint
