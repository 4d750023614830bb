#pragma once
// Memory for the states of recurrent layers, and limits of memory that ServerArgs takes as typed.

#include <string_view>

#include "base/rule.h"
#include "resolve/resolution.h"

namespace sglint {

// The type of the recurrent state: mamba2_state_dtype (configs/mamba_utils.py).
std::string_view ssm_state_dtype(Resolution& r, const Value& config);

void state_pool(Resolution& r);  // of a model with recurrent layers
void memory_limits(Resolution& r);
RuleList state_pool_rules();

}  // namespace sglint
