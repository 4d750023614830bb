// Deterministic inference: ServerArgs._handle_deterministic_inference.

#include "base/text.h"
#include "rules/attention_passes.h"
#include "rules/cuda_graph.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kHandler = "server_args.py: ServerArgs._handle_deterministic_inference";

constexpr Rule kUnsupportedBackend{
    .id = "deterministic/attention-backend",
    .exception = "ValueError",
    .message =
        "Currently only {} attention backends are supported for deterministic inference, but you "
        "explicitly specified '{}'.",
    .why =
        "The other backends sum in an order that depends on the batch. \"You explicitly "
        "specified\" can be untrue: a model or platform that picks its own attention backend ends "
        "here as well. Only --attention-backend is judged, not its prefill and decode variants.",
    .source = "arg_groups/overrides.py: _deterministic_attention_backend",
    .bad = {"--model-path Qwen/Qwen3-8B --enable-deterministic-inference --attention-backend "
            "trtllm_mha",
            "b200"},
    .good =
        {"--model-path Qwen/Qwen3-8B --enable-deterministic-inference --attention-backend triton",
         "b200"},
};

constexpr Rule kAbsorbedMlaBackend{
    .id = "deterministic/mla-attention-backend",
    .exception = "ValueError",
    .message =
        "Currently only {} attention backends are supported for deterministic inference with "
        "absorbed-MLA models. But you're using {}.",
    .why =
        "FlashInfer is accepted for deterministic inference with other models, but its MLA kernels "
        "are not deterministic.",
    .source = kHandler,
    .bad = {"--model-path zai-org/GLM-4.7-Flash --enable-deterministic-inference "
            "--attention-backend flashinfer"},
    .good = {"--model-path zai-org/GLM-4.7-Flash --enable-deterministic-inference "
             "--attention-backend triton"},
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

constexpr Rule kDeepSeekBackend{
    .id = "deterministic/deepseek-attention-backend",
    .exception = "ValueError",
    .message =
        "Currently only {} attention backends are supported for deterministic inference with "
        "DeepSeek models. But you're using {}.",
    .why =
        "FlashInfer is accepted for deterministic inference with other models, but its MLA kernels "
        "are not deterministic.",
    .source = kHandler,
    .bad = {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --enable-deterministic-inference "
            "--attention-backend flashinfer",
            "h200", "0.5.17"},
    .good = {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --enable-deterministic-inference "
             "--attention-backend triton",
             "h200", "0.5.17"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_17},
};

constexpr Rule kFa4NeedsSm100{
    .id = "deterministic/mla-fa4-needs-sm100",
    .exception = "ValueError",
    .message =
        "Deterministic inference with {} models on the fa4 attention backend requires SM100/SM110: "
        "it runs absorbed MLA, whose qv argument flash_attn.cute only implements on those archs.",
    .why =
        "FlashAttention 4 computes absorbed MLA on data-centre Blackwell only. fa3 does on Hopper.",
    .source = kHandler,
    .bad = {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --enable-deterministic-inference "
            "--attention-backend fa4",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --enable-deterministic-inference "
             "--attention-backend fa3",
             "h200"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

// DETERMINISTIC_ATTENTION_BACKEND_CHOICES and RADIX_SUPPORTED_DETERMINISTIC_ATTENTION_BACKEND, as
// Python prints them.
struct Backends {
  std::string_view deterministic, with_radix_cache;
};
Backends backends_of(const Resolution& r) {
  if (r.since(Release::v0_5_16))
    return {"['ascend', 'fa3', 'fa4', 'flashinfer', 'triton']",
            "['ascend', 'fa3', 'fa4', 'triton']"};
  return {"['flashinfer', 'fa3', 'triton', 'ascend']", "['fa3', 'triton', 'ascend']"};
}
bool listed(std::string_view list, std::string_view backend) {
  return contains(list, repr(backend));
}

bool absorbed_mla_model(Resolution& r) {
  if (model_from_instance(r)) return false;
  const std::string_view architecture = r.model().architecture();
  return one_of(architecture, {"DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM",
                               "DeepseekV32ForCausalLM", "MistralLarge3ForCausalLM",
                               "PixtralForConditionalGeneration", "GlmMoeDsaForCausalLM"}) ||
         (r.since(Release::v0_5_18) && architecture == "Glm4MoeLiteForCausalLM");
}

constexpr std::string_view kNotDeterministic = "results may differ from run to run";

// _deterministic_attention_backend
void attention_backend(Resolution& r, bool absorbed_mla) {
  const std::string_view choices = backends_of(r).deterministic;
  if (r.view_value(f::attention_backend).is_none()) {
    const bool blackwell = is_sm100_supported(r.machine()) || is_sm120_supported(r.machine());
    const std::string_view backend = !blackwell ? "fa3" : absorbed_mla ? "triton" : "flashinfer";
    r.warn(
        "Attention backend not specified. Falling back to '{}' for deterministic inference. You "
        "can explicitly set --attention-backend to one of {}.",
        {backend, choices});
    r.declare(f::attention_backend, backend,
              "The default for deterministic inference: fa3, but on Blackwell flashinfer (triton "
              "for absorbed MLA).");
  } else if (!listed(choices, r.view(f::attention_backend).value_or(""))) {
    r.reject(kUnsupportedBackend, {choices, r.view_value(f::attention_backend)},
             {{without_attention_backend(r, r.view(f::attention_backend).value_or(""), "triton"),
               "attention runs on the default of deterministic inference"},
              {{unset(f::enable_deterministic_inference)}, kNotDeterministic}},
             {f::attention_backend.id});
  }
}

void absorbed_mla_guards(Resolution& r, std::string_view backend) {
  const Fix triton{{set(f::attention_backend, "triton")}, "Triton's MLA is slower"};
  const Fix off{{unset(f::enable_deterministic_inference)}, kNotDeterministic};
  const bool family = r.since(Release::v0_5_18);
  // Before 0.5.17 this guard had a list of its own.
  const std::string_view accepted = r.since(Release::v0_5_17) || !r.since(Release::v0_5_16)
                                        ? backends_of(r).with_radix_cache
                                        : "['fa3', 'triton']";
  const std::string_view tested = r.since(Release::v0_5_17) ? accepted : "['fa3', 'triton']";
  if (!listed(tested, backend))
    return r.reject(family ? kAbsorbedMlaBackend : kDeepSeekBackend, {accepted, backend},
                    {triton, off}, {f::enable_deterministic_inference.id});
  const Machine& m = r.machine();
  const bool sm100_or_sm110 = is_blackwell_supported(m) && (m.sm_major == 10 || m.sm_major == 11);
  if (r.since(Release::v0_5_17) && backend == "fa4" && !sm100_or_sm110)
    r.reject(
        kFa4NeedsSm100, {family ? "absorbed-MLA" : "DeepSeek"},
        {{{set(f::attention_backend, is_hopper_with_cuda_12_3(m) ? "fa3" : "triton")}, ""}, off},
        {f::enable_deterministic_inference.id});
}

// Sums across GPUs in one order, whatever the batch.
void all_reduce(Resolution& r) {
  if (is_hip(r.machine())) {
    r.info("AMD/ROCm: Using 1-stage all-reduce kernel (deterministic)");
    return;
  }
  r.env().put("NCCL_ALGO", "allreduce:tree");
  r.set(f::disable_custom_all_reduce, true,
        "Deterministic inference sums across GPUs with NCCL's tree only.");
  if (!r.since(Release::v0_5_18)) {
    r.warn(
        "NCCL_ALGO is set to 'allreduce:tree' and custom all reduce is disabled for deterministic "
        "inference when TP size > 1.");
    return;
  }
  r.set(f::enable_torch_symm_mem, false,
        "Which symmetric-memory sum runs would depend on the number of tokens.");
  const std::string channels = str(r.env().get("SGLANG_DETERMINISTIC_NCCL_NCHANNELS"));
  r.env().put("NCCL_MIN_NCHANNELS", channels);
  r.env().put("NCCL_MAX_NCHANNELS", channels);
  r.warn(
      "NCCL_ALGO is set to 'allreduce:tree', the NCCL channel count is pinned, and custom and "
      "symmetric-memory all reduce are disabled for deterministic inference when TP size > 1.");
}

}  // namespace

void deterministic_inference(Resolution& r) {
  if (!r.value(f::rl_on_policy_target).is_none()) {
    r.warn("Enable deterministic inference because of rl_on_policy_target.");
    r.set(f::enable_deterministic_inference, true,
          "--rl-on-policy-target needs results that can be repeated.");
    r.env().put("SGLANG_VLM_CACHE_SIZE_MB", "0");
    r.env().put("SGLANG_ENABLE_DETERMINISTIC_INFERENCE", "True");
  }
  if (!r.get(f::enable_deterministic_inference)) return;

  constexpr const char* kFusionOff =
      "Fused all-reduces sum in an order of their own; inference is to be deterministic.";
  if (r.get(f::enable_aiter_allreduce_fusion)) {
    r.warn("Disable --enable-aiter-allreduce-fusion because deterministic inference is enabled.");
    r.set(f::enable_aiter_allreduce_fusion, false, kFusionOff);
  }
  if (!r.view_value(f::flashinfer_allreduce_fusion_backend).is_none()) {
    r.warn(
        "Disable --flashinfer-allreduce-fusion-backend because deterministic inference is "
        "enabled.");
    r.declare(f::flashinfer_allreduce_fusion_backend, Value(), kFusionOff);
  }
  if (r.view(f::sampling_backend) != "ascend") {
    r.warn("Sampling backend is set to pytorch for deterministic inference.");
    r.declare(f::sampling_backend, "pytorch", "Only PyTorch's sampling can be repeated exactly.");
  }
  const bool absorbed_mla = absorbed_mla_model(r);
  attention_backend(r, absorbed_mla);
  const std::string_view backend = r.view(f::attention_backend).value_or("");
  if (absorbed_mla) absorbed_mla_guards(r, backend);
  if (!listed(backends_of(r).with_radix_cache, backend)) {
    r.set(f::disable_radix_cache, true,
          fill("{} is deterministic without a prefix cache only.", {backend}));
    r.warn(
        "Currently radix cache is not compatible with {} attention backend for deterministic "
        "inference. It will be supported in the future.",
        {backend});
  }
  if (r.get(f::tp_size) > 1) all_reduce(r);
}

RuleList deterministic_rules() {
  return {&kUnsupportedBackend, &kAbsorbedMlaBackend, &kDeepSeekBackend, &kFa4NeedsSm100};
}

}  // namespace sglint
