// A stored self-test (`sglint selftest --json`) as facts for `sglint check`.
#pragma once

#include <string>

namespace sglint::gpu {

// The machine that a self-test ran on, with what it measured of ReplaySSM; "" if the text is none
// or does not say enough of the GPUs.
std::string machine_of_selftest(const std::string& json);

// A machine's facts with what a self-test measured. "" if it cannot be, and why.
std::string add_selftest(const std::string& machine, const std::string& json, std::string& why);

}  // namespace sglint::gpu
