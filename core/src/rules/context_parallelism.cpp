#include "rules/steps.h"

namespace sglint {

void legacy_cp_arguments(Resolution& r) { (void)r; }

void context_parallelism(Resolution& r) { (void)r; }

void dcp_validation(Resolution& r) { (void)r; }

RuleList context_parallelism_rules() { return {}; }

}  // namespace sglint
