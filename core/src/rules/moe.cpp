// ServerArgs._handle_moe_runner_backend_alias and ServerArgs._handle_moe_kernel_config: which
// kernels run the experts.
#include "rules/moe.h"

#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "server_args.py: ServerArgs._handle_moe_kernel_config";
constexpr std::string_view kQuantSource =
    "arg_groups/overrides.py: _moe_runner_backend_quant_constraints";

constexpr Rule kNvfp4OnlineDevice{
    .id = "moe/nvfp4-online-needs-sm100",
    .exception = "ValueError",
    .message =
        "--quantization nvfp4_online is supported only on NVIDIA Blackwell SM100/SM103 GPUs.",
    .why =
        "Weights are quantized to NVFP4 while loading, and only the data-centre Blackwell GPUs "
        "have the kernels that run them (not the SM120 of RTX cards).",
    .source = kQuantSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --quantization nvfp4_online"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --quantization nvfp4_online", "b200"},
};

constexpr Rule kNvfp4OnlineRunner{
    .id = "moe/nvfp4-online-runner",
    .exception = "ValueError",
    .message =
        "--quantization nvfp4_online supports only --moe-runner-backend flashinfer_trtllm or "
        "flashinfer_trtllm_routed, or flashinfer_cutedsl.",
    .why =
        "The other MoE runners cannot read weights in the layout that online quantization leaves "
        "them in.",
    .source = kQuantSource,
    .bad =
        {"--model-path Qwen/Qwen3-30B-A3B --quantization nvfp4_online --moe-runner-backend triton",
         "b200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --quantization nvfp4_online --moe-runner-backend "
             "flashinfer_trtllm",
             "b200"},
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

constexpr Rule kNvfp4OnlineRunnerOld{
    .id = "moe/nvfp4-online-needs-trtllm",
    .exception = "ValueError",
    .message =
        "--quantization nvfp4_online supports only --moe-runner-backend flashinfer_trtllm or "
        "flashinfer_trtllm_routed.",
    .why = "Before 0.5.18 the CuteDSL runner cannot take weights quantized online either.",
    .source = kQuantSource,
    .bad =
        {"--model-path Qwen/Qwen3-30B-A3B --quantization nvfp4_online --moe-runner-backend triton",
         "b200", "0.5.17"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --quantization nvfp4_online --moe-runner-backend "
             "flashinfer_trtllm",
             "b200", "0.5.17"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_17},
};

constexpr std::string_view kRunnerQuantWhy =
    "The runner's kernels exist for these weight formats only. SGLang looks at --quantization "
    "here; the format of the checkpoint itself only counts for the model families that take it "
    "over before this check, so that it may have to be given although the checkpoint says it.";

constexpr Rule kCutlassQuant{
    .id = "moe/flashinfer-cutlass-quantization",
    .exception = "AssertionError",
    .message =
        "Invalid quantization '{}'. \nFlashInfer Cutlass MOE supports only: 'modelopt_fp4', "
        "'modelopt_fp8', 'modelopt_mixed', or bfloat16 (None).",
    .why = kRunnerQuantWhy,
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B-FP8 --quantization fp8 --moe-runner-backend "
            "flashinfer_cutlass"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --moe-runner-backend flashinfer_cutlass"},
};

constexpr Rule kCutedslQuant{
    .id = "moe/flashinfer-cutedsl-quantization",
    .exception = "AssertionError",
    .message = "Invalid quantization '{}'. \nFlashInfer CuteDSL MOE currently supports only: {}",
    .why = kRunnerQuantWhy,
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --moe-runner-backend flashinfer_cutedsl", "b200"},
    .good = {"--model-path nvidia/Qwen3-235B-A22B-NVFP4 --quantization modelopt_fp4 --tp-size 4 "
             "--moe-runner-backend flashinfer_cutedsl",
             "b200"},
};

constexpr Rule kTrtllmQuant{
    .id = "moe/flashinfer-trtllm-quantization",
    .exception = "AssertionError",
    .message =
        "Invalid quantization '{}'. \nFlashInfer TRTLLM MOE supports only: 'modelopt_fp4', "
        "'nvfp4_online', 'fp8', 'modelopt_fp8', 'modelopt_mixed', 'compressed-tensors', or "
        "bfloat16 (None).",
    .why = kRunnerQuantWhy,
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --quantization awq --moe-runner-backend "
            "flashinfer_trtllm",
            "b200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --moe-runner-backend flashinfer_trtllm", "b200"},
};

constexpr Rule kTrtllmRoutedQuant{
    .id = "moe/flashinfer-trtllm-routed-quantization",
    .exception = "AssertionError",
    .message =
        "Invalid quantization '{}'. \nFlashInfer TRTLLM routed MOE supports only: 'fp8', 'mxfp8', "
        "'modelopt_fp4', {}'nvfp4_online', or bfloat16 (None).",
    .why = kRunnerQuantWhy,
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --quantization awq --moe-runner-backend "
            "flashinfer_trtllm_routed",
            "b200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --moe-runner-backend flashinfer_trtllm_routed",
             "b200"},
};

constexpr Rule kEpSize{
    .id = "moe/runner-needs-full-expert-parallelism",
    .exception = "AssertionError",
    .message = "The expert parallel size must be 1 or the same as the tensor parallel size",
    .why =
        "The FlashInfer Cutlass and CuteDSL runners either shard every expert or share out whole "
        "experts, not both.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --ep-size 2 --moe-runner-backend "
            "flashinfer_cutlass"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --ep-size 4 --moe-runner-backend "
             "flashinfer_cutlass"},
};

constexpr Rule kCutedslA2a{
    .id = "moe/flashinfer-cutedsl-all-to-all",
    .exception = "AssertionError",
    .message =
        "flashinfer_cutedsl supports moe_a2a_backend='none', 'deepep', or 'flashinfer', got '{}'.",
    .why = "The CuteDSL runner has no handler for the other dispatchers' token layouts.",
    .source = kSource,
    .bad = {"--model-path nvidia/Qwen3-235B-A22B-NVFP4 --quantization modelopt_fp4 --tp-size 4 "
            "--moe-runner-backend flashinfer_cutedsl --moe-a2a-backend mori",
            "b200"},
    .good = {"--model-path nvidia/Qwen3-235B-A22B-NVFP4 --quantization modelopt_fp4 --tp-size 4 "
             "--moe-runner-backend flashinfer_cutedsl",
             "b200"},
};

constexpr Rule kCutedslPerToken{
    .id = "moe/flashinfer-cutedsl-per-token-without-deepep",
    .exception = "ValueError",
    .message =
        "flashinfer_cutedsl per-token NVFP4 activation requires moe_a2a_backend='none' or "
        "'flashinfer'.",
    .why =
        "Online NVFP4 (or SGLANG_FLASHINFER_NVFP4_PER_TOKEN_ACTIVATION) scales activations per "
        "token, which DeepEP does not transport.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --quantization nvfp4_online "
            "--moe-runner-backend flashinfer_cutedsl --moe-a2a-backend deepep",
            "b200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --quantization nvfp4_online "
             "--moe-runner-backend flashinfer_cutedsl",
             "b200"},
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

constexpr Rule kCutlassFp8EpSize{
    .id = "moe/cutlass-fp8-without-expert-parallelism",
    .exception = "AssertionError",
    .message = "FP8/MXFP8 Cutlass MoE is only supported with ep_size == 1",
    .why =
        "The Cutlass FP8 MoE kernels shard each expert over the GPUs and know of no "
        "expert-parallel ranks.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-30B-A3B-FP8 --quantization fp8 --tp-size 2 --ep-size 2 "
            "--moe-runner-backend cutlass"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B-FP8 --quantization fp8 --tp-size 2 "
             "--moe-runner-backend cutlass"},
};

constexpr Rule kCutlassVariable{
    .id = "moe/cutlass-variable-needs-fp8",
    .exception = "AssertionError",
    .message = "cutlass MoE is only supported with fp8/mxfp8 quantization",
    .why =
        "The old variable SGLANG_CUTLASS_MOE forces the cutlass runner, which exists for FP8 "
        "weights only.",
    .source = "arg_groups/overrides.py: _cutlass_moe_env_override",
    .bad = {"SGLANG_CUTLASS_MOE=1 sglang serve --model-path Qwen/Qwen3-30B-A3B", "h100", "0.5.17"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B", "h100", "0.5.17"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_17},
};

Fix auto_runner() { return {{unset(f::moe_runner_backend)}, "SGLang chooses the runner"}; }
Fix no_a2a() {
  return {{unset(f::moe_a2a_backend)}, "experts run without an all-to-all dispatcher"};
}

bool quantization_in(const Resolution& r, std::initializer_list<const char*> names) {
  const std::optional<std::string_view> q = r.view(f::quantization);
  return q && one_of(*q, names);
}
bool unquantized(const Resolution& r) { return r.view_value(f::quantization).is_none(); }

// _moe_runner_backend_quant_constraints.
void settle_runner_by_quantization(Resolution& r) {
  const std::string_view before = r.view(f::moe_runner_backend);
  std::string_view runner = before;
  const char* why = "";
  if (quantization_in(r, {"nvfp4_online"})) {
    const bool cutedsl = r.since(Release::v0_5_18);
    if (!is_sm100_supported(r.machine()))
      return r.reject(kNvfp4OnlineDevice, {},
                      {{{unset(f::quantization)}, "weights keep the checkpoint's format"}});
    if (runner == "auto") {
      runner = "flashinfer_trtllm";
      why = "Weights quantized online to NVFP4 run on the TensorRT-LLM kernels.";
    } else if (!one_of(runner, {"flashinfer_trtllm", "flashinfer_trtllm_routed"}) &&
               !(cutedsl && runner == "flashinfer_cutedsl")) {
      return r.reject(cutedsl ? kNvfp4OnlineRunner : kNvfp4OnlineRunnerOld, {}, {auto_runner()},
                      {f::quantization.id});
    }
  }
  const bool ascend = r.since(Release::v0_5_17) && is_npu(r.machine());
  if (quantization_in(r, {"mxfp8"}) && !ascend) {
    const bool newer = r.since(Release::v0_5_16);
    const bool gfx95 = newer && is_gfx95_supported(r.machine());
    const bool allowed =
        one_of(runner, {"cutlass", "flashinfer_trtllm", "flashinfer_trtllm_routed"}) ||
        (newer && runner == "deep_gemm") || (gfx95 && runner == "triton");
    const std::string_view choice = gfx95 ? "triton" : "flashinfer_trtllm";
    why = "MXFP8 experts run on few kernels; this is SGLang's choice for the machine.";
    if (runner == "auto") {
      runner = choice;
    } else if (!allowed) {
      if (newer)
        r.warn(
            "mxfp8 quantization supports only cutlass, deep_gemm, flashinfer_trtllm, "
            "flashinfer_trtllm_routed{} backends. Overriding {}.",
            {gfx95 ? ", triton" : "", repr(runner)});
      else
        r.warn(
            "mxfp8 quantization supports only cutlass, flashinfer_trtllm, or "
            "flashinfer_trtllm_routed backends. Overriding {}.",
            {repr(runner)});
      runner = choice;
    }
  }
  if (runner == "auto" && quantization_in(r, {"modelopt_fp4"}) && is_sm120_supported(r.machine())) {
    runner = "flashinfer_cutlass";
    why = "The TensorRT-LLM NVFP4 MoE kernels do not run on SM120.";
    r.info(
        "Use flashinfer_cutlass as MoE runner backend on SM120 for modelopt_fp4 (trtllm-gen MoE "
        "kernels are SM100-only)");
  }
  if (runner != before) r.declare(f::moe_runner_backend, runner, why);
}

bool full_expert_parallelism(Resolution& r) {
  const int64_t ep = r.view(f::ep_size);
  if (ep == 1 || ep == r.get(f::tp_size)) return true;
  r.reject(kEpSize, {},
           {{{set(f::ep_size, std::to_string(r.get(f::tp_size)))},
             "whole experts are shared out among the GPUs"},
            {{unset(f::ep_size)}, "every expert is sharded over the GPUs"}});
  return false;
}

void check_cutedsl(Resolution& r) {
  const bool mixed = r.since(Release::v0_5_16);
  const bool online = r.since(Release::v0_5_18);
  const bool known =
      quantization_in(r, {"modelopt_fp4"}) || (mixed && quantization_in(r, {"modelopt_mixed"})) ||
      (online && quantization_in(r, {"nvfp4_online"})) || has_hybrid_nvfp4_experts(r);
  if (r.stopped()) return;
  if (!known)
    return r.reject(
        kCutedslQuant,
        {r.view_value(f::quantization),
         online ? "'modelopt_fp4', 'modelopt_mixed' (with NVFP4 MoE layers), 'nvfp4_online', or "
                  "hybrid NVFP4 models."
         : mixed
             ? "'modelopt_fp4', 'modelopt_mixed' (with NVFP4 MoE layers), or hybrid NVFP4 models."
             : "'modelopt_fp4' or hybrid NVFP4 models."},
        {auto_runner()}, {f::quantization.id});
  if (!full_expert_parallelism(r)) return;
  const std::string_view a2a = r.view(f::moe_a2a_backend);
  if (!one_of(a2a, {"none", "deepep", "flashinfer"}))
    return r.reject(kCutedslA2a, {a2a}, {no_a2a(), auto_runner()});
  if (online && a2a == "deepep" &&
      (quantization_in(r, {"nvfp4_online"}) ||
       r.env().flag("SGLANG_FLASHINFER_NVFP4_PER_TOKEN_ACTIVATION")))
    return r.reject(kCutedslPerToken, {}, {no_a2a(), auto_runner()}, {f::quantization.id});
}

// _moe_runner_fusion_disable.
void disable_fusion_for_runner(Resolution& r) {
  const std::string_view runner = r.view(f::moe_runner_backend);
  std::string_view name;
  if (runner == "flashinfer_cutedsl") name = "CuteDSL";
  if (one_of(runner, {"flashinfer_trtllm", "experimental_sgl_trtllm"})) name = "TRTLLM";
  if (runner == "flashinfer_trtllm_routed") name = "TRTLLM routed";
  if (name.empty()) return;
  r.warn("FlashInfer {} MoE is enabled. --disable-shared-experts-fusion is automatically set.",
         {name});
  r.declare(f::disable_shared_experts_fusion, true,
            "This runner's kernels cannot take the shared expert along.");
}

// _cutlass_moe_env_override, gone in 0.5.18.
void cutlass_by_variable(Resolution& r) {
  if (r.since(Release::v0_5_18) || !r.env().flag("SGLANG_CUTLASS_MOE")) return;
  r.warn(
      "SGLANG_CUTLASS_MOE is deprecated, use --moe-runner-backend=cutlass and/or "
      "--speculative-moe-runner-backend=cutlass instead");
  if (!quantization_in(r, {"fp8", "mxfp8"}))
    return r.reject(kCutlassVariable, {},
                    {{{unset_env("SGLANG_CUTLASS_MOE")}, "SGLang chooses the runner"}});
  r.declare(f::moe_runner_backend, "cutlass", "SGLANG_CUTLASS_MOE asks for it.");
}

}  // namespace

bool has_hybrid_nvfp4_experts(Resolution& r) {
  const Value& config = r.model().hf_config["quantization_config"];
  return upper(str(config["quant_algo"])) == "MIXED_PRECISION" &&
         upper(str(config["moe_quant_algo"])) == "NVFP4" && !config["group_size"].is_none();
}

void moe_runner_backend_alias(Resolution& r) {
  if (r.get(f::moe_runner_backend) != "megamoe") return;
  const std::string_view a2a = r.get(f::moe_a2a_backend);
  if (!one_of(a2a, {"none", "megamoe"}))
    r.warn(
        "--moe-runner-backend megamoe is an alias for --moe-a2a-backend megamoe; overriding "
        "--moe-a2a-backend {}.",
        {a2a});
  r.set(f::moe_runner_backend, "auto",
        "--moe-runner-backend megamoe means --moe-a2a-backend megamoe.");
  r.set(f::moe_a2a_backend, "megamoe",
        "--moe-runner-backend megamoe means --moe-a2a-backend megamoe.");
}

void moe_kernel_config(Resolution& r) {
  settle_runner_by_quantization(r);
  if (r.stopped()) return;
  const std::string_view runner = r.view(f::moe_runner_backend);
  const auto refuse = [&](const Rule& rule, std::string_view extra = {}) {
    r.reject(rule, {r.view_value(f::quantization), extra}, {auto_runner()}, {f::quantization.id});
  };
  if (runner == "flashinfer_cutlass") {
    if (!unquantized(r) && !quantization_in(r, {"modelopt_fp4", "modelopt_fp8", "modelopt_mixed"}))
      return refuse(kCutlassQuant);
    if (!full_expert_parallelism(r)) return;
  }
  if (runner == "flashinfer_cutedsl") check_cutedsl(r);
  if (one_of(runner, {"flashinfer_trtllm", "experimental_sgl_trtllm"}) && !unquantized(r) &&
      !quantization_in(r, {"modelopt_fp4", "nvfp4_online", "fp8", "mxfp8", "modelopt_fp8",
                           "modelopt_mixed", "compressed-tensors"}))
    return refuse(kTrtllmQuant);
  if (runner == "flashinfer_trtllm_routed" && !unquantized(r)) {
    const bool mixed = r.since(Release::v0_5_16);
    if (!quantization_in(r, {"fp8", "mxfp8", "modelopt_fp4", "nvfp4_online"}) &&
        !(mixed && quantization_in(r, {"modelopt_mixed"})))
      return refuse(kTrtllmRoutedQuant, mixed ? "'modelopt_mixed', " : "");
  }
  disable_fusion_for_runner(r);
  cutlass_by_variable(r);
  if (r.view(f::moe_runner_backend) == "cutlass" && quantization_in(r, {"fp8", "mxfp8"}) &&
      r.view(f::ep_size) != 1)
    return r.reject(
        kCutlassFp8EpSize, {},
        {{{unset(f::ep_size)}, "every expert is sharded over the GPUs"}, auto_runner()});
}

RuleList moe_rules() {
  return {&kNvfp4OnlineDevice, &kNvfp4OnlineRunner, &kNvfp4OnlineRunnerOld, &kCutlassQuant,
          &kCutedslQuant,      &kTrtllmQuant,       &kTrtllmRoutedQuant,    &kEpSize,
          &kCutedslA2a,        &kCutedslPerToken,   &kCutlassFp8EpSize,     &kCutlassVariable};
}

}  // namespace sglint
