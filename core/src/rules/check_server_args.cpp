#include "rules/steps.h"

namespace sglint {

void check_server_args(Resolution& r) { (void)r; }

RuleList check_server_args_rules() { return {}; }

}  // namespace sglint
