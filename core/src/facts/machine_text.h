#pragma once
// Machines as people paste them: the output of nvidia-smi, rocm-smi and amd-smi.

#include <optional>
#include <string>
#include <string_view>

#include "facts/machine.h"

namespace sglint {

// Reads nvidia-smi's table, `-q`, `-L` and `--query-gpu=… --format=csv`, rocm-smi's and amd-smi's
// tables and lists. What the text does not say is filled in from the catalogue's machine with that
// GPU and listed in `assumed`. nullopt, with a sentence in `why`, where no GPU is found.
std::optional<Machine> machine_from_text(std::string_view text, std::string* why);

// The same for a longer text that may hold such lines, as a report of a bug does.
std::optional<Machine> machine_in_text(std::string_view text);

}  // namespace sglint
