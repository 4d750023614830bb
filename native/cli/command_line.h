#pragma once
// What was typed, before CLI11 sees it: sglint's own words, and the launch command, which SGLang's
// flags belong to whether or not `--` stands before it.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sglint {

struct Typed {
  std::vector<std::string> own;      // with the subcommand first
  std::vector<std::string> command;  // one word that holds blanks is a whole text
  std::string problem;               // a sentence for stderr; the rest is of no use then
};

// `words` begins with the name of `command`, a subcommand. `takes_launch`: it checks a launch.
Typed divide(const std::vector<std::string>& words, const CLI::App& command, bool takes_launch);

// For a first word that is no subcommand: what to type instead.
std::string no_such_command(const std::vector<std::string>& words, const CLI::App& app);

// The word as a shell takes it.
std::string shell_quoted(const std::string& word);

}  // namespace sglint
