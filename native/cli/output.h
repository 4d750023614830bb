#pragma once
// The answer, on standard output. Every command writes through here, so that a full disk is said
// and a reader that went away (`| head`) is not.

#include <string_view>

namespace sglint {

// False once standard output takes no more.
bool put(std::string_view text);

// The exit code: `code`, or 2 where not all of the answer could be written.
int end_of_answer(int code);

}  // namespace sglint
