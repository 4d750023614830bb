#include "base/text.h"
#include "rules/attention.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kGemma4AttentionBackend{
    .id = "models/gemma4-attention-backend",
    .exception = "AssertionError",
    .message =
        "Gemma4 only supports trtllm_mha, triton, ascend, intel_xpu, or intel_amx attention "
        "backend, got prefill={}, decode={}",
    .why =
        "Gemma 4 mixes head sizes and attention forms that only these backends implement. With one "
        "of the split flags given, the other side gets a fitting default by itself.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path google/gemma-4-26B-A4B --attention-backend fa3", "h100"},
    .good = {"--model-path google/gemma-4-26B-A4B --attention-backend triton", "h100"},
};

}  // namespace

// _gemma2_gemma3_overrides
void gemma2_gemma3_overrides(Resolution& r) {
  r.warn("Disable hybrid SWA memory for {} as it is not yet supported.",
         {r.model().architecture()});
  r.declare(f::disable_hybrid_swa_memory, true,
            "Separate pools for sliding window layers do not work with this model.");
}

// _gemma4_overrides
void gemma4_overrides(Resolution& r) {
  const bool sm100 = is_sm100_supported(r.machine());
  const char* backend = sm100 ? "trtllm_mha" : "triton";
  if (attention_backend_not_set(r)) {
    r.info("Use {} as default attention backend for Gemma4", {backend});
    r.declare(f::attention_backend, backend, "The default for Gemma 4 on this machine.");
  } else if (!r.get(f::attention_backend)) {
    r.declare(f::attention_backend, backend,
              "The side that no split flag names gets a backend that Gemma 4 supports.");
  }
  if (sm100 && r.get(f::moe_runner_backend) == "auto" && r.model().quantization == "modelopt_fp4") {
    r.declare(f::quantization, "modelopt_fp4",
              "The checkpoint says that it is quantized this way.");
    r.declare(f::moe_runner_backend, "flashinfer_trtllm",
              "The fastest MoE runner for Gemma 4's NVFP4 on SM100.");
    r.info("Use flashinfer_trtllm as MoE runner backend on SM100 for Gemma-4 (modelopt_fp4)");
  }
}

void gemma4_adjustments(Resolution& r) {
  const AttentionBackends got = resolved_attention_backends(r);
  const bool since18 = r.since(Release::v0_5_18);
  const auto accepted = [&](std::optional<std::string_view> backend) {
    return backend && (one_of(*backend, {"trtllm_mha", "triton", "ascend", "intel_xpu"}) ||
                       (since18 && *backend == "intel_amx"));
  };
  if (accepted(got.prefill) && accepted(got.decode)) return;
  std::string message = fill(kGemma4AttentionBackend.message, {got.prefill, got.decode});
  if (!since18) {
    message = fill(
        "Gemma4 only supports trtllm_mha, triton, or intel_xpu attention backend, got prefill={}, "
        "decode={}",
        {got.prefill, got.decode});
  }
  Fix drop{{}, "SGLang's default backend for Gemma 4"};
  if (r.typed(f::attention_backend) && !accepted(r.get(f::attention_backend)))
    drop.edits.push_back(unset(f::attention_backend));
  if (r.typed(f::prefill_attention_backend) && !accepted(got.prefill))
    drop.edits.push_back(unset(f::prefill_attention_backend));
  if (r.typed(f::decode_attention_backend) && !accepted(got.decode))
    drop.edits.push_back(unset(f::decode_attention_backend));
  r.reject_with(kGemma4AttentionBackend, std::move(message), {drop});
}

RuleList gemma_rules() { return {&kGemma4AttentionBackend}; }

}  // namespace sglint
