#include <cstdlib>

#include "base/text.h"
#include "rules/attention.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kAttentionBackend{
    .id = "models/gpt-oss-attention-backend",
    .exception = "AssertionError",
    .message =
        "GptOssForCausalLM requires one of ['triton', 'trtllm_mha', 'fa3', 'fa4', 'ascend', "
        "'intel_amx', 'intel_xpu', 'aiter'] attention backend, but got the following backends\n- "
        "Prefill: {}\n- Decode: {}\n",
    .why =
        "GPT-OSS needs attention sinks together with a sliding window; only these backends have "
        "both. When one of the split flags is given alone, nothing has been chosen for the other "
        "side yet, and SGLang prints None for it: name both sides or use --attention-backend.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path openai/gpt-oss-20b --attention-backend flashinfer", "h100"},
    .good = {"--model-path openai/gpt-oss-20b --attention-backend fa3", "h100"},
};

constexpr Rule kTritonKernelEp{
    .id = "models/gpt-oss-triton-kernel-needs-ep-1",
    .exception = "AssertionError",
    .message = "Triton kernel MoE is only supported when ep_size == 1",
    .why = "The triton_kernel MoE runner cannot spread experts over ranks.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path openai/gpt-oss-20b --tp-size 2 --ep-size 2 --moe-runner-backend "
            "triton_kernel",
            "h100"},
    .good = {"--model-path openai/gpt-oss-20b --tp-size 2 --moe-runner-backend triton_kernel",
             "h100"},
};

constexpr Rule kXpuDtype{
    .id = "models/gpt-oss-xpu-dtype",
    .exception = "NotImplementedError",
    .message =
        "GptOssForCausalLM on Intel XPU only supports bfloat16 dtype, but got '{}'. Please use "
        "--dtype bfloat16 or remove --dtype to use auto.",
    .why = "The XPU kernels for this model exist in bfloat16 only.",
    .source = "arg_groups/overrides.py: _gpt_oss_overrides",
    // No example: the published checkpoints are MXFP4, which is refused on XPU before this.
};

bool uses_mlx(const Resolution& r) { return is_mps(r.machine()) && r.env().flag("SGLANG_USE_MLX"); }

bool is_mxfp4(Resolution& r) {
  return checkpoint_quant_method(r.model().hf_config).as_str() == "mxfp4";
}

void choose_attention(Resolution& r) {
  if (!attention_backend_not_set(r)) return;
  const Machine& m = r.machine();
  const char* backend = "triton";
  if (is_sm100_supported(m)) {
    backend = "trtllm_mha";
  } else if (is_sm90_supported(m)) {
    backend = "fa3";
  } else if (is_cpu(r) && cpu_has_amx_support(m)) {
    backend = "intel_amx";
  } else if (is_xpu(m)) {
    backend = "intel_xpu";
  } else if (is_hip(m)) {
    backend = "aiter";
  } else if (r.since(Release::v0_5_18) && uses_mlx(r)) {
    return;
  }
  r.declare(f::attention_backend, backend,
            "The backend with attention sinks and sliding windows for this machine.");
}

void choose_moe_runner(Resolution& r, bool mxfp4) {
  if (r.get(f::moe_runner_backend) != "auto") return;
  const Machine& m = r.machine();
  const bool aiter = is_hip(m) && r.env().flag("SGLANG_USE_AITER");
  if (is_sm100_supported(m) && mxfp4) {
    r.declare(f::moe_runner_backend, "flashinfer_mxfp4", "The MXFP4 kernel for SM100.");
    r.warn(
        "Detected SM100 and MXFP4 quantization format for GPT-OSS model, enabling FlashInfer MXFP4 "
        "MOE kernel.");
  } else if (is_sm120_supported(m) && mxfp4) {
    if (r.since(Release::v0_5_17)) {
      r.declare(f::moe_runner_backend, "flashinfer_mxfp4", "The MXFP4 kernel for SM120.");
      r.warn(
          "Detected SM120 and MXFP4 quantization format for GPT-OSS model, enabling FlashInfer "
          "CUTLASS MXFP4 MOE kernel.");
    } else {
      r.declare(f::moe_runner_backend, "marlin", "The MXFP4 kernel for SM120 in this release.");
      r.warn(
          "Detected SM120 and MXFP4 quantization format for GPT-OSS model, enabling Marlin MOE "
          "kernel.");
    }
  } else if (aiter && mxfp4) {
    r.declare(f::moe_runner_backend, "auto",
              "aiter's MXFP4 kernel is what `auto` means on ROCm with SGLANG_USE_AITER.");
    r.warn(
        "Detected ROCm and MXFP4 quantization format for GPT-OSS model, enabling aiter MXFP4 MOE "
        "kernel.");
  } else if (aiter) {
    r.declare(f::moe_runner_backend, "triton",
              "aiter's kernel lacks some matrix sizes of the bfloat16 model.");
    r.warn("Detected ROCm with SGLANG_USE_AITER for GPT-OSS bf16 model, using triton MOE kernel.");
  } else if (is_musa(m) && r.env().flag("SGLANG_DEEPEP_BF16_DISPATCH")) {
    r.declare(f::moe_runner_backend, "deep_gemm", "SGLANG_DEEPEP_BF16_DISPATCH asks for it.");
    r.warn(
        "Detected MUSA with SGLANG_DEEPEP_BF16_DISPATCH for bf16 model, using deep_gemm kernel.");
  } else if (r.get(f::ep_size) == 1 && is_triton_kernels_available(m) && !r.get(f::quantization) &&
             !(is_cpu(r) && cpu_has_amx_support(m))) {
    if (is_blackwell_supported(m) && atoi(m.driver.c_str()) >= 595) {
      r.declare(f::moe_runner_backend, "triton",
                "triton_kernels crashes on Blackwell with drivers from 595 on.");
      r.warn(
          "Detected GPT-OSS model on Blackwell with driver >= 595, using triton MOE kernel to "
          "avoid triton_kernels SIGSEGV.");
    } else {
      r.declare(f::moe_runner_backend, "triton_kernel",
                "The package triton_kernels is installed and fits this model.");
      r.warn("Detected GPT-OSS model, enabling triton_kernels MOE kernel.");
    }
  }
}

}  // namespace

// _gpt_oss_overrides
void gpt_oss_overrides(Resolution& r) {
  choose_attention(r);
  if (is_xpu(r.machine())) {
    const std::string_view dtype = r.get(f::dtype);
    if (dtype == "auto") {
      r.warn("GptOssForCausalLM on Intel XPU currently supports bfloat16 dtype only");
    } else if (dtype != "bfloat16") {
      r.reject(kXpuDtype, {dtype}, {{{unset(f::dtype)}, ""}}, {f::dtype.id});
    }
  }
  const bool mxfp4 = is_mxfp4(r);
  if (mxfp4) replace(r, f::dtype, "bfloat16", "The MXFP4 kernels compute in bfloat16.");
  choose_moe_runner(r, mxfp4);
}

void gpt_oss_adjustments(Resolution& r) {
  if (!(r.since(Release::v0_5_18) && uses_mlx(r))) {
    const auto supported = [](std::optional<std::string_view> backend) {
      return backend && one_of(*backend, {"triton", "trtllm_mha", "fa3", "fa4", "ascend",
                                          "intel_amx", "intel_xpu", "aiter"});
    };
    const AttentionBackends got = resolved_attention_backends(r);
    if (!supported(got.prefill) || !supported(got.decode)) {
      Fix drop{{}, "SGLang's default backend for GPT-OSS"};
      for (const auto& key :
           {f::attention_backend, f::prefill_attention_backend, f::decode_attention_backend}) {
        if (r.typed(key) && !supported(r.get(key))) drop.edits.push_back(unset(key));
      }
      std::vector<Fix> fixes;
      if (!drop.edits.empty()) fixes.push_back(std::move(drop));
      Fix all{{}, "SGLang's default backend for GPT-OSS on both sides"};
      for (const auto& key :
           {f::attention_backend, f::prefill_attention_backend, f::decode_attention_backend})
        if (r.typed(key)) all.edits.push_back(unset(key));
      fixes.push_back(std::move(all));
      r.reject(kAttentionBackend, {got.prefill, got.decode}, std::move(fixes));
    }
  }
  if (!r.view(f::enable_dp_attention) && r.get(f::nnodes) == 1 && is_hip(r.machine()))
    r.info("Enable Aiter AllReduce Fusion for GptOssForCausalLM");
  if (r.view(f::moe_runner_backend) == "triton_kernel" && r.view(f::ep_size) != 1) {
    std::vector<Fix> fixes;
    if (r.typed(f::moe_runner_backend))
      fixes.push_back({{unset(f::moe_runner_backend)}, "another MoE runner"});
    fixes.push_back({{unset(f::ep_size)}, "experts split by tensor parallelism"});
    r.reject(kTritonKernelEp, {}, std::move(fixes), {f::moe_runner_backend.id, f::ep_size.id});
  }
}

RuleList gpt_oss_rules() { return {&kAttentionBackend, &kTritonKernelEp, &kXpuDtype}; }

}  // namespace sglint
