#pragma once
// What the load stage says of a launch, for tests of rules that no model of the catalogue shows.

#include "base/json.h"
#include "repair/run.h"

namespace sglint {

struct Case {
  std::string config;  // config.json, "" for the catalogue's
  std::vector<std::string> words;
  std::string machine = "h100";
  std::vector<std::pair<std::string, std::string>> env = {};
  std::vector<std::string> packages = {};  // installed besides the usual ones
};

// "id: message" of the load stage's errors, or of all findings.
inline std::vector<std::string> notes(const Case& c, bool errors = true) {
  Facts facts;
  facts.machine = *find_machine(c.machine);
  for (const std::string& package : c.packages) facts.machine.packages[package] = "1.0";
  for (size_t i = 0; i + 1 < c.words.size(); ++i)
    if (c.words[i] == "--model-path") facts.model = find_model(c.words[i + 1]);
  if (!c.config.empty()) {
    facts.model = ModelFiles();
    facts.model->config = *parse_json(c.config);
  }
  for (const auto& [name, value] : c.env) facts.env.put(name, value);
  std::vector<Token> argv;
  for (const std::string& word : c.words) argv.push_back({word, {}, false, false});
  const auto run = run_launch(facts, argv);
  if (run->arguments.error) return {run->arguments.error->message};
  if (run->resolution->stopped()) return {"rejected: " + run->resolution->rejection()->message};
  std::vector<std::string> out;
  for (const Finding& note : run->resolution->notes())
    if ((note.rule->severity == Severity::error) == errors)
      out.push_back(std::string(note.rule->id) + ": " + note.message);
  return out;
}

using Notes = std::vector<std::string>;

}  // namespace sglint
