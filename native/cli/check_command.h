#pragma once

#include <string>
#include <vector>

#include "sglint/sglint.h"

namespace sglint {

struct CheckOptions {
  Request request;                   // release and model are filled in by the option parser
  std::vector<std::string> command;  // after --
  std::string file, machine, model_config, format = "text", why, fail_on = "error", batch, plugin, selftest;
  bool resolved = false, fix = false;
  bool here = false;  // the machine is this host
};

// `sglint check`; the exit code. What cannot be carried out is one sentence on stderr and 2.
int run_check(const CheckOptions& options);
int list_rules(bool as_json);
int explain_rule(const std::string& id);

}  // namespace sglint
