#pragma once
// argv as flags with their values, also where the parser refuses it.

#include <string_view>
#include <vector>

#include "arguments/table.h"
#include "read/launch.h"

namespace sglint {

struct FlagGroup {
  const Option* option = nullptr;  // null: an unknown flag with what follows, or stray words
  size_t first = 0, last = 0;
};

std::vector<FlagGroup> flag_groups(Release release, const std::vector<Token>& argv);

// The option that a word means as argparse has it: whole, cut short, or with "=value".
const Option* option_of_word(Release release, std::string_view word);

}  // namespace sglint
