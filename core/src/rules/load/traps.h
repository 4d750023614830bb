#pragma once
// What starts, and then does something else than was asked for.

#include "base/rule.h"
#include "resolve/resolution.h"

namespace sglint {

void traps(Resolution& r);
RuleList traps_rules();

}  // namespace sglint
