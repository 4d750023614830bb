#pragma once
// Memory: for the states of recurrent layers, for the weights, and limits that ServerArgs takes as
// typed.

#include "base/rule.h"
#include "resolve/resolution.h"
#include "rules/load/layout.h"

namespace sglint {

void state_pool(Resolution& r);  // of a model with recurrent layers
void requests_of_ranks(Resolution& r);
RuleList state_pool_rules();

// memory.cpp: GiB that the weights of a rank take at the least, 0 where config.json does not say.
double weights_floor(Resolution& r, const Layout& l);
std::string tenths(double v);  // "36.1"
void memory_limits(Resolution& r);
RuleList memory_rules();

}  // namespace sglint
