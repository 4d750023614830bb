#include "rules/load/load.h"

#include "rules/load/layout.h"
#include "rules/load/state_pool.h"
#include "rules/load/traps.h"

namespace sglint {

void load_stage(Resolution& r) {
  // Each by itself: what one leaves open where a value is unknown, another may still judge.
  for (void (*part)(Resolution&) : {devices, ports, context_parallel_load, loader}) {
    r.enter("load");
    part(r);
  }
  if (r.model_known()) {
    for (void (*part)(Resolution&) :
         {quantization, model_layout, attention_kernels_load, linear_attention_load}) {
      r.enter("load");
      part(r);
    }
  }
  for (void (*part)(Resolution&) : {effective_choices, requests_of_ranks, memory_limits, traps}) {
    r.enter("load");
    part(r);
  }
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
