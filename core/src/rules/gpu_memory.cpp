#include "rules/steps.h"

namespace sglint {

void gpu_memory_settings(Resolution& r) { (void)r; }

RuleList gpu_memory_rules() { return {}; }

}  // namespace sglint
