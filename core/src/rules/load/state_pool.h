#pragma once
// Memory for the states of recurrent layers, and limits of memory that ServerArgs takes as typed.

#include "base/rule.h"
#include "resolve/resolution.h"

namespace sglint {

void state_pool(Resolution& r);  // of a model with recurrent layers
void memory_limits(Resolution& r);
RuleList state_pool_rules();

}  // namespace sglint
