#include "rules/steps.h"

namespace sglint {

void moe_runner_backend_alias(Resolution& r) { (void)r; }

void moe_kernel_config(Resolution& r) { (void)r; }

void a2a_moe(Resolution& r) { (void)r; }

void validate_experimental_sgl_marlin(Resolution& r) { (void)r; }

void validate_cutedsl_a2a_token_budget(Resolution& r) { (void)r; }

RuleList moe_rules() { return {}; }

}  // namespace sglint
