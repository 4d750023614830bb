// What SGLang chooses while it loads, beside the arguments: kept for the report as {"kernel",
// "because"} under the choice's name (report/effective.cpp shows them).

#include <algorithm>

#include "base/text.h"
#include "rules/attention.h"
#include "rules/load/layout.h"
#include "rules/load/load.h"

namespace sglint {
namespace {

constexpr ReleaseRange kSince0516{Release::v0_5_16, Release::v0_5_18};

constexpr Rule kBf16Hardware{
    .id = "gemm/bf16-cutedsl-needs-sm100",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "--bf16-gemm-backend cutedsl requires an SM10x GPU",
    .why = "ServerArgs takes the flag on any GPU; the worker stops when it sets its kernels up.",
    .source = "layers/quantization/unquant.py: initialize_bf16_gemm_config",
    .bad = {"--model-path Qwen/Qwen3-8B --bf16-gemm-backend cutedsl"},
    .good = {"--model-path Qwen/Qwen3-8B --bf16-gemm-backend auto"},
    .releases = kSince0516,
};

constexpr Rule kBf16Deterministic{
    .id = "gemm/bf16-cutedsl-is-not-deterministic",
    .stage = Stage::load,
    .exception = "ValueError",
    .message =
        "--bf16-gemm-backend cutedsl is batch-size dependent and cannot be combined with "
        "--enable-deterministic-inference",
    .why = "ServerArgs does not look; the worker stops when it sets its kernels up.",
    .source = "layers/quantization/unquant.py: initialize_bf16_gemm_config",
    .bad = {"--model-path Qwen/Qwen3-8B --bf16-gemm-backend cutedsl "
            "--enable-deterministic-inference",
            "b200"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-deterministic-inference", "b200"},
    .releases = kSince0516,
};

void choose(Resolution& r, std::string_view name, std::string_view kernel, std::string because) {
  r.set_attribute(name,
                  Value::dict({{"kernel", Value(kernel)}, {"because", Value(std::move(because))}}));
}

std::string named(std::string_view flag, bool typed) {
  return typed ? fill("{}, as typed", {flag}) : std::string("SGLang chooses by the GPU.");
}

// attention_registry.py and the model's layers.
void attention_layers(Resolution& r) {
  const ModelConfig& model = r.model();
  const Value& c = text_config(model);
  std::string kinds = model.use_mla() ? "latent (MLA)" : "full";
  if (!c["index_topk"].is_none()) kinds = "sparse latent (DSA)";
  if (model.is_hybrid_swa && !model.sliding_window_size.is_none())
    kinds += fill(" and sliding window of {}", {model.sliding_window_size});
  if (const int64_t recurrent = c["linear_layers"].as_int(); recurrent > 0)
    kinds += fill(", {} of {} layers recurrent", {recurrent, model.num_hidden_layers});
  choose(r, "attention.layers", kinds, "config.json");
  if (!r.get(f::speculative_algorithm)) return;
  const AttentionBackends used = attention_backends(r);
  // HybridAttnBackend._select_backend; with one backend it is the same for both modes.
  const bool decode = r.get(f::speculative_attention_mode) == "decode";
  choose(r, "attention.verify", (decode ? used.decode : used.prefill).value_or(""),
         fill("--speculative-attention-mode {}: drafts are verified like {}.",
              {r.get(f::speculative_attention_mode), decode ? "decode" : "prefill"}));
  if (const auto draft = r.get(f::speculative_draft_attention_backend))
    choose(r, "attention.draft", *draft, "--speculative-draft-attention-backend, as typed");
}

// layers/deep_gemm_wrapper/configurer.py: sgl-kernel's wheels bring the module.
bool deep_gemm(Resolution& r) {
  const int sm = device_sm(r.machine());
  return is_cuda(r.machine()) && sm >= 90 && sm != 120 &&
         r.env().flag("SGLANG_ENABLE_JIT_DEEPGEMM");
}

// layers/quantization/fp8_utils.py, fp4_utils.py, unquant.py
void gemm(Resolution& r) {
  const ModelConfig& model = r.model();
  const Machine& m = r.machine();
  const bool sm100 = is_sm100_supported(m);
  const std::string_view bf16 = r.get(f::bf16_gemm_backend);
  if (bf16 == "cutedsl" && r.get(f::enable_deterministic_inference))
    r.note(kBf16Deterministic, {}, {{{unset(f::bf16_gemm_backend)}, ""}},
           {f::bf16_gemm_backend.id});
  else if (bf16 == "cutedsl" && !sm100)
    r.note(kBf16Hardware, {}, {{{unset(f::bf16_gemm_backend)}, ""}}, {f::bf16_gemm_backend.id});
  if (model.quantization.empty() && model.dtype == "bfloat16") {
    std::string_view kernel = bf16;
    if (bf16 == "auto")
      kernel = sm100 && !r.get(f::enable_deterministic_inference) ? "cutedsl" : "torch (cuBLAS)";
    choose(r, "gemm.bf16", kernel, named("--bf16-gemm-backend", bf16 != "auto"));
  }
  const Value& blocks = model.hf_config["quantization_config"]["weight_block_size"];
  if (model.quantization == "fp8" && blocks.is_list()) {
    const std::string_view asked = r.get(f::fp8_gemm_runner_backend);
    std::string_view kernel = asked;
    if (asked == "auto")
      kernel = is_sm120_supported(m)                                     ? "cutlass"
               : deep_gemm(r)                                            ? "deep_gemm"
               : is_blackwell_supported(m) && is_flashinfer_available(m) ? "flashinfer_trtllm"
               : is_hip(m) && r.env().flag("SGLANG_USE_AITER")           ? "aiter"
                                                                         : "triton";
    choose(r, "gemm.fp8", kernel, named("--fp8-gemm-backend", asked != "auto"));
  }
  if (one_of(model.quantization, {"modelopt_fp4", "modelopt_mixed"})) {
    const std::string_view asked = r.get(f::fp4_gemm_runner_backend);
    std::string_view kernel = asked;
    if (asked == "auto")
      kernel = sm100                                              ? "flashinfer_cutedsl"
               : is_cuda(m) && m.sm_major >= 8 && m.sm_major < 10 ? "marlin"
                                                                  : "flashinfer_cutlass";
    choose(r, "gemm.fp4", kernel, named("--fp4-gemm-backend", asked != "auto"));
  }
}

// What --moe-runner-backend auto becomes where the experts' kernels are made.
void moe(Resolution& r) {
  if (r.get(f::moe_runner_backend) != "auto") return;
  const ModelConfig& model = r.model();
  const Machine& m = r.machine();
  const Value& c = text_config(model);
  if (c["num_experts"].as_int() + c["n_routed_experts"].as_int() +
          c["num_local_experts"].as_int() <=
      0)
    return choose(r, "moe.runner", "", "");
  const bool aiter = is_hip(m) && r.env().flag("SGLANG_USE_AITER");
  if (model.quantization == "fp8") {
    const bool deep =
        deep_gemm(r) && one_of(r.get(f::moe_a2a_backend), {"deepep", "mooncake", "nixl"});
    choose(r, "moe.runner",
           deep    ? "deep_gemm"
           : aiter ? "aiter"
                   : "triton",
           "--moe-runner-backend auto with FP8 experts");
  } else if (model.quantization == "modelopt_fp4" && is_cuda(m)) {
    choose(r, "moe.runner", m.sm_major < 10 ? "marlin" : "flashinfer_trtllm",
           "--moe-runner-backend auto with NVFP4 experts");
  } else if (model.quantization.empty() && is_cuda(m)) {
    choose(r, "moe.runner", "triton", "--moe-runner-backend auto with unquantized experts");
  }
}

// distributed/parallel_state.py: GroupCoordinator; device_communicators/custom_all_reduce.py
void all_reduce(Resolution& r) {
  const int64_t tp = r.get(f::tp_size), nodes = std::max<int64_t>(r.get(f::nnodes), 1);
  if (tp <= 1 || !is_cuda(r.machine())) return;
  const int64_t stages = std::max<int64_t>(r.get(f::pp_size), 1);
  std::string_view kernel = "custom all-reduce, NCCL for large tensors", because;
  if (r.get(f::enable_torch_symm_mem)) {
    kernel = "torch symmetric memory";
    because = "--enable-torch-symm-mem";
  } else if (r.get(f::enable_mscclpp)) {
    kernel = "MSCCL++";
    because = "--enable-mscclpp";
  } else if (r.get(f::disable_custom_all_reduce)) {
    kernel = "NCCL";
    because = "--disable-custom-all-reduce";
  } else if (nodes > stages && !is_mnnvl_fabric_device(r.machine())) {
    kernel = "NCCL";
    because = "A TP group over several nodes cannot share memory.";
  } else if (tp != 2 && tp != 4 && tp != 6 && tp != 8) {
    kernel = "NCCL";
    because = "The custom kernel is for 2, 4, 6 and 8 ranks.";
  } else {
    because = tp == 2 ? "Up to 8 MiB; two ranks need no NVLink."
                      : "Up to 8 MiB, if NVLink joins all ranks: else NCCL.";
  }
  choose(r, "all_reduce", kernel, std::string(because));
}

}  // namespace

void effective_choices(Resolution& r) {
  if (!r.since(Release::v0_5_16)) return;
  all_reduce(r);
  if (!r.model_known() || !r.model().known) return;
  attention_layers(r);
  gemm(r);
  moe(r);
}

RuleList effective_choices_rules() { return {&kBf16Hardware, &kBf16Deterministic}; }

}  // namespace sglint
