#pragma once
// Edits of flags and environment variables, applied to a launch.

#include <string>
#include <vector>

#include "arguments/arguments.h"
#include "facts/env.h"

namespace sglint {

// argv after the edits. A flag that is set replaces the one typed, else is appended.
std::vector<Token> apply_to_argv(const Arguments& arguments, const std::vector<Token>& argv,
                                 const std::vector<Edit>& edits);
void apply_to_env(Environment& env, const std::vector<Edit>& edits);

// "Set --linear-attn-decode-backend to triton", "Remove --enable-linear-replayssm".
std::string title_of(Release release, const std::vector<Edit>& edits);

}  // namespace sglint
