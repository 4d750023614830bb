#include "base/text.h"
#include "rules/attention.h"
#include "rules/cuda_graph.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kSpecMoeNeedsEp{
    .id = "models/deepseek-spec-moe-needs-ep",
    .exception = "ValueError",
    .message =
        "Invalid configuration: 'deep_gemm' speculative MoE runner backend with 'deepep' a2a "
        "backend requires expert parallelism (ep_size > 1). Current ep_size is {}. Please set "
        "--ep-size > 1 (e.g., --ep-size 8) to use this configuration, or change "
        "--speculative-moe-a2a-backend to 'none' if expert parallelism is not available.",
    .why =
        "SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE makes the draft layer of an FP4 checkpoint run on DeepEP, "
        "which needs experts spread over ranks.",
    .source = "arg_groups/overrides.py: _deepseek_spec_moe_resolution",
    // No example: it needs an environment variable and ROCm with an NVFP4 checkpoint.
};

bool is_longcat(std::string_view arch) { return starts_with(arch, "LongcatFlash"); }

// Kimi K2 Thinking and K2.5: compressed-tensors int4 in groups of 32.
bool is_kimi_int4(const Value& hf_config) {
  const Value& weights = hf_config["quantization_config"]["config_groups"]["group_0"]["weights"];
  return checkpoint_quant_method(hf_config).as_str() == "compressed-tensors" &&
         weights["num_bits"] == Value(4) && weights["group_size"] == Value(32) &&
         weights["strategy"].as_str() == "group" && weights["type"].as_str() == "int";
}

Value quantization_on_sm100(Resolution& r) {
  const Value given = r.view_value(f::quantization);
  if (!given.is_none() || r.attribute("quantization_explicitly_unset").truthy()) return given;
  const ModelConfig& model = r.model();
  const Value& method = checkpoint_quant_method(model.hf_config);
  if (method.is_none() && model.architecture() == "DeepseekV3ForCausalLM") {
    // has_fp8_weights_in_checkpoint looks into the weight files, which we have not.
    r.assume("The checkpoint's experts are not stored in FP8 (config.json names no quantization).");
    r.info(
        "No FP8 expert weights found in checkpoint, keeping bf16 for DeepSeek-arch model on sm100");
    return method;
  }
  r.declare(f::quantization, method, "What the checkpoint's config.json says.");
  return method;
}

// _deepseek_moe_quant_resolution
void choose_moe_runner(Resolution& r) {
  if (!is_sm100_supported(r.machine())) return;
  const ModelConfig& model = r.model();
  const std::string_view arch = model.architecture();
  const bool int4 = is_kimi_int4(model.hf_config);
  const Value quantization = quantization_on_sm100(r);
  const bool supported =
      quantization.is_none() || int4 ||
      one_of(quantization.as_str(), {"fp8", "modelopt_fp8", "modelopt_fp4", "modelopt_mixed"});
  // LongCat routes some tokens to no expert, which the fused routing of trtllm cannot see.
  const bool routing_fits = !r.since(Release::v0_5_17) || !is_longcat(arch);
  if (r.view(f::moe_a2a_backend) == "none" && r.view(f::moe_runner_backend) == "auto" &&
      routing_fits && supported) {
    r.declare(f::moe_runner_backend, "flashinfer_trtllm",
              "The fastest MoE runner for the DeepSeek family on SM100.");
    r.info(int4 ? "Use flashinfer_trtllm as MoE runner backend on Blackwell for Kimi K2 / K2.5 "
                  "thinking int4"
                : "Use flashinfer_trtllm as MoE runner backend on sm100 for DeepseekV3ForCausalLM");
  }
  if (is_longcat(arch) && r.view(f::fp8_gemm_runner_backend) == "auto" &&
      one_of(quantization.as_str(), {"fp8", "modelopt_fp8"}) &&
      model.hf_config["quantization_config"]["scale_fmt"].as_str() != "ue8m0") {
    r.declare(f::fp8_gemm_runner_backend, "flashinfer_trtllm",
              "LongCat's FP8 scales are not powers of two.");
    r.info(
        "Use flashinfer_trtllm as FP8 GEMM backend on Blackwell for LongCat FP8 checkpoint with "
        "non-ue8m0 scales");
  }
}

// _deepseek_spec_moe_resolution
void choose_draft_moe_runner(Resolution& r) {
  if (r.view(f::quantization) != "modelopt_fp4" || r.view(f::speculative_algorithm) != "EAGLE")
    return;
  if (r.view(f::speculative_moe_runner_backend) && r.view(f::speculative_moe_a2a_backend)) return;
  const bool fp8_draft = r.env().flag("SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE");
  if (fp8_draft) {
    r.info(
        "Use deep_gemm moe runner and deepep a2a backend for bf16 nextn layer in deepseek fp4 "
        "checkpoint.");
    if (r.view(f::ep_size) == 1) {
      r.reject(kSpecMoeNeedsEp, {r.view(f::ep_size)},
               {{{unset_env("SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE")}, "the draft layer runs on triton"}},
               {f::ep_size.id});
    }
  } else {
    r.info("Use triton fused moe by default for bf16 nextn layer in deepseek fp4 checkpoint.");
  }
  const char* because = "The draft layer of an FP4 checkpoint is not FP4 itself.";
  r.declare(f::speculative_moe_runner_backend, fp8_draft ? "deep_gemm" : "triton", because);
  r.declare(f::speculative_moe_a2a_backend, fp8_draft ? "deepep" : "none", because);
}

void declare_mla_context_parallelism(Resolution& r) {
  r.warn(
      "MLA prefill context parallel is still experimental. Verified on Hopper with the fa3 "
      "backend.");
  const char* because = "--enable-prefill-cp for MLA models fixes how the other layers are split.";
  const int64_t tp = r.get(f::tp_size), dp = r.get(f::dp_size);
  const int64_t cp = dp == 0 ? 0 : tp / dp;
  r.declare(f::enable_dp_attention, true, because);
  r.declare(f::moe_dense_tp_size, 1, because);
  r.declare(f::moe_a2a_backend, "deepep", because);
  r.declare(f::ep_size, tp, because);
  r.warn(
      "For MLA CP, we have the following restrictions: moe_dense_tp_size == 1, moe_a2a_backend == "
      "deepep, ep_size == tp_size, batch_size == 1");
  r.declare(f::attn_cp_size, cp, because);
  r.warn(
      "Enable Context Parallel opt for MLA, Setting dp_size == {} and attn_cp_size == {}, "
      "moe_dense_tp_size == 1, ep_size == {}, tp_size == {}, moe_a2a_backend deepep, "
      "cuda_graph_config[prefill].backend=disabled",
      {dp, cp, tp, tp});
}

}  // namespace

// _deepseek_family_overrides
void deepseek_family_overrides(Resolution& r) {
  if (is_deepseek_dsa(r.model().hf_config)) return deepseek_dsa_overrides(r);
  if (is_sm100_supported(r.machine()) && attention_backend_not_set(r)) {
    r.declare(f::attention_backend, "trtllm_mla", "The DeepSeek family's default on SM100.");
    r.info("Use trtllm_mla as attention backend on sm100 for DeepseekV3ForCausalLM");
  }
  if (r.get(f::enable_prefill_cp) && use_mla_backend(r)) declare_mla_context_parallelism(r);
}

// The branch of the family in _handle_model_specific_adjustments.
void deepseek_family_adjustments(Resolution& r) {
  const bool dsa = is_deepseek_dsa(r.model().hf_config);
  if (dsa) {
    deepseek_dsa_adjustments(r);
  } else {
    if (!graph_disabled(r, "prefill"))
      r.info("Piecewise CUDA graph is enabled, use MLA for prefill.");
    if (r.get(f::enable_prefill_cp) && use_mla_backend(r))
      set_graph_backend(r, "prefill", "disabled",
                        "Prefill context parallelism does not work in captured graphs.");
  }
  if (r.stopped()) return;
  choose_moe_runner(r);
  if (!is_hip(r.machine())) return;
  if (dsa && r.since(Release::v0_5_16)) r.env().put("SGLANG_OPT_USE_TOPK_V2", "False");
  if (!r.view(f::enable_dp_attention) && r.get(f::nnodes) == 1)
    r.info("Enable Aiter AllReduce Fusion for DeepseekV3ForCausalLM");
  choose_draft_moe_runner(r);
}

RuleList deepseek_family_rules() { return {&kSpecMoeNeedsEp}; }

}  // namespace sglint
