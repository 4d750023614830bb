#pragma once
// A launch that a log prints as server_args=ServerArgs(…): every field with its resolved value.

#include <optional>
#include <vector>

#include "base/release.h"
#include "read/launch.h"

namespace sglint {

// Leaves of such launches what is no default, and sets their release where none is `given`: the one
// whose fields these are. Of those that are the same (a server that was started again) one stays.
void drop_defaults(std::vector<Launch>& launches, std::optional<Release> given);

}  // namespace sglint
