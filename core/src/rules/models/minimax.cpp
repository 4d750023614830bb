#include "base/text.h"
#include "rules/attention.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

// What the provider has come to so far, beside the fields that it does not change.
struct M3 {
  Value quantization, attention_backend, page_size, moe_runner_backend;
};

void declare_attention(Resolution& r, M3& m, const char* backend, const char* because) {
  m.attention_backend = backend;
  r.declare(f::attention_backend, backend, because);
}

void declare_page_of_128(Resolution& r, M3& m) {
  m.page_size = 128;
  r.declare(f::page_size, 128, "MiniMax-M3's sparse attention selects blocks of 128 tokens.");
}

void declare_runner(Resolution& r, M3& m, const char* runner, const char* because) {
  m.moe_runner_backend = runner;
  r.declare(f::moe_runner_backend, runner, because);
}

void on_hip(Resolution& r, M3& m) {
  if (attention_backend_not_set(r))
    declare_attention(r, m, "triton", "MiniMax-M3's attention on ROCm.");
  if (m.moe_runner_backend.as_str() == "auto" && m.quantization.as_str() == "mxfp8")
    declare_runner(r, m, "triton", "The MoE runner for MXFP8 on ROCm.");
  if (!r.env().is_set("USE_ROCM_AITER_ROPE_BACKEND"))
    r.env().put("USE_ROCM_AITER_ROPE_BACKEND", "0");
  bool aiter_fusion = r.get(f::enable_aiter_allreduce_fusion);
  if (r.get(f::ep_size) > 1 && r.get(f::moe_a2a_backend) == "none" && aiter_fusion) {
    r.warn(
        "Disable --enable-aiter-allreduce-fusion for MiniMax-M3 standard EP on ROCm because the "
        "deferred fused all-reduce corrupts sparse MoE partial outputs.");
    r.declare(
        f::enable_aiter_allreduce_fusion, false,
        "With expert parallelism the fused all-reduce corrupts this model's partial outputs.");
    aiter_fusion = false;
  }
  const bool allow_custom = r.since(Release::v0_5_17) && r.env().flag("SGLANG_M3_ALLOW_CUSTOM_AR");
  if (!aiter_fusion && !allow_custom)
    r.declare(f::disable_custom_all_reduce, true,
              "MiniMax-M3 on ROCm keeps to NCCL when aiter's fusion is off.");
}

void on_sm100(Resolution& r, M3& m) {
  const bool since17 = r.since(Release::v0_5_17);
  if (attention_backend_not_set(r)) {
    if (since17 && r.get(f::kv_cache_dtype) == "fp8_e4m3" &&
        !r.env().flag("SGLANG_DISABLE_M3_FP8_ATTN_GEMM")) {
      declare_attention(r, m, "trtllm_mha",
                        "With an fp8_e4m3 KV cache only trtllm_mha runs the dense layers in FP8.");
    } else {
      declare_attention(r, m, "fa4", "MiniMax-M3's default attention on SM100.");
    }
  }
  const std::string_view backend = m.attention_backend.as_str();
  if (m.page_size.is_none() && (backend == "fa4" || (since17 && backend == "trtllm_mha")))
    declare_page_of_128(r, m);
  if (m.moe_runner_backend.as_str() == "auto" && m.quantization.as_str() == "mxfp8") {
    declare_runner(r, m, "deep_gemm", "The MoE runner for MXFP8 on SM100.");
  } else if (since17 && m.moe_runner_backend.as_str() == "auto" &&
             m.quantization.as_str() == "modelopt_mixed") {
    declare_runner(r, m, "flashinfer_trtllm_routed",
                   "The MoE runner for mixed precision checkpoints on SM100.");
  }
  r.info("MiniMax-M3 on SM100: attention_backend={}, page_size={}, moe_runner_backend={}.",
         {m.attention_backend, m.page_size, m.moe_runner_backend});
}

void on_sm90(Resolution& r, M3& m) {
  if (attention_backend_not_set(r))
    declare_attention(r, m, "fa3", "MiniMax-M3's default attention on Hopper.");
  if (m.page_size.is_none() && m.attention_backend.as_str() == "fa3") declare_page_of_128(r, m);
  r.info(
      "MiniMax-M3 on Hopper: attention_backend={}, page_size={} (MSA is SM100-only; sparse "
      "attention runs on the Triton path).",
      {m.attention_backend, m.page_size});
}

void report_fp8_attention(Resolution& r, const M3& m) {
  const std::string_view kv = r.get(f::kv_cache_dtype);
  if (kv == "fp8_e5m2") {
    r.warn(
        "MiniMax-M3 with kv_cache_dtype fp8_e5m2: fp8 attention GEMMs stay DISABLED (fmha_sm100's "
        "variant lookup would silently dispatch the e4m3 kernel for e5m2); sparse attention runs "
        "on the widening Triton path. Use --kv-cache-dtype fp8_e4m3 for fp8 attention GEMMs.");
  } else if (kv == "fp8_e4m3" && m.attention_backend.as_str() == "trtllm_mha" &&
             is_sm100_supported(r.machine())) {
    if (r.env().flag("SGLANG_DISABLE_M3_FP8_ATTN_GEMM")) {
      r.info(
          "MiniMax-M3 fp8 attention GEMMs DISABLED by SGLANG_DISABLE_M3_FP8_ATTN_GEMM: bf16 "
          "indexer + widening Triton sparse path, bf16 q; dense layers keep trtllm_mha's fp8 KV "
          "cache.");
    } else {
      r.info(
          "MiniMax-M3 fp8 attention GEMMs active (kv_cache_dtype fp8_e4m3 + trtllm_mha on SM100): "
          "fp8 main/index KV, fp8-cast q, fp8 sparse/MSA kernels. Set "
          "SGLANG_DISABLE_M3_FP8_ATTN_GEMM=1 to force the pre-fp8 numerics.");
    }
  }
}

}  // namespace

// _minimax_m2_overrides
void minimax_m2_overrides(Resolution& r) {
  r.declare(f::enable_tf32_matmul, true,
            "Makes the expert gate's matrix product faster on this model.");
  r.info("Enable TF32 matmul for MiniMaxM2ForCausalLM model to improve gate gemm performance.");
  if (r.since(Release::v0_5_18) && is_sm100_supported(r.machine()) &&
      r.get(f::moe_runner_backend) == "auto" && r.model().quantization == "modelopt_fp4") {
    r.declare(f::moe_runner_backend, "flashinfer_trtllm_routed",
              "The MoE runner for this model's NVFP4 on SM100.");
    r.info(
        "Use flashinfer_trtllm_routed as MoE runner backend on SM10X for MiniMaxM2ForCausalLM with "
        "modelopt_fp4.");
  }
}

// _minimax_m3_overrides
void minimax_m3_overrides(Resolution& r) {
  M3 m{adopt_checkpoint_quantization(r), r.value(f::attention_backend), r.value(f::page_size),
       r.value(f::moe_runner_backend)};
  if (is_hip(r.machine())) {
    on_hip(r, m);
  } else if (is_sm100_supported(r.machine())) {
    on_sm100(r, m);
  } else if (is_sm90_supported(r.machine())) {
    on_sm90(r, m);
  }
  if (r.since(Release::v0_5_17)) report_fp8_attention(r, m);

  const std::string_view runner = m.moe_runner_backend.as_str();
  if (!m.quantization.is_none() || !one_of(runner, {"auto", "deep_gemm"})) return;
  if (runner == "deep_gemm") {
    r.warn(
        "MiniMax-M3: the deep_gemm MoE runner produces corrupted output on bf16 full weights; "
        "overriding --moe-runner-backend to 'triton'.");
  }
  r.declare(f::moe_runner_backend, "triton", "The MoE runner for unquantized MiniMax-M3 weights.");
}

}  // namespace sglint
