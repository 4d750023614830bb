#pragma once
// --config: a YAML file whose entries become words of the command line.

#include <optional>
#include <vector>

#include "arguments/arguments.h"

namespace sglint {

struct MergedArgv {
  std::vector<Token> argv;
  std::vector<int> source;  // where each word stands in the given argv, -1 for the file's
  std::optional<ArgumentError> error;
  std::vector<Log> logs;
  bool unread = false;  // a placeholder or an unresolved variable names the file
};

// The file's content; "./" in front does not count. nullptr: it was not given.
const std::string* find_file(const Files& files, std::string_view path);
// Whether --config takes a file of this name: .yaml or .yml.
bool is_config_name(std::string_view path);

// ConfigArgumentMerger.merge_config_with_args: the file's words come first, so what is typed wins.
MergedArgv merge_config_file(Release release, const std::vector<Token>& argv, const Files& files);

}  // namespace sglint
