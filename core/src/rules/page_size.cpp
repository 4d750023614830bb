#include "rules/steps.h"

namespace sglint {

void page_size(Resolution& r) { (void)r; }

RuleList page_size_rules() { return {}; }

}  // namespace sglint
