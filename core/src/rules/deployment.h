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

  // A variable or a placeholder stands for it.
  bool unknown(Field field) const { return arguments->origins[static_cast<size_t>(field)].unknown; }
};

struct DeploymentFinding {
  const Rule* rule = nullptr;
  std::string message;
  std::vector<std::pair<size_t, Field>> about;  // member and flag; spans follow from these
  std::vector<Span> at;                         // places besides
};

std::vector<DeploymentFinding> check_deployment(const std::vector<Member>& members,
                                                const std::vector<RouterLine>& routers);

// deployment_router.cpp
void check_routers(const std::vector<Member>& members, const std::vector<RouterLine>& routers,
                   std::vector<DeploymentFinding>& out);

RuleList deployment_rules();
RuleList deployment_router_rules();

}  // namespace sglint
