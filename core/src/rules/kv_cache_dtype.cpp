#include "rules/steps.h"

namespace sglint {

void kv4_compatibility(Resolution& r) { (void)r; }

void mxfp8_kv_cache_compatibility(Resolution& r) { (void)r; }

RuleList kv_cache_dtype_rules() { return {}; }

}  // namespace sglint
