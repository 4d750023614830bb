#include "rules/steps.h"

namespace sglint {

void encoder_disaggregation(Resolution& r) { (void)r; }

RuleList encoder_disaggregation_rules() { return {}; }

}  // namespace sglint
