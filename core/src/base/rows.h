#pragma once
// Generated tables are text: one row a line, cells between tabs, empty cells at the end left out. Text
// compresses several times better than arrays of structs with their pointers, and the tables are a large
// part of the WebAssembly file.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/value.h"

namespace sglint {

// Takes the part of `rest` before `separator`, and the separator, off its front.
std::string_view take_until(std::string_view& rest, char separator);

int64_t cell_number(std::string_view cell);                      // decimal; "" is 0
std::vector<std::string_view> cell_words(std::string_view cell);  // between blanks

// A constant: "" None, "t", "f", "i-1", "r0.5", "sauto", "j[]" (JSON).
Value cell_value(std::string_view cell);

}  // namespace sglint
