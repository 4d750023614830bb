#include "rules/registry.h"

#include "arguments/rules.h"
#include "read/read_rules.h"
#include "rules/deployment.h"
#include "rules/environment_notes.h"
#include "rules/ib_devices.h"
#include "rules/linear_attention.h"
#include "rules/load/load.h"
#include "rules/steps.h"
#include "rules/suppression.h"

namespace sglint {

const RuleList& all_rules() {
  static const RuleList kAll = [] {
    RuleList all;
    for (RuleList (*list)() : {
             read_rules,
             arguments_rules,
             attention_backend_rules,
             cache_compatibility_rules,
             check_parallelism_rules,
             check_scheduling_rules,
             check_server_args_rules,
             check_serving_rules,
             context_parallelism_rules,
             cuda_graph_rules,
             data_parallelism_rules,
             deployment_rules,
             deployment_router_rules,
             deprecated_args_rules,
             deterministic_rules,
             diffusion_llm_rules,
             dwdp_rules,
             elastic_ep_rules,
             elastic_ep_scale_rules,
             encoder_disaggregation_rules,
             environment_notes_rules,
             environment_rules,
             eplb_rules,
             gpu_memory_rules,
             hicache_rules,
             ib_devices_rules,
             kv_cache_dtype_rules,
             linear_attention_rules,
             load_format_rules,
             load_rules,
             lora_rules,
             mamba_cache_rules,
             mamba_radix_cache_rules,
             memory_layout_rules,
             model_adjustments_rules,
             model_config_rules,
             model_source_rules,
             moe_all_to_all_rules,
             moe_rules,
             multi_item_scoring_rules,
             multimodal_rules,
             other_validations_rules,
             page_size_rules,
             pd_disaggregation_rules,
             pipeline_parallelism_rules,
             platform_backends_rules,
             prefill_only_rules,
             replayssm_rules,
             replayssm_spec_rules,
             gdn_replayssm_spec_rules,
             serving_rules,
             sgl_marlin_rules,
             speculative_rules,
             speculative_adaptive_rules,
             speculative_dflash_rules,
             speculative_dspark_rules,
             speculative_eagle_rules,
             speculative_ngram_rules,
             suppression_rules,
             token_buckets_rules,
         }) {
      const RuleList rules = list();
      all.insert(all.end(), rules.begin(), rules.end());
    }
    return all;
  }();
  return kAll;
}

const Rule* find_rule(std::string_view id) {
  for (const Rule* rule : all_rules())
    if (rule->id == id) return rule;
  return nullptr;
}

}  // namespace sglint
