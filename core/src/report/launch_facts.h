#pragma once
// A request (schema 1, or a batch line) -> launches and the facts they are checked against.

#include <optional>
#include <string>
#include <vector>

#include "resolve/resolution.h"
#include "sglint/sglint.h"

namespace sglint {

struct LaunchFacts {
  std::vector<Launch> launches;
  std::vector<ReadFinding> read_findings;
  std::vector<RouterLine> routers;
  Facts shared;  // machine, env, files, extra models; model if the request gave one
  std::optional<Release> release;   // if the request gave one
  bool machine_named = false;       // else a launch may say which kind it is for
  std::string model_name;           // "model" of the request, "" if none
  std::optional<ModelFiles> model;  // from "model_config"
  std::string text;
  std::vector<std::string> ignore;
};

Value request_value(const Request& request);

// Keys: text | argv, release, machine (name or facts), model, model_config (object or JSON text),
// model_files, extra_models, model_path, env, files. On a bad request returns nullopt and says why.
std::optional<LaunchFacts> launch_facts(const Value& request, std::string* why);

// A release's name; a machine's name, facts or the text of nvidia-smi (None: the one assumed where
// none is named). On nonsense returns nullopt and says why.
std::optional<Release> release_of(const Value& name, std::string* why);
std::optional<Machine> machine_of(const Value& machine, std::string* why);

// The facts of one launch: release and environment of the launch over those of the request, the
// model that its --model-path names.
Facts facts_of(const LaunchFacts& given, const Launch& launch);

// The other machine for the same launch.
void put_machine(Facts& facts, Machine machine);

}  // namespace sglint
