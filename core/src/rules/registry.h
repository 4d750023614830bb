#pragma once

#include <string_view>

#include "base/rule.h"

namespace sglint {

const RuleList& all_rules();                 // of every file, in the order of registry.cpp
const Rule* find_rule(std::string_view id);  // nullptr if there is none

}  // namespace sglint
