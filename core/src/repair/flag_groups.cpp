#include "repair/flag_groups.h"

#include "arguments/option_index.h"
#include "base/text.h"
#include "read/reader.h"

namespace sglint {
namespace {

bool is_value(Release release, std::string_view word) {
  if (!starts_with(word, "-")) return !is_flag(word);
  if (word.size() == 1 || contains(word, " ")) return true;
  return word[1] != '-' && !option_of_word(release, word) &&
         (word[1] == '.' || (word[1] >= '0' && word[1] <= '9'));
}

}  // namespace

const Option* option_of_word(Release release, std::string_view word) {
  if (!starts_with(word, "-") || word.size() < 2) return nullptr;
  const OptionIndex& index = option_index(release);
  if (const OptionName* exact = index.find(word)) return exact->option;
  const std::string_view stem = word.substr(0, word.find('='));
  if (const OptionName* exact = index.find(stem)) return exact->option;
  if (!starts_with(word, "--")) return nullptr;
  const std::vector<OptionName> begun = index.beginning_with(stem);
  return begun.size() == 1 ? begun.front().option : nullptr;
}

std::vector<FlagGroup> flag_groups(Release release, const std::vector<Token>& argv) {
  std::vector<FlagGroup> out;
  for (size_t i = 0; i < argv.size();) {
    const std::string_view word = argv[i].text;
    FlagGroup group{option_of_word(release, word), i, i};
    const std::string_view nargs = group.option ? group.option->nargs : "*";
    size_t most = nargs == "0" ? 0 : nargs.empty() || nargs == "?" ? 1 : argv.size();
    if (starts_with(word, "-") && contains(word, "=")) most = 0;
    while (most > 0 && group.last + 1 < argv.size() &&
           is_value(release, argv[group.last + 1].text)) {
      ++group.last;
      --most;
    }
    out.push_back(group);
    i = group.last + 1;
  }
  return out;
}

}  // namespace sglint
