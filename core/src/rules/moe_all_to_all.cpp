// ServerArgs._handle_a2a_moe and ServerArgs._validate_cutedsl_a2a_token_budget: how tokens travel
// to the experts of other GPUs.
#include <algorithm>

#include "base/arithmetic.h"
#include "rules/cuda_graph.h"
#include "rules/moe.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "server_args.py: ServerArgs._handle_a2a_moe";
constexpr ReleaseRange kWithPplx{Release::v0_5_17, Release::v0_5_18};

constexpr Rule kCutedslDeepepNormal{
    .id = "moe-all-to-all/cutedsl-needs-low-latency-deepep",
    .exception = "ValueError",
    .message =
        "flashinfer_cutedsl FP4 MoE only supports DeepEP low_latency dispatch (masked layout). "
        "DeepEP normal (prefill) dispatch has no CuteDSL FP4 handler. Pass --deepep-mode "
        "low_latency or auto.",
    .why =
        "DeepEP's normal mode lays tokens out densely per expert, which the CuteDSL FP4 kernels "
        "cannot read.",
    .source = kSource,
    .bad = {"--model-path nvidia/Qwen3-235B-A22B-NVFP4 --quantization modelopt_fp4 --tp-size 4 "
            "--moe-runner-backend flashinfer_cutedsl --moe-a2a-backend deepep --deepep-mode normal",
            "b200"},
    .good = {"--model-path nvidia/Qwen3-235B-A22B-NVFP4 --quantization modelopt_fp4 --tp-size 4 "
             "--moe-runner-backend flashinfer_cutedsl --moe-a2a-backend deepep",
             "b200"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kFlashinferNeedsPureDp{
    .id = "moe-all-to-all/flashinfer-needs-pure-dp-attention",
    .exception = "AssertionError",
    .message =
        "Flashinfer MoE A2A is only supported with dp_size == tp_size and --enable-dp-attention",
    .why = "The dispatcher expects every GPU to hold tokens of its own.",
    .source = kSource,
    .bad = {"--model-path nvidia/Qwen3-235B-A22B-NVFP4 --quantization modelopt_fp4 --tp-size 4 "
            "--moe-a2a-backend flashinfer --moe-runner-backend flashinfer_cutlass",
            "b200"},
    .good =
        {"--model-path nvidia/Qwen3-235B-A22B-NVFP4 --tp-size 4 --dp-size 4 --enable-dp-attention "
         "--moe-a2a-backend flashinfer --moe-runner-backend flashinfer_cutlass",
         "b200"},
};

constexpr Rule kFlashinferRunner{
    .id = "moe-all-to-all/flashinfer-runner",
    .exception = "AssertionError",
    .message =
        "Flashinfer MoE A2A is only supported with flashinfer_cutlass, flashinfer_cutedsl or "
        "flashinfer_trtllm_routed moe runner backend",
    .why = "Only these runners read the layout that the FlashInfer dispatcher delivers.",
    .source = kSource,
    .bad =
        {"--model-path nvidia/Qwen3-235B-A22B-NVFP4 --tp-size 4 --dp-size 4 --enable-dp-attention "
         "--moe-a2a-backend flashinfer --moe-runner-backend triton",
         "b200"},
    .good =
        {"--model-path nvidia/Qwen3-235B-A22B-NVFP4 --tp-size 4 --dp-size 4 --enable-dp-attention "
         "--moe-a2a-backend flashinfer --moe-runner-backend flashinfer_cutlass",
         "b200"},
};

constexpr Rule kMoriTokens{
    .id = "moe-all-to-all/mori-buffer-too-small",
    .exception = "AssertionError",
    .message =
        "SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK (default 4096) must be >= the per-rank MoRI "
        "dispatch tokens (chunked_prefill_size by default)",
    .why =
        "A prefill chunk larger than MoRI's buffer would overrun it. Note that "
        "--enable-dp-attention divides the chunk by --dp-size first.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --moe-a2a-backend mori", "mi300x"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --moe-a2a-backend mori "
             "--chunked-prefill-size 4096",
             "mi300x"},
};

constexpr Rule kPplxNormal{
    .id = "moe-all-to-all/pplx-is-low-latency-only",
    .exception = "ValueError",
    .message =
        "moe_a2a_backend='pplx' only supports low-latency mode; set --deepep-mode to 'low_latency' "
        "or 'auto'.",
    .why = "The pplx kernels have no counterpart of DeepEP's normal mode.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 8 --enable-dp-attention "
            "--moe-a2a-backend pplx --chunked-prefill-size 1024 --deepep-mode normal"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 8 --enable-dp-attention "
             "--moe-a2a-backend pplx --chunked-prefill-size 1024"},
    .releases = kWithPplx,
};

constexpr Rule kPplxNeedsDp{
    .id = "moe-all-to-all/pplx-needs-dp-attention",
    .exception = "AssertionError",
    .message =
        "moe_a2a_backend='pplx' requires --enable-dp-attention with at least 2 DP groups "
        "(--dp-size >= 2).",
    .why =
        "The pplx kernels refuse a single group of tokens; SGLang says so here instead of deep in "
        "the kernel.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --moe-a2a-backend pplx"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 8 --enable-dp-attention "
             "--moe-a2a-backend pplx --chunked-prefill-size 1024"},
    .releases = kWithPplx,
};

constexpr Rule kPplxRunner{
    .id = "moe-all-to-all/pplx-runner",
    .exception = "AssertionError",
    .message =
        "moe_a2a_backend='pplx' is only supported with --moe-runner-backend deep_gemm (or auto).",
    .why = "pplx delivers tokens in the masked layout, which only DeepGEMM's experts read.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 8 --enable-dp-attention "
            "--moe-a2a-backend pplx --chunked-prefill-size 1024 --moe-runner-backend triton"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 8 --enable-dp-attention "
             "--moe-a2a-backend pplx --chunked-prefill-size 1024"},
    .releases = kWithPplx,
};

constexpr Rule kPplxTokens{
    .id = "moe-all-to-all/pplx-buffer-too-small",
    .exception = "AssertionError",
    .message =
        "SGLANG_PPLX_NUM_MAX_DISPATCH_TOKENS_PER_RANK (default 128) must be >= the per-rank pplx "
        "dispatch tokens (chunked_prefill_size, or the decode cuda-graph batch size)",
    .why =
        "A prefill chunk (after its division by --dp-size) or decode batch larger than pplx's "
        "buffer would overrun it. The default buffer of 128 tokens fits no default chunk.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 8 --enable-dp-attention "
            "--moe-a2a-backend pplx"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 8 --enable-dp-attention "
             "--moe-a2a-backend pplx --chunked-prefill-size 1024"},
    .releases = kWithPplx,
};

constexpr Rule kCutedslBudget{
    .id = "moe-all-to-all/cutedsl-token-budget",
    .exception = "ValueError",
    .message =
        "FlashInfer MoE A2A with flashinfer_cutedsl requires "
        "SGLANG_FLASHINFER_NUM_MAX_DISPATCH_TOKENS_PER_RANK * ep_size to cover the largest CuteDSL "
        "MoE forward ({} tokens). Otherwise the FlashInfer dispatcher can crash at runtime with "
        "`ValueError: num_tokens (...) exceeds max_num_tokens (...)`. Current values: "
        "SGLANG_FLASHINFER_NUM_MAX_DISPATCH_TOKENS_PER_RANK={}, ep_size={}, capacity={}, "
        "required={}. Set `export SGLANG_FLASHINFER_NUM_MAX_DISPATCH_TOKENS_PER_RANK={}` or lower "
        "the relevant limit (e.g. --max-prefill-tokens) to <= {}.",
    .why =
        "The dispatcher's workspace is sized once at start-up; the largest prefill or decode batch "
        "must fit.",
    .source = "server_args.py: ServerArgs._validate_cutedsl_a2a_token_budget",
    .bad = {"--model-path nvidia/Qwen3-235B-A22B-NVFP4 --quantization modelopt_fp4 --tp-size 4 "
            "--dp-size 4 --enable-dp-attention --moe-a2a-backend flashinfer --moe-runner-backend "
            "flashinfer_cutedsl",
            "b200"},
    .good = {"--model-path nvidia/Qwen3-235B-A22B-NVFP4 --quantization modelopt_fp4 --tp-size 4 "
             "--dp-size 4 --enable-dp-attention --moe-a2a-backend flashinfer --moe-runner-backend "
             "flashinfer_cutedsl --max-prefill-tokens 4096 --cuda-graph-max-bs 512",
             "b200"},
};

constexpr Rule kNpuFusedMode{
    .id = "moe-all-to-all/npu-fused-mode",
    .exception = "ValueError",
    .message = "Wrong value of fuse_mode={}, the NPU only support 1 or 2.",
    .why = "SGLANG_NPU_FUSED_MOE_MODE chooses between two fused kernels.",
    .source = kSource,
    .bad = {"SGLANG_NPU_FUSED_MOE_MODE=3 sglang serve --model-path Qwen/Qwen3-30B-A3B --tp-size 2 "
            "--moe-a2a-backend ascend_fuseep",
            "npu", "0.5.15.post1"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --moe-a2a-backend ascend_fuseep", "npu",
             "0.5.15.post1"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_15_post1},
};

constexpr Rule kNpuFusedQuant{
    .id = "moe-all-to-all/npu-fused-mode-needs-modelslim",
    .exception = "AssertionError",
    .message = "When fuse_mode is set to 2, the NPU supports only ModelSlim quantization.",
    .why = "The second fused kernel reads ModelSlim weights only.",
    .source = kSource,
    .bad = {"SGLANG_NPU_FUSED_MOE_MODE=2 sglang serve --model-path Qwen/Qwen3-30B-A3B --tp-size 2 "
            "--moe-a2a-backend ascend_fuseep",
            "npu", "0.5.15.post1"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2 --moe-a2a-backend ascend_fuseep", "npu",
             "0.5.15.post1"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_15_post1},
};

Fix no_a2a() {
  return {{unset(f::moe_a2a_backend)}, "experts run without an all-to-all dispatcher"};
}

bool wants_waterfill(const Resolution& r) {
  return r.since(Release::v0_5_16) ? r.view(f::enable_waterfill)
                                   : r.view(f::enable_deepep_waterfill);
}

// _a2a_backend_overrides.
void override_backend(Resolution& r) {
  const std::string_view before = r.view(f::moe_a2a_backend);
  std::string_view backend = before;
  const bool newer = r.since(Release::v0_5_16);
  if (wants_waterfill(r) && backend != "deepep" && !(newer && backend == "megamoe")) {
    r.warn(newer ? "moe_a2a_backend is overridden to 'deepep' because Waterfill requires the "
                   "DeepEP or MegaMOE backend."
                 : "moe_a2a_backend is overridden to 'deepep' because DeepEP Waterfill requires "
                   "the DeepEP backend.");
    backend = "deepep";
  }
  if (!r.since(Release::v0_5_18) && r.env().flag("SGLANG_OPT_USE_DEEPGEMM_MEGA_MOE") &&
      backend != "megamoe") {
    backend = "megamoe";
    r.info("SGLANG_OPT_USE_DEEPGEMM_MEGA_MOE is set, auto-configuring --moe-a2a-backend megamoe.");
  }
  if (backend != before)
    r.declare(f::moe_a2a_backend, backend, "Something else that is on needs this dispatcher.");
}

// _a2a_ep_size: these dispatchers share the experts out among all GPUs.
void span_experts(Resolution& r) {
  const std::string_view backend = r.view(f::moe_a2a_backend);
  if (!one_of(backend,
              {"megamoe", "deepep", "mooncake", "nixl", "ascend_fuseep", "flashinfer", "mori"}) &&
      !(backend == "pplx" && r.since(Release::v0_5_17)))
    return;
  const int64_t ep = r.view(f::ep_size);
  const int64_t tp = r.view(f::tp_size);
  if (r.since(Release::v0_5_17) && ep != tp)
    r.info(
        "{} MoE is enabled. The expert parallel size is adjusted from {} to the tensor parallel "
        "size [{}].",
        {backend, ep, tp});
  r.declare(f::ep_size, tp,
            "This all-to-all dispatcher shares the experts out among all tensor-parallel GPUs.");
}

// Before 0.5.17 each dispatcher said so in its own words.
void tell_expert_size(Resolution& r, Level level, std::string_view words) {
  if (r.since(Release::v0_5_17)) return;
  r.log(level, fill("{} is enabled. The expert parallel size is adjusted to be the same as the "
                    "tensor parallel size[{}].",
                    {words, r.get(f::tp_size)}));
}

// _a2a_fusion_adjustments.
void adjust_fusion(Resolution& r) {
  const std::string_view backend = r.view(f::moe_a2a_backend);
  const bool newer = r.since(Release::v0_5_16);
  if ((backend == "deepep" || (newer && backend == "megamoe")) && wants_waterfill(r)) {
    if (!r.view(f::disable_shared_experts_fusion)) return;
    r.warn(
        "disable_shared_experts_fusion is overridden to False because {} requires shared expert "
        "fusion.",
        {newer ? "Waterfill" : "DeepEP Waterfill"});
    r.declare(f::disable_shared_experts_fusion, false,
              "Waterfill balances the shared expert along with the others.");
  } else if (backend == "flashinfer") {
    r.warn("Flashinfer MoE A2A is enabled. --disable-shared-experts-fusion is automatically set.");
    r.declare(f::disable_shared_experts_fusion, true,
              "The FlashInfer dispatcher does not carry the shared expert.");
  }
}

void deepep(Resolution& r) {
  if (r.since(Release::v0_5_17) && r.get(f::moe_runner_backend) == "flashinfer_cutedsl") {
    if (r.get(f::deepep_mode) == "auto") {
      r.set(f::deepep_mode, "low_latency",
            "The CuteDSL FP4 runner reads DeepEP's masked layout only.");
      r.warn(
          "Forcing --deepep-mode low_latency: flashinfer_cutedsl FP4 MoE has no DeepEP "
          "normal-dispatch handler, so deepep auto mode would crash during prefill. low_latency "
          "covers both prefill and decode.");
    } else if (r.get(f::deepep_mode) == "normal") {
      return r.reject(kCutedslDeepepNormal, {}, {{{set(f::deepep_mode, "low_latency")}, ""}},
                      {f::moe_runner_backend.id, f::moe_a2a_backend.id});
    }
  }
  if (r.get(f::deepep_mode) == "normal") {
    const char* why =
        "DeepEP's normal mode sizes its batches on the host, which a CUDA graph cannot capture.";
    r.warn("Cuda graph is disabled because deepep_mode=`normal`");
    set_graph_backend(r, "decode", "disabled", why);
    set_graph_backend(r, "prefill", "disabled", why);
  }
  tell_expert_size(r, Level::warning, "DeepEP MoE");
  if (!r.since(Release::v0_5_16) && r.get(f::enable_deepep_waterfill)) {
    r.set(f::enforce_shared_experts_fusion, true,
          "Waterfill balances the shared expert along with the others.");
    r.info(
        "DeepEP Waterfill is enabled. Shared expert will be dispatched through DeepEP for load "
        "balancing.");
  }
}

void ascend_fused(Resolution& r) {
  tell_expert_size(r, Level::warning, "Ascend fused EP MoE");
  if (r.since(Release::v0_5_16)) return;
  const Value mode = r.env().get("SGLANG_NPU_FUSED_MOE_MODE");
  if (mode.as_int() != 1 && mode.as_int() != 2)
    return r.reject(kNpuFusedMode, {mode}, {{{unset_env("SGLANG_NPU_FUSED_MOE_MODE")}, ""}});
  if (mode.as_int() == 2 && r.view(f::quantization) != "modelslim")
    return r.reject(kNpuFusedQuant, {}, {{{unset_env("SGLANG_NPU_FUSED_MOE_MODE")}, ""}},
                    {f::quantization.id});
}

void flashinfer(Resolution& r) {
  if (!r.view(f::enable_dp_attention) || r.get(f::dp_size) != r.get(f::tp_size))
    return r.reject(
        kFlashinferNeedsPureDp, {},
        {{{set(f::enable_dp_attention), set(f::dp_size, std::to_string(r.get(f::tp_size)))},
          "attention is replicated per GPU: more memory for its weights"},
         no_a2a()});
  tell_expert_size(r, Level::warning, "Flashinfer MoE A2A");
  if (r.get(f::deepep_mode) != "auto") r.warn("--deepep-mode is ignored for Flashinfer MoE A2A");
  if (!r.env().is_set("SGLANG_MOE_NVFP4_DISPATCH") &&
      (r.view(f::quantization) == "modelopt_fp4" || has_hybrid_nvfp4_experts(r))) {
    if (r.stopped()) return;
    r.env().put("SGLANG_MOE_NVFP4_DISPATCH", "True");
    r.warn("SGLANG_MOE_NVFP4_DISPATCH is set to True for Flashinfer MoE A2A");
  }
  if (!one_of(r.view(f::moe_runner_backend),
              {"flashinfer_cutlass", "flashinfer_cutedsl", "flashinfer_trtllm_routed"}))
    return r.reject(
        kFlashinferRunner, {},
        {{{set(f::moe_runner_backend, "flashinfer_cutlass")}, "another MoE kernel: speed differs"},
         no_a2a()});
}

// Whether a prefill chunk is dispatched at all, and with how many tokens.
bool dispatches_chunks(const Resolution& r) {
  return r.get(f::chunked_prefill_size).value_or(0) > 0 &&
         r.get(f::disaggregation_mode) != "decode";
}

void mori(Resolution& r) {
  if (r.get(f::deepep_mode) == "auto") {
    r.set(f::deepep_mode, "normal",
          "MoRI has one mode, which SGLang treats as DeepEP's normal mode.");
    r.warn("auto set deepep_mode=`normal` for MORI EP");
  }
  tell_expert_size(r, Level::warning, "MoRI MoE");
  if (!dispatches_chunks(r)) return;
  const int64_t needed = *r.get(f::chunked_prefill_size);
  const int64_t buffer = r.env().get("SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK").as_int();
  if (needed <= buffer) return;
  r.reject(kMoriTokens, {},
           {{{set_env("SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK", std::to_string(needed))},
             "a larger buffer: a little less GPU memory"},
            no_a2a()},
           {f::chunked_prefill_size.id});
}

void pplx(Resolution& r) {
  if (r.get(f::deepep_mode) == "normal")
    return r.reject(kPplxNormal, {}, {{{unset(f::deepep_mode)}, ""}, no_a2a()});
  if (r.get(f::deepep_mode) == "auto") {
    r.set(f::deepep_mode, "low_latency", "pplx has a low-latency mode only.");
    r.warn("auto set deepep_mode=`low_latency` for PPLX EP");
  }
  if (!r.view(f::enable_dp_attention) || r.get(f::dp_size) < 2)
    return r.reject(kPplxNeedsDp, {},
                    {{{set(f::enable_dp_attention),
                       set(f::dp_size, std::to_string(std::max<int64_t>(2, r.get(f::tp_size))))},
                      "attention is replicated per GPU: more memory for its weights"},
                     no_a2a()});
  if (!one_of(r.view(f::moe_runner_backend), {"deep_gemm", "auto"}))
    return r.reject(kPplxRunner, {},
                    {{{unset(f::moe_runner_backend)}, "experts run on DeepGEMM"}, no_a2a()});
  if (r.get(f::moe_runner_backend) == "auto") {
    r.set(f::moe_runner_backend, "deep_gemm",
          "pplx delivers tokens in the masked layout, which DeepGEMM reads.");
    r.warn("auto set moe_runner_backend=`deep_gemm` for PPLX EP");
  }
  if (!dispatches_chunks(r)) return;
  const int64_t needed =
      std::max(*r.get(f::chunked_prefill_size), r.get(f::cuda_graph_max_bs_decode).value_or(0));
  const int64_t buffer = r.env().get("SGLANG_PPLX_NUM_MAX_DISPATCH_TOKENS_PER_RANK").as_int();
  if (needed <= buffer) return;
  r.reject(kPplxTokens, {},
           {{{set_env("SGLANG_PPLX_NUM_MAX_DISPATCH_TOKENS_PER_RANK", std::to_string(needed))},
             "a larger buffer: a little less GPU memory"},
            no_a2a()},
           {f::chunked_prefill_size.id});
}

// cutedsl_moe_max_num_tokens: the largest number of tokens of one forward on one rank.
int64_t largest_cutedsl_forward(const Resolution& r) {
  const int64_t per_request =
      r.get(f::speculative_algorithm)
          ? std::max<int64_t>(1, r.get(f::speculative_num_draft_tokens).value_or(1))
          : 1;
  int64_t prefill = r.get(f::max_prefill_tokens);
  if (graph_backend(r, "prefill") == "tc_piecewise")
    prefill = std::max(prefill, graph_setting(r, "prefill", "max_bs").as_int());
  return std::max(prefill, graph_setting(r, "decode", "max_bs").as_int() * per_request);
}

}  // namespace

void a2a_moe(Resolution& r) {
  override_backend(r);
  span_experts(r);
  adjust_fusion(r);
  const std::string_view backend = r.view(f::moe_a2a_backend);
  if (r.since(Release::v0_5_16) && r.get(f::enable_waterfill)) {
    r.set(f::enforce_shared_experts_fusion, true,
          "Waterfill balances the shared expert along with the others.");
    r.info("Waterfill is enabled with moe_a2a_backend='{}'.", {backend});
  }
  if (backend == "megamoe" && !r.since(Release::v0_5_18)) {
    if (!r.env().is_set("SGLANG_OPT_FIX_MEGA_MOE_MEMORY"))
      r.env().put("SGLANG_OPT_FIX_MEGA_MOE_MEMORY", "True");
    if (!r.since(Release::v0_5_17))
      r.info(
          "Mega MoE is enabled. The expert parallel size is adjusted to be the same as the tensor "
          "parallel size[{}].",
          {r.get(f::tp_size)});
  }
  if (backend == "deepep") deepep(r);
  if (backend == "mooncake") tell_expert_size(r, Level::warning, "Mooncake MoE");
  if (backend == "nixl") tell_expert_size(r, Level::warning, "Nixl MoE");
  // From here SGLang reads the field, not what the passes above have declared.
  if (r.since(Release::v0_5_16)) {
    const std::string_view typed = r.get(f::moe_a2a_backend);
    if ((typed == "none" && is_npu(r.machine())) || typed == "ascend_tp")
      r.set(f::moe_a2a_backend, "none", "Tensor-parallel experts are what no dispatcher means.");
  }
  const std::string_view field = r.since(Release::v0_5_16) ? r.get(f::moe_a2a_backend) : backend;
  if (field == "ascend_fuseep") ascend_fused(r);
  if (field == "flashinfer") flashinfer(r);
  if (backend == "mori") mori(r);
  if (backend == "pplx" && r.since(Release::v0_5_17)) pplx(r);
}

void validate_cutedsl_a2a_token_budget(Resolution& r) {
  if (r.view(f::moe_a2a_backend) != "flashinfer" ||
      r.view(f::moe_runner_backend) != "flashinfer_cutedsl" || r.get(f::max_prefill_tokens) <= 0 ||
      r.get(f::disaggregation_mode) == "decode")
    return;
  constexpr const char* kVariable = "SGLANG_FLASHINFER_NUM_MAX_DISPATCH_TOKENS_PER_RANK";
  const int64_t required = largest_cutedsl_forward(r);
  const Value given = r.env().get(kVariable);
  const int64_t per_rank = given.truthy() ? given.as_int() : 1024;
  const int64_t ep = r.view(f::ep_size);
  const int64_t capacity = per_rank * ep;
  if (capacity >= required) return;
  const int64_t needed = floor_div(required + ep - 1, ep);
  r.reject(kCutedslBudget, {required, per_rank, ep, capacity, required, needed, capacity},
           {{{set_env(kVariable, std::to_string(needed))},
             "a larger workspace: a little less GPU memory"},
            {{set(f::max_prefill_tokens, std::to_string(capacity))}, "smaller prefill batches"}},
           {f::max_prefill_tokens.id, f::ep_size.id});
}

RuleList moe_all_to_all_rules() {
  return {&kCutedslDeepepNormal, &kFlashinferNeedsPureDp, &kFlashinferRunner, &kMoriTokens,
          &kPplxNormal,          &kPplxNeedsDp,           &kPplxRunner,       &kPplxTokens,
          &kCutedslBudget,       &kNpuFusedMode,          &kNpuFusedQuant};
}

}  // namespace sglint
