#pragma once
// Edits of flags and environment variables, applied to a launch.

#include <string>
#include <vector>

#include "arguments/arguments.h"
#include "facts/env.h"

namespace sglint {

// argv after the edits. A flag that is set replaces the one typed, all of them if it stands several
// times, else is appended; what came from a --config file is overruled by the command line.
std::vector<Token> apply_to_argv(const Arguments& arguments, const std::vector<Token>& argv,
                                 const std::vector<Edit>& edits);
void apply_to_env(Environment& env, const std::vector<Edit>& edits);

// "Set --linear-attn-decode-backend to triton", "Remove --enable-linear-replayssm". Flags are named
// as they were typed.
std::string title_of(const Arguments& arguments, const std::vector<Token>& argv,
                     const std::vector<Edit>& edits);

// The flag as it was typed, without a value behind "="; else its usual name.
std::string flag_name(const Arguments& arguments, const std::vector<Token>& argv, Field field);

// A token for people: secrets are not shown.
std::string shown(const Token& token);

}  // namespace sglint
