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
  bool unread = false;  // the file is not given, or a variable names it
};

// "./" in front of a file's name does not count.
std::string_view file_name(std::string_view path);
// The content; nullptr: it was not given. The keys of `files` are as file_name() gives them.
const std::string* find_file(const Files& files, std::string_view path);
// Whether --config takes a file of this name: .yaml or .yml.
bool is_config_name(std::string_view path);

// ConfigArgumentMerger.merge_config_with_args: the file's words come first, so what is typed wins.
MergedArgv merge_config_file(Release release, const std::vector<Token>& argv, const Files& files);

}  // namespace sglint
