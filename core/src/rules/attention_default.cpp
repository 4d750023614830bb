// The sampling and attention backends that SGLang picks where the user named none:
// ServerArgs._handle_sampling_backend, ServerArgs._get_default_attn_backend.

#include <algorithm>

#include "base/arithmetic.h"
#include "base/text.h"
#include "rules/attention.h"
#include "rules/attention_passes.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kNoTensorParallelism{
    .id = "attention/tensor-parallel-size-zero",
    .exception = "ZeroDivisionError",
    .message = "integer division or modulo by zero",
    .why = "The attention heads of a GPU are counted: those of the model by --tp-size.",
    .source = "configs/model_config.py: ModelConfig.get_num_kv_heads",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --trust-remote-code --tp-size 0", "mi300x"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --trust-remote-code --tp-size 8", "mi300x"}};

struct Choice {
  std::string_view backend;
  const char* because;
};

// is_no_spec_infer_or_topk_one(resolved_view(self)): no tree of drafts, which needs pages of one
// token.
bool no_speculation_or_topk_one(const Resolution& r) {
  const auto topk = r.view(f::speculative_eagle_topk);
  return !topk || (*topk == 1 && r.view(f::page_size).value_or(1) == 1);
}

Choice default_mha(Resolution& r, const ModelConfig& model) {
  const Machine& m = r.machine();
  const bool simple_drafts = no_speculation_or_topk_one(r);
  if (is_hopper_with_cuda_12_3(m) && simple_drafts)
    return {"fa3", "FlashAttention 3 is SGLang's fastest attention on Hopper."};
  if (is_sm100_supported(m) && simple_drafts &&
      (r.value(f::speculative_algorithm).is_none() ||
       !r.value(f::speculative_eagle_topk).is_none())) {
    if (r.since(Release::v0_5_17) && model.has_asymmetric_kv)
      return {
          "fa4",
          "On SM100; TRT-LLM's kernels need keys and values of one width, which this model lacks."};
    return {"trtllm_mha", "TRT-LLM's kernels are SGLang's fastest attention on SM100."};
  }
  if (is_hip(m)) return {"aiter", "AITER is SGLang's attention on AMD GPUs."};
  if (is_mps(m)) return {"torch_native", "Apple GPUs have PyTorch's attention only."};
  if (!is_flashinfer_available(m))
    return {"triton", "FlashInfer is not available here, Triton is."};
  if (model.has_attention_sinks)
    return {"triton", "The model has attention sinks, which FlashInfer lacks."};
  return {"flashinfer",
          "FlashInfer is the default where no faster backend fits this GPU and speculation."};
}

Choice default_mla(Resolution& r, const ModelConfig& model) {
  const Machine& m = r.machine();
  if (is_hopper_with_cuda_12_3(m))
    return {"fa3", "FlashAttention 3 is SGLang's fastest MLA on Hopper."};
  if (is_sm100_supported(m)) return {"flashinfer", "FlashInfer is the default for MLA on SM100."};
  if (is_hip(m)) {
    if (r.get(f::tp_size) == 0) {
      r.reject(kNoTensorParallelism, {}, {{{unset(f::tp_size)}, "one GPU"}});
      return {};
    }
    const int64_t heads =
        std::max<int64_t>(1, floor_div(model.num_key_value_heads, r.get(f::tp_size)));
    if (heads == 128 || heads == 16)
      return {"aiter", "AITER has MLA kernels for 16 and 128 heads a GPU."};
    return {"triton", "AITER has MLA kernels for 16 and 128 heads a GPU only."};
  }
  if (is_mps(m)) return {"torch_native", "Apple GPUs have PyTorch's attention only."};
  return {"triton", "Triton is the only default for MLA on this GPU."};
}

Choice default_attention_backend(Resolution& r) {
  const bool mla = use_mla_backend(r);
  const ModelConfig& model = r.model();
  for (const std::string& architecture : model.architectures) {
    if (architecture == "WhisperForConditionalGeneration")
      return {"flashinfer", "Whisper's cross attention needs FlashInfer for CUDA graphs."};
  }
  return mla ? default_mla(r, model) : default_mha(r, model);
}

}  // namespace

RuleList attention_default_rules() { return {&kNoTensorParallelism}; }

void sampling_backend(Resolution& r) {
  if (!r.view_value(f::sampling_backend).is_none()) return;
  if (is_flashinfer_available(r.machine()))
    r.declare(f::sampling_backend, "flashinfer", "FlashInfer is available.");
  else
    r.declare(f::sampling_backend, "pytorch", "FlashInfer is not available here.");
}

void attention_backend_default(Resolution& r) {
  const auto prefill = r.view(f::prefill_attention_backend);
  if (prefill && prefill == r.view(f::decode_attention_backend)) {
    r.declare(f::attention_backend, r.view_value(f::prefill_attention_backend),
              "Prefill and decode name the same backend.");
    return;
  }
  if (!r.view_value(f::attention_backend).is_none()) return;
  const Choice choice = default_attention_backend(r);
  r.info("Attention backend not specified. Use {} backend by default.", {choice.backend});
  r.declare(f::attention_backend, choice.backend, choice.because);
}

}  // namespace sglint
