#pragma once

#include <string>
#include <vector>

#include "request.h"

namespace sglint {

struct CheckOptions : RequestOptions {
  std::string format = "text", why, fail_on = "error", batch, in_place;
  bool resolved = false, fix = false;
};

// `sglint check`; the exit code. What cannot be carried out is one sentence on stderr and 2.
int run_check(const CheckOptions& options);
int list_rules(bool as_json);
int explain_rule(const std::string& id);

}  // namespace sglint
