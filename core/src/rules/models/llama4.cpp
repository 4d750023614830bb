#include "base/text.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kAttentionBackend{
    .id = "models/llama4-attention-backend",
    .exception = "AssertionError",
    .message =
        "fa3, aiter, triton, ascend, trtllm_mha or intel_xpu is required for Llama4 model but got "
        "{}",
    .why =
        "Llama 4's chunked local attention is implemented in these backends only. The check looks "
        "at --attention-backend, not at the split prefill and decode flags.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad =
        {"--model-path meta-llama/Llama-4-Scout-17B-16E-Instruct --tp-size 8 --attention-backend "
         "flashinfer",
         "h100"},
    .good = {"--model-path meta-llama/Llama-4-Scout-17B-16E-Instruct --tp-size 8", "h100"},
};

}  // namespace

// _llama4_overrides
void llama4_overrides(Resolution& r) {
  if (r.get(f::device) == "cpu") return;
  const Machine& m = r.machine();
  const bool sm100 = is_sm100_supported(m);
  if (!r.get(f::attention_backend)) {
    const char *backend = "triton", *platform = "other platforms";
    if (sm100) {
      backend = "trtllm_mha", platform = "sm100";
    } else if (is_sm90_supported(m)) {
      backend = "fa3", platform = "sm90";
    } else if (is_hip(m)) {
      backend = "aiter", platform = "hip";
    } else if (r.get(f::device) == "xpu") {
      backend = "intel_xpu", platform = "xpu";
    }
    r.warn("Use {} as attention backend on {} for Llama4 model", {backend, platform});
    r.declare(f::attention_backend, backend,
              "The backend with Llama 4's local attention for this machine.");
  }
  if (sm100 && r.get(f::moe_runner_backend) == "auto" &&
      one_of(r.get(f::quantization).value_or(""), {"fp8", "modelopt_fp8"})) {
    r.declare(f::moe_runner_backend, "flashinfer_trtllm",
              "The fastest FP8 MoE runner for Llama 4 on SM100.");
    r.info("Use flashinfer_trtllm as MoE runner backend on SM100 for Llama4");
  }
}

void llama4_adjustments(Resolution& r) {
  if (r.get(f::device) == "cpu") return;
  const auto got = r.view(f::attention_backend);
  if (got && one_of(*got, {"fa3", "aiter", "triton", "ascend", "trtllm_mha", "intel_xpu"})) return;
  r.reject(kAttentionBackend, {got},
           {{{unset(f::attention_backend)}, "SGLang's default backend for Llama 4"}},
           {f::attention_backend.id});
}

RuleList llama4_rules() { return {&kAttentionBackend}; }

}  // namespace sglint
