#include "rules/attention.h"
#include "rules/models/families.h"

namespace sglint {

// _step3p_overrides: Step-3.5, Step-3.7
void step3p_overrides(Resolution& r) {
  if (attention_backend_not_set(r)) {
    if (is_blackwell_supported(r.machine())) {
      r.info("Auto-select fa4 attention backend for Step3p7 on Blackwell.");
      r.declare(f::attention_backend, "fa4", "Step-3.5 and 3.7 run on fa4 on Blackwell.");
    } else if (is_sm90_supported(r.machine())) {
      r.info("Auto-select fa3 attention backend for Step3p7 on Hopper.");
      r.declare(f::attention_backend, "fa3", "Step-3.5 and 3.7 run on fa3 on Hopper.");
    }
  }
  if (r.get(f::speculative_algorithm) == "EAGLE") {
    r.info("Enable multi-layer EAGLE speculative decoding for Step3p5ForCausalLM model.");
    r.declare(f::enable_multi_layer_eagle, true, "The model's draft has several layers.");
  }
  if (r.get(f::enable_hierarchical_cache)) {
    r.warn(
        "Reset swa_full_tokens_ratio to 1.0 for Step3p5ForCausalLM model with hierarchical cache");
    r.declare(f::swa_full_tokens_ratio, 1.0,
              "Hierarchical cache and separate sliding window pools do not mix here.");
    r.warn("Disable hybrid SWA memory for Step3p5ForCausalLM model with hierarchical cache");
    r.declare(f::disable_hybrid_swa_memory, true,
              "Hierarchical cache needs one pool for all layers of this model.");
  }
}

}  // namespace sglint
