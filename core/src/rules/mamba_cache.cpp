#include "rules/steps.h"

namespace sglint {

void mamba_backend(Resolution& r) { (void)r; }

void int8_mamba_checkpoint(Resolution& r) { (void)r; }

RuleList mamba_cache_rules() { return {}; }

}  // namespace sglint
