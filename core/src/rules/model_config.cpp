#include "rules/model_config.h"

#include "rules/steps.h"

namespace sglint {

void build_model_config(Resolution& r, ModelConfig& out) {
  if (r.facts().model) out.hf_config = r.facts().model->config;
  for (const Value& a : out.hf_config["architectures"].as_list()) out.architectures.emplace_back(a.as_str());
}

RuleList model_config_rules() { return {}; }

}  // namespace sglint
