#include "rules/load/load.h"

#include "rules/load/layout.h"
#include "rules/load/state_pool.h"
#include "rules/load/traps.h"

namespace sglint {

void load_stage(Resolution& r) {
  devices(r);
  ports(r);
  context_parallel_load(r);
  loader(r);
  if (r.model_known()) {
    quantization(r);
    model_layout(r);
    attention_kernels_load(r);
    linear_attention_load(r);
  }
  effective_choices(r);
  requests_of_ranks(r);
  memory_limits(r);
  traps(r);
}

RuleList load_rules() {
  RuleList rules;
  for (RuleList (*list)() :
       {devices_rules, ports_rules, context_parallel_load_rules, loader_rules, quantization_rules,
        model_layout_rules, attention_kernels_rules, effective_choices_rules,
        linear_attention_load_rules, state_pool_rules, memory_rules, traps_rules})
    for (const Rule* rule : list()) rules.push_back(rule);
  return rules;
}

}  // namespace sglint
