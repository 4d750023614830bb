#include "rules/steps.h"

namespace sglint {

void sampling_backend(Resolution& r) { (void)r; }

void attention_backend_compatibility(Resolution& r) { (void)r; }

RuleList attention_backend_rules() { return {}; }

}  // namespace sglint
