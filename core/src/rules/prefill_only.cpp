#include "rules/steps.h"

namespace sglint {

void validate_prefill_only_disable_kv_cache_args(Resolution& r) { (void)r; }

void prefill_only_disable_kv_cache(Resolution& r) { (void)r; }

RuleList prefill_only_rules() { return {}; }

}  // namespace sglint
