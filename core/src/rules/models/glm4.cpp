#include "base/text.h"
#include "rules/models/families.h"

namespace sglint {

// _glm4_moe_overrides
void glm4_moe_overrides(Resolution& r) {
  if (is_sm100_supported(r.machine())) {
    const Value quantization = adopt_checkpoint_quantization(r);
    if ((quantization.is_none() || quantization.as_str() == "modelopt_fp4") &&
        r.get(f::moe_a2a_backend) == "none" && r.get(f::moe_runner_backend) == "auto") {
      r.declare(f::moe_runner_backend, "flashinfer_trtllm",
                "The fastest MoE runner for GLM-4 on SM100.");
      r.info("Use flashinfer_trtllm as MoE runner backend on sm100 for Glm4MoeForCausalLM");
    }
  }
  r.info("Enable TF32 matmul for Glm4MoeForCausalLM model to improve gate gemm performance.");
  r.declare(f::enable_tf32_matmul, true,
            "Makes the expert gate's matrix product faster on this model.");
}

}  // namespace sglint
