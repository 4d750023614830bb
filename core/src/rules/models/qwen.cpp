#include "base/text.h"
#include "rules/mamba_radix_cache.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

// ServerArgs._get_default_attn_backend on SM100: whether plain models would get trtllm_mha.
bool trtllm_mha_would_be_default(Resolution& r) {
  const ModelConfig& model = r.model();
  if (model.use_mla()) return false;
  const auto topk = r.view(f::speculative_eagle_topk);
  const auto page = r.view(f::page_size);
  const bool topk_one = !topk || (*topk == 1 && page.value_or(1) == 1);
  if (!topk_one) return false;
  if (r.get(f::speculative_algorithm) && !r.get(f::speculative_eagle_topk)) return false;
  return !(r.since(Release::v0_5_17) && model.has_asymmetric_kv);
}

}  // namespace

// _qwen3_5_hybrid_overrides: Qwen3-Next, Qwen3.5, Intern-S2
void qwen3_5_hybrid_overrides(Resolution& r) {
  if (!is_sm100_supported(r.machine()) || r.get(f::attention_backend)) return;
  // `auto` has not been resolved yet here, so it counts as no extra buffer.
  const bool page_size_one_needed = !mamba_extra_buffer_of(r) && !r.get(f::disable_radix_cache) &&
                                    !r.get(f::speculative_algorithm);
  if (trtllm_mha_would_be_default(r) && !page_size_one_needed) {
    r.declare(f::attention_backend, "trtllm_mha",
              "The fastest attention backend on SM100, and nothing here needs a page size of 1.");
    replace(r, f::page_size, 64,
            "trtllm_mha works on pages; SGLang sets 64 with it, also over --page-size.");
    return;
  }
  r.declare(
      f::attention_backend, "triton",
      page_size_one_needed
          ? "Hybrid models on SM100 get triton unless extra_buffer was asked for by name, the "
            "radix cache is off, or speculative decoding is on: the strategy `auto` is not "
            "resolved yet at this point and counts as no_buffer, which needs a page size of 1."
          : "trtllm_mha is not possible with these speculative decoding settings or this model.");
  replace(r, f::page_size, 1,
          "Set together with the triton backend on SM100, also over --page-size.");
}

// _qwen3_moe_family_overrides
void qwen3_moe_family_overrides(Resolution& r) {
  if (!is_sm100_supported(r.machine())) return;
  const Value quantization = adopt_checkpoint_quantization(r);
  if (!quantization.is_none() && !one_of(quantization.as_str(), {"fp8", "modelopt_fp4"})) return;
  if (r.get(f::moe_a2a_backend) != "none" || r.get(f::moe_runner_backend) != "auto") return;
  r.declare(f::moe_runner_backend, "flashinfer_trtllm",
            "The fastest MoE runner for this family on SM100.");
  r.info("Use flashinfer_trtllm as MoE runner backend on sm100 for {}", {r.model().architecture()});
}

// _qwen3vl_overrides
void qwen3vl_overrides(Resolution& r) {
  if (!is_hip(r.machine()) || !r.env().flag("SGLANG_USE_AITER_UNIFIED_ATTN") || r.get(f::page_size))
    return;
  r.info("Setting page_size=16 for aiter unified attention on Qwen3VLForConditionalGeneration.");
  r.declare(f::page_size, 16, "aiter's unified attention works on pages of 16 tokens.");
}

}  // namespace sglint
