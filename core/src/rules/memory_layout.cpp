#include "rules/steps.h"

namespace sglint {

void page_major_kv_layout(Resolution& r) { (void)r; }

void unified_memory_pool(Resolution& r) { (void)r; }

RuleList memory_layout_rules() { return {}; }

}  // namespace sglint
