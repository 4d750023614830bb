#pragma once
// Findings about the suppressions themselves.

#include "base/rule.h"

namespace sglint {

extern const Rule kSuppressionUnused, kSuppressionUnknownRule;

RuleList suppression_rules();

}  // namespace sglint
