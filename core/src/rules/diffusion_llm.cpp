// ServerArgs._handle_dllm_inference.
#include "base/arithmetic.h"
#include "rules/cuda_graph.h"
#include "rules/model_config.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kUnknownModel{
    .id = "diffusion-llm/unknown-model",
    .exception = "RuntimeError",
    .message = "Unknown diffusion LLM: {}",
    .why =
        "--dllm-algorithm decodes whole blocks by diffusion, which only LLaDA2 and SDAR models are "
        "trained for.",
    .source = "dllm/config.py: DllmConfig.from_server_args",
    .bad = {"--model-path Qwen/Qwen3-8B --dllm-algorithm LowConfidence"},
    .good = {"--model-path inclusionAI/LLaDA2.0-mini --trust-remote-code --dllm-algorithm "
             "LowConfidence"},
};

const char* const kDiffusion = "Block diffusion cannot run with it.";

// _dllm_attention_backend.
void choose_attention_backend(Resolution& r) {
  const std::string_view backend = r.view(f::attention_backend).value_or("");
  if (is_hip(r.machine())) {
    if (one_of(backend, {"triton", "aiter"})) return;
    r.warn("Attention backend is set to triton for diffusion LLM inference on AMD GPUs");
    r.declare(f::attention_backend, "triton",
              "Block diffusion runs on triton or aiter on AMD GPUs.");
  } else if (is_npu(r.machine())) {
    if (backend == "ascend") return;
    r.warn(
        "Attention backend is overridden to 'ascend' when running on NPU for diffusion LLM "
        "inference.");
    r.declare(f::attention_backend, "ascend",
              "Block diffusion runs on the Ascend backend on NPUs.");
  } else if (!graph_disabled(r, "decode") && backend != "flashinfer") {
    r.warn(
        "Attention backend is set to flashinfer because of enabling cuda graph in diffusion LLM "
        "inference");
    r.declare(f::attention_backend, "flashinfer",
              "Block diffusion in a CUDA graph exists for flashinfer only.");
  }
}

// DllmConfig.from_server_args: tokens that are decoded together; nullopt after a rejection.
std::optional<int64_t> block_size(Resolution& r) {
  const std::string_view architecture = r.model().architecture();
  ModelConfig again;
  build_model_config(r, again, true);
  if (r.stopped()) return std::nullopt;
  int64_t size = 0;
  if (architecture == "LLaDA2MoeModelLM") size = 32;
  if (one_of(architecture, {"SDARForCausalLM", "SDARMoeForCausalLM"})) size = 4;
  if (!r.model().known) {
    r.assume("The model is one of block diffusion, with 32 tokens a block.");
    size = 32;
  }
  if (size == 0) {
    r.reject(kUnknownModel, {architecture},
             {{{unset(f::dllm_algorithm)}, "decodes token by token"}}, {f::model_path.id});
    return std::nullopt;
  }
  if (r.get(f::dllm_algorithm_config))
    r.assume("The file of --dllm-algorithm-config leaves the model's block size as it is.");
  return size;
}

// _dllm_page_size.
void choose_page_size(Resolution& r) {
  const std::optional<int64_t> block = block_size(r);
  if (!block) return;
  const int64_t page = r.view(f::page_size).value_or(1);
  const char* why = "A page holds one diffusion block, so that blocks can be shared and replaced.";
  if (!r.view(f::disable_radix_cache) && floor_mod(page, *block) != 0) {
    r.warn("Setting page size to {} for diffusion LLM inference", {*block});
    r.declare(f::page_size, *block, why);
  } else if (page > *block) {
    r.warn(
        "WARNING: The page size {} should not be larger than dllm block size {}.Page size now "
        "falls back to {}",
        {page, *block, *block});
    r.declare(f::page_size, *block, why);
  }
}

void turn_off(Resolution& r, Key<bool> flag, const char* warning) {
  if (!r.get(flag)) return;
  r.warn(warning);
  r.set(flag, false, kDiffusion);
}

}  // namespace

void dllm_inference(Resolution& r) {
  if (!r.get(f::dllm_algorithm)) return;
  if (is_hip(r.machine()) && !(graph_disabled(r, "decode") && graph_disabled(r, "prefill"))) {
    r.warn("Cuda graph is disabled for diffusion LLM inference on AMD GPUs");
    set_graph_backend(r, "decode", "disabled", kDiffusion);
    set_graph_backend(r, "prefill", "disabled", kDiffusion);
  }
  choose_attention_backend(r);
  if (!r.view(f::disable_overlap_schedule)) {
    r.warn("Overlap schedule is disabled because of using diffusion LLM inference");
    r.declare(f::disable_overlap_schedule, true, kDiffusion);
  }
  choose_page_size(r);
  if (r.stopped()) return;
  if (!r.get(f::disable_radix_cache)) {
    turn_off(r, f::enable_hierarchical_cache,
             "Hierarchical cache is disabled because of using diffusion LLM inference");
    turn_off(r, f::enable_lmcache, "LMCache is disabled because of using diffusion LLM inference");
    if (r.since(Release::v0_5_16))
      turn_off(r, f::enable_flexkv, "FlexKV is disabled because of using diffusion LLM inference");
  }
  if (r.get(f::pp_size) > 1) {
    r.warn("Pipeline parallelism is disabled because of using diffusion LLM inference");
    r.set(f::pp_size, 1, kDiffusion);
  }
  if (r.get(f::enable_lora).value_or(false)) {
    r.warn("Currently LoRA is not supported by diffusion LLM inference.");
    r.set(f::enable_lora, false, kDiffusion);
  }
  if (r.get(f::disaggregation_mode) != "null") {
    r.warn("Currently disaggregation is not supported by diffusion LLM inference.");
    r.set(f::disaggregation_mode, "null", kDiffusion);
  }
  turn_off(r, f::enable_mixed_chunk,
           "Mixed chunked prefill is disabled because of using diffusion LLM inference.");
}

RuleList diffusion_llm_rules() { return {&kUnknownModel}; }

}  // namespace sglint
