#include "rules/steps.h"

namespace sglint {

void check_lora_server_args(Resolution& r) { (void)r; }

RuleList lora_rules() { return {}; }

}  // namespace sglint
