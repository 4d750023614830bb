#pragma once
// The launches of one text checked against each other.

#include <string>
#include <vector>

#include "resolve/resolution.h"

namespace sglint {

struct Member {
  std::string name;              // as the report calls it: "launch 2", a compose service
  const Arguments* arguments;    // without an error
  const Resolution* resolution;  // null where SGLang stops before its values are known
  const Network* network;
  bool background = false;  // a shell goes on while it runs
};

struct DeploymentFinding {
  const Rule* rule = nullptr;
  std::string message;
  std::vector<std::pair<size_t, Field>> about;  // member and flag; spans follow from these
};

std::vector<DeploymentFinding> check_deployment(const std::vector<Member>& members);

RuleList deployment_rules();

}  // namespace sglint
