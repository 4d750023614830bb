// The attention backend and what follows from it:
// ServerArgs._handle_attention_backend_compatibility. Its passes stand in attention_default.cpp,
// attention_pages.cpp and attention_mla.cpp.

#include "base/text.h"
#include "rules/attention.h"
#include "rules/attention_passes.h"
#include "rules/cuda_graph.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kHandler =
    "server_args.py: ServerArgs._handle_attention_backend_compatibility";

constexpr Rule kFlexAttentionWithoutSpeculation{
    .id = "attention/flex-attention-has-no-speculation",
    .exception = "AssertionError",
    .message = "Speculative decoding is currently not supported with Flex Attention backend",
    .why = "PyTorch's Flex Attention has no path that verifies draft tokens.",
    .source = kHandler,
    .bad = {"--model-path meta-llama/Llama-3.1-8B-Instruct --attention-backend flex_attention "
            "--speculative-algorithm NGRAM"},
    .good = {"--model-path meta-llama/Llama-3.1-8B-Instruct --attention-backend flex_attention"},
};

constexpr Rule kTrtllmMhaPrefillNeedsSm100{
    .id = "attention/trtllm-mha-prefill-needs-sm100",
    .exception = "ValueError",
    .message =
        "TRTLLM MHA backend for prefill is only supported on Blackwell GPUs (SM100). Please use a "
        "different prefill backend.",
    .why =
        "TRT-LLM's prefill kernels exist for data-centre Blackwell (B200, B300, GB200) only: SM120 "
        "cards (RTX 5090, RTX PRO 6000) are Blackwell too, but are refused. For decode they are "
        "accepted, with --decode-attention-backend.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --attention-backend trtllm_mha"},
    .good = {"--model-path Qwen/Qwen3-8B --decode-attention-backend trtllm_mha"},
};

constexpr Rule kTrtllmMhaDecodeNeedsSm90{
    .id = "attention/trtllm-mha-decode-needs-sm90",
    .exception = "ValueError",
    .message =
        "TRTLLM MHA backend for decode is only supported on Hopper (SM90), Blackwell (SM100) and "
        "(SM120) GPUs. Please use a different decode backend.",
    .why = "TRT-LLM's decode kernels exist for Hopper and Blackwell only.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --decode-attention-backend trtllm_mha", "a100"},
    .good = {"--model-path Qwen/Qwen3-8B --decode-attention-backend flashinfer", "a100"},
};

constexpr Rule kIntelXpuMlaPrefill{
    .id = "attention/intel-xpu-mla-is-decode-only",
    .exception = "ValueError",
    .message =
        "intel_xpu backend is only supported on decode for MLA models, please set "
        "--decode-attention-backend to intel_xpu and do not set --attention-backend or "
        "--prefill-attention-backend to intel_xpu for prefill instead use triton.",
    .why =
        "The Intel kernels have no MLA prefill. On an Intel GPU SGLang itself picks intel_xpu for "
        "everything where no backend is named, so that the message also comes without any flag.",
    .source = kHandler,
    .bad = {"--model-path deepseek-ai/DeepSeek-R1 --attention-backend intel_xpu", "xpu"},
    .good = {"--model-path deepseek-ai/DeepSeek-R1 --attention-backend triton "
             "--decode-attention-backend intel_xpu",
             "xpu"},
};

constexpr Rule kDualChunkNeedsItsBackend{
    .id = "attention/dual-chunk-needs-its-backend",
    .exception = "ValueError",
    .message =
        "Dual chunk attention is enabled, but attention backend is set to {}. Please set it to "
        "'dual_chunk_flash_attn'.",
    .why =
        "The model's config.json has dual_chunk_attention_config, which only dual_chunk_flash_attn "
        "computes. The backend named in the message need not have been typed: SGLang fills in its "
        "default for the GPU before this check, so such a model is refused without any attention "
        "flag.",
    .source = "arg_groups/overrides.py: _attention_backend_dual_chunk",
    // The catalogue has no model with dual chunk attention to show it with.
};

void disable_cuda_graphs(Resolution& r, const char* because) {
  set_graph_backend(r, "decode", "disabled", because);
  set_graph_backend(r, "prefill", "disabled", because);
}

// Backends that CUDA graphs cannot capture.
void graphless_backends(Resolution& r) {
  const auto backend = r.view(f::attention_backend);
  if (backend == "torch_native") {
    r.warn("Cuda graph is disabled because of using torch native attention backend");
    disable_cuda_graphs(r, "PyTorch's native attention cannot run in a CUDA graph.");
  }
  if (backend == "flex_attention") {
    r.warn("Cuda graph is disabled because of using torch Flex Attention backend");
    disable_cuda_graphs(r, "PyTorch's Flex Attention cannot run in a CUDA graph.");
    if (!r.value(f::speculative_algorithm).is_none())
      r.reject(kFlexAttentionWithoutSpeculation, {},
               {{without_attention_backend(r, "flex_attention", "triton"),
                 "attention runs on SGLang's default"},
                {{unset(f::speculative_algorithm)}, "one token a step"}},
               {f::attention_backend.id, f::speculative_algorithm.id});
  }
}

bool has_architecture(const ModelConfig& model, std::string_view name) {
  for (const std::string& a : model.architectures)
    if (a == name) return true;
  return false;
}

void trtllm_mha_needs_its_gpu(Resolution& r) {
  const AttentionBackends backends = resolved_attention_backends(r);
  const Machine& m = r.machine();
  const Fix drop{without_attention_backend(r, "trtllm_mha", "flashinfer"),
                 "attention runs on the backend that SGLang picks for this GPU"};
  const bool decodes_here = is_sm90_supported(m) || is_sm100_supported(m) || is_sm120_supported(m);
  if (backends.prefill == "trtllm_mha" && !is_sm100_supported(m)) {
    std::vector<Fix> fixes{drop};
    if (decodes_here && r.typed(f::attention_backend) && backends.decode == "trtllm_mha")
      fixes.push_back(
          {{unset(f::attention_backend), set(f::decode_attention_backend, "trtllm_mha")},
           "TRT-LLM for decode alone"});
    return r.reject(kTrtllmMhaPrefillNeedsSm100, {}, std::move(fixes));
  }
  if (backends.decode == "trtllm_mha" && !decodes_here)
    r.reject(kTrtllmMhaDecodeNeedsSm90, {}, {drop});
}

// _attention_backend_fa3_fp8_fallback
void fa3_fp8_fallback(Resolution& r) {
  if (r.view(f::attention_backend) != "fa3" || r.view(f::kv_cache_dtype) != "fp8_e5m2") return;
  r.warn(
      "FlashAttention3 only supports fp8_e4m3 if using FP8; Setting attention backend to triton.");
  r.declare(f::attention_backend, "triton",
            "FlashAttention 3 has no kernel for an fp8_e5m2 KV cache.");
}

// _attention_backend_platform_fallbacks
void platform_fallbacks(Resolution& r) {
  if (r.view(f::attention_backend) == "intel_amx" && r.view(f::device) == "cpu" &&
      !cpu_has_amx_support(r.machine())) {
    r.warn(
        "The current platform does not support Intel AMX, will fallback to torch_native backend.");
    r.declare(f::attention_backend, "torch_native", "This CPU has no AMX.");
    return;
  }
  // SGLang asks the device whether it has 64-bit floats to tell Intel GPUs with XMX from those
  // without.
  if (r.view(f::attention_backend) == "intel_xpu" && r.view(f::device) == "xpu" &&
      !is_xpu(r.machine())) {
    r.warn("The current platform does not support Intel XMX, will fallback to triton backend.");
    r.declare(f::attention_backend, "triton", "No Intel GPU with XMX is there.");
  }
}

// _attention_backend_dual_chunk
void dual_chunk(Resolution& r) {
  if (r.model().hf_config["dual_chunk_attention_config"].is_none()) return;
  if (r.view_value(f::attention_backend).is_none()) {
    r.info("Dual chunk attention is turned on by default.");
    r.declare(f::attention_backend, "dual_chunk_flash_attn",
              "The model's config.json asks for dual chunk attention.");
  } else if (r.view(f::attention_backend) != "dual_chunk_flash_attn") {
    r.reject(kDualChunkNeedsItsBackend, {r.view_value(f::attention_backend)},
             {{{set(f::attention_backend, "dual_chunk_flash_attn")},
               "no prefix cache and no mixed chunks"}});
  }
}

}  // namespace

void attention_backend_compatibility(Resolution& r) {
  const ModelConfig& model = r.model();
  if (r.stopped()) return;
  attention_backend_default(r);
  graphless_backends(r);
  if (model.is_encoder_decoder && !r.get(f::disable_radix_cache) &&
      has_architecture(model, "WhisperForConditionalGeneration")) {
    r.info("Radix cache is disabled for Whisper");
    r.set(f::disable_radix_cache, true,
          "Whisper pads its encoder tokens, which a prefix cache cannot share.");
  }
  mla_backend_page_constraints(r);
  mla_kv_cache_dtype_checks(r);
  cutedsl_prefill_backend_fill(r);
  trtllm_mha_needs_its_gpu(r);
  fa3_fp8_fallback(r);
  fa4_page_constraint(r);
  if (r.view(f::attention_backend) == "aiter" && model.context_len > 8192)
    r.set(f::mem_fraction_static, r.get(f::mem_fraction_static).value_or(0) * 0.85,
          "AITER needs more working memory for contexts above 8192 tokens.");
  platform_fallbacks(r);
  if (use_mla_backend(r) && resolved_attention_backends(r).prefill == "intel_xpu") {
    return r.reject(kIntelXpuMlaPrefill, {},
                    {{{set(f::attention_backend, "triton"), unset(f::prefill_attention_backend),
                       set(f::decode_attention_backend, "intel_xpu")},
                      "prefill runs on Triton"}});
  }
  intel_xpu_page_constraint(r);
  dual_chunk(r);
  if (r.view(f::attention_backend) == "dual_chunk_flash_attn") {
    r.warn(
        "Mixed chunk and radix cache are disabled when using dual-chunk flash attention backend");
    r.set(f::enable_mixed_chunk, false, "Dual chunk attention does not mix prefill and decode.");
    r.set(f::disable_radix_cache, true, "Dual chunk attention works without a prefix cache only.");
  }
}

RuleList attention_backend_rules() {
  RuleList rules{&kFlexAttentionWithoutSpeculation, &kTrtllmMhaPrefillNeedsSm100,
                 &kTrtllmMhaDecodeNeedsSm90, &kIntelXpuMlaPrefill, &kDualChunkNeedsItsBackend};
  for (const Rule* rule : attention_mla_rules()) rules.push_back(rule);
  for (const Rule* rule : attention_default_rules()) rules.push_back(rule);
  return rules;
}

}  // namespace sglint
