#pragma once
// Numbers in text as Python reads them: int("  1_000 "), float("1e3"), float("inf").

#include <cstdint>
#include <optional>
#include <string_view>

namespace sglint {

// int(text); nullopt where Python raises ValueError. Integers that pass 64 bits are clamped.
std::optional<int64_t> parse_python_int(std::string_view text);

// float(text); nullopt where Python raises ValueError.
std::optional<double> parse_python_float(std::string_view text);

}  // namespace sglint
