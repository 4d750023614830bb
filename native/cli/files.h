#pragma once

#include <optional>
#include <string>

namespace sglint {

inline constexpr size_t kLargestFile = 16u << 20;

// The whole file, - for standard input. On failure prints a sentence to stderr and returns nullopt.
std::optional<std::string> read_file(const std::string& path);

}  // namespace sglint
