#pragma once
// The difference between a launch and its repaired form, as edits of the user's own text.

#include <string>
#include <vector>

#include "base/span.h"
#include "repair/repair.h"

namespace sglint {

// Edits of `text` that turn `launch`, which was checked against `facts`, into `after`; they do not
// overlap and are in order. Empty where the text has no place for the change (a launch given as
// argv).
std::vector<TextEdit> source_edits(std::string_view text, const Launch& launch, const Facts& facts,
                                   const Attempt& after);

// One shell line that starts the launch: environment, `sglang serve`, arguments; secrets as ***.
std::string shell_command(const Launch& launch, const Attempt& attempt);

}  // namespace sglint
