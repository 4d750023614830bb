#include "rules/steps.h"

namespace sglint {

void speculative_decoding(Resolution& r) { (void)r; }

RuleList speculative_rules() { return {}; }

}  // namespace sglint
