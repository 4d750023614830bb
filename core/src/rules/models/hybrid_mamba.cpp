#include "base/text.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kLfm2NotTriton{
    .id = "models/lfm2-not-triton-attention",
    .exception = "AssertionError",
    .message =
        "{} does not support triton attention backend, as the first layer might not be an "
        "attention layer",
    .why =
        "The triton backend takes sizes from layer 0's KV cache; LFM2 starts with convolution "
        "layers, which have none.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path LiquidAI/LFM2-1.2B --attention-backend triton", "h100"},
    .good = {"--model-path LiquidAI/LFM2-1.2B", "h100"},
};

void on_sm100(Resolution& r, const char* backend, const char* because) {
  if (is_sm100_supported(r.machine()) && !r.get(f::attention_backend))
    r.declare(f::attention_backend, backend, because);
}

}  // namespace

// _minicpm_v4_6_overrides, _falcon_h1_jet_overrides
void triton_on_sm100_overrides(Resolution& r) {
  on_sm100(r, "triton",
           "Hybrid models of this family run on triton on SM100; trtllm_mha could not use a page "
           "size of 1.");
}

// _granite_moe_hybrid_overrides
void granite_moe_hybrid_overrides(Resolution& r) {
  for (const Value& layer : r.model().hf_config["layer_types"].as_list()) {
    if (layer.as_str() != "mamba") continue;
    on_sm100(r, "flashinfer", "Granite with Mamba layers runs on flashinfer on SM100.");
    return;
  }
}

// _lfm2_overrides
void lfm2_overrides(Resolution& r) {
  on_sm100(r, "flashinfer", "LFM2 runs on flashinfer on SM100: its first layer has no KV cache.");
}

void lfm2_adjustments(Resolution& r) {
  if (r.view(f::attention_backend) != "triton") return;
  r.reject(kLfm2NotTriton, {r.model().architecture()},
           {{{unset(f::attention_backend)}, "SGLang's default attention backend"}},
           {f::attention_backend.id});
}

RuleList hybrid_mamba_rules() { return {&kLfm2NotTriton}; }

}  // namespace sglint
