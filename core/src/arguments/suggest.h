#pragma once
// What the user may have meant.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments/arguments.h"

namespace sglint {

// Words that may stand in place of an unknown flag ("--tp_size", "--max-model-len=4096"), best
// first.
struct FlagSuggestions {
  const Rule* rule = nullptr;  // arguments/unknown-flag or what is known of the flag
  std::vector<std::string> words;
};
FlagSuggestions suggest_flag(Release release, std::string_view word);

// For an unknown flag that says what holds without it ("--enable-cuda-graph"): the switch for the
// opposite, "" if there is none.
std::string_view opposite_switch(Release release, std::string_view word);

// For a flag that is cut short: the flags it may stand for, best first.
std::vector<std::string> suggest_full_name(Release release, std::string_view word);

// What to write in place of a value that the option refuses, best first.
std::vector<std::string> suggest_value(const Option& option, std::string_view value);

// Of `all`, those that differ from `word` by a typo or two, nearest first.
std::vector<std::string_view> nearest(std::string_view word,
                                      const std::vector<std::string_view>& all, size_t most);

}  // namespace sglint
