#pragma once
// Findings that the user knows of: kept in the report, left out of the verdict.

#include <string>
#include <string_view>
#include <vector>

#include "sglint/sglint.h"

namespace sglint {

// Marks what the comments of the text and `ignore` (rule ids of the request) suppress, and adds a
// finding for each suppression that does nothing.
void suppress(Report& report, std::string_view text, const std::vector<std::string>& ignore);

}  // namespace sglint
