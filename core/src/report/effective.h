#pragma once
// What really runs, derived from the resolved values.

#include <vector>

#include "resolve/resolution.h"
#include "sglint/sglint.h"

namespace sglint {

std::vector<EffectiveValue> effective_values(const Resolution& r);

}  // namespace sglint
