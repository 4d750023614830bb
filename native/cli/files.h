#pragma once

#include <optional>
#include <string>

namespace sglint {

inline constexpr size_t kLargestFile = 16u << 20;

// The whole file, - for standard input. A missing, empty or too large file and a folder are a
// sentence on stderr, in which `what` says what the file was meant to be, and nullopt.
std::optional<std::string> read_file(const std::string& path, const char* what);

// Puts `content` in place of the file in one step, with the mode that the file has; a link stays
// one. On failure says why on stderr.
bool replace_file(const std::string& path, const std::string& content);

}  // namespace sglint
