#include "rules/steps.h"

namespace sglint {

void load_format(Resolution& r) { (void)r; }

RuleList load_format_rules() { return {}; }

}  // namespace sglint
