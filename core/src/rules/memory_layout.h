#pragma once
// Shared by the page-major layout (memory_layout.cpp) and the unified memory pool
// (unified_memory.cpp), which is built on it.

#include <string>
#include <string_view>
#include <vector>

#include "base/rule.h"
#include "rules/attention.h"

namespace sglint {

void sort_unique(std::vector<std::string_view>& names);
std::vector<std::string_view> backend_set(
    const AttentionBackends& backends);                               // sorted, without None
std::string python_list(const std::vector<std::string_view>& names);  // "['fa3', 'triton']"

RuleList unified_memory_rules();  // unified_memory.cpp

}  // namespace sglint
