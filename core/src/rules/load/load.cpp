#include "rules/load/load.h"

#include "rules/load/layout.h"
#include "rules/load/state_pool.h"
#include "rules/load/traps.h"

namespace sglint {

namespace {

// Each by itself: what one leaves open where a value is unknown, another may still judge.
void run(Resolution& r, std::initializer_list<void (*)(Resolution&)> parts) {
  for (void (*part)(Resolution&) : parts) {
    r.enter("load");
    part(r);
  }
}

}  // namespace

void load_stage(Resolution& r) {
  run(r, {devices, ports, context_parallel_load, loader});
  if (r.model_known())
    run(r, {quantization, model_layout, attention_kernels_load, linear_attention_load});
  run(r, {effective_choices, requests_of_ranks, memory_limits, traps});
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
