#pragma once
// Changes of a launch as edits of the text that it was read from, in the layout of its form.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "read/launch.h"

namespace sglint {

struct EnvChange {
  std::string name;
  std::optional<std::string> value;  // nullopt: unset
};

// Edits that turn `launch.argv` into `after` and carry out the changes of the environment. Tokens
// of `after` that were kept have the span and text of the launch's token; all others are new. The
// edits do not overlap and are in order; bytes outside them stay. nullopt if the text has no place
// for a change (a launch given as argv, a flow mapping, a value that stands in an alias).
std::optional<std::vector<TextEdit>> edit_source(std::string_view text, const Launch& launch,
                                                 const std::vector<Token>& after,
                                                 const std::vector<EnvChange>& env = {});

std::string apply_edits(std::string_view text, const std::vector<TextEdit>& edits);

}  // namespace sglint
