#include "rules/cuda_graph.h"
#include "rules/gpu_memory.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kNpuNeedsTorchNpu{
    .id = "platform/npu-without-torch-npu",
    .exception = "ImportError",
    .message = "torch_npu is required when run on npu device.",
    .why = "--device npu was asked for on a machine without the Ascend software stack.",
    .source = "utils/common.py: get_npu_memory_capacity",
    .bad = {"--model-path Qwen/Qwen3-8B --device npu", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --device cuda", "h100"},
};

constexpr Rule kWrongFusedMoeMode{
    .id = "platform/wrong-npu-fused-moe-mode",
    .exception = "ValueError",
    .message = "Wrong value of SGLANG_NPU_FUSED_MOE_MODE={}, the NPU only supports 1 or 2.",
    .why =
        "The environment variable stands for --fuseep-mode, which knows the modes 1 and 2. It is "
        "looked at on every machine, also without an NPU.",
    .source = "server_args.py: _apply_fuseep_mode_env_compat",
    .bad = {"SGLANG_NPU_FUSED_MOE_MODE=3 sglang serve --model-path Qwen/Qwen3-8B", "h100",
            "0.5.17"},
    .good = {"SGLANG_NPU_FUSED_MOE_MODE=2 sglang serve --model-path Qwen/Qwen3-8B", "h100",
             "0.5.17"},
    .releases = {Release::v0_5_16, Release::v0_5_17},
};

bool is_arm64(const Machine& m) { return one_of(lower(m.arch), {"aarch64", "arm64"}); }

}  // namespace

// Between parsing and ServerArgs: the variable counts unless the flag is typed.
void fuseep_mode_env_compat(Resolution& r) {
  if (!r.env().is_set("SGLANG_NPU_FUSED_MOE_MODE") || r.typed(f::fuseep_mode)) return;
  const Value mode = r.env().get("SGLANG_NPU_FUSED_MOE_MODE");
  if (mode != 1 && mode != 2)
    return r.reject(kWrongFusedMoeMode, {mode},
                    {{{unset_env("SGLANG_NPU_FUSED_MOE_MODE")}, "the default mode is used"}});
  r.warn(
      "The env variable SGLANG_NPU_FUSED_MOE_MODE is deprecated and will be removed in a future "
      "release. Please use --fuseep-mode instead.");
  r.set(f::fuseep_mode, mode, "SGLANG_NPU_FUSED_MOE_MODE says so.");
}

void hpu_backends(Resolution& r) {
  if (r.value(f::device) != "hpu") return;
  r.set(f::attention_backend, "torch_native", "Gaudi has this attention backend only.");
  r.set(f::sampling_backend, "pytorch", "Gaudi has this sampling backend only.");
}

void cpu_backends(Resolution& r) {
  if (r.value(f::device) != "cpu") return;
  if (r.value(f::attention_backend).is_none()) {
    const bool arm = is_arm64(r.machine());
    r.set(f::attention_backend, arm ? "torch_native" : "intel_amx",
          arm ? "The default on Arm CPUs." : "The default on x86 CPUs.");
  }
  r.set(f::sampling_backend, "pytorch", "CPUs have this sampling backend only.");
}

// hardware_backend/npu/utils.py: set_default_server_args
void npu_backends(Resolution& r) {
  if (r.value(f::device) != "npu") return;
  const char* ascend = "Ascend has this attention backend only.";
  r.set(f::attention_backend, "ascend", ascend);
  r.set(f::prefill_attention_backend, "ascend", ascend);
  r.set(f::decode_attention_backend, "ascend", ascend);
  if (r.value(f::page_size).is_none()) r.set(f::page_size, 128, "The default on Ascend.");

  const std::optional<double> memory = npu_memory_capacity(r);
  if (!memory) return r.reject(kNpuNeedsTorchNpu, {}, {{{unset(f::device)}, ""}});
  const bool small_tp = r.get(f::tp_size) < 4;
  const auto use_defaults = [&](int64_t chunk, int64_t max_bs) {
    const char* why = "The default for this NPU memory size.";
    if (r.value(f::chunked_prefill_size).is_none()) r.set(f::chunked_prefill_size, chunk, why);
    if (graph_setting(r, "decode", "max_bs").is_none())
      set_graph_setting(r, "decode", "max_bs", max_bs, why);
  };
  if (*memory <= 32 * 1024) {
    use_defaults(4096, small_tp ? 16 : 64);
  } else if (*memory <= 64 * 1024) {
    use_defaults(8192, small_tp ? 64 : 256);
  }
  r.set(f::disable_custom_all_reduce, true, "Ascend has no custom all-reduce.");
  if (r.get(f::enable_hierarchical_cache)) {
    const char* why = "The hierarchical cache works this way on Ascend.";
    r.set(f::hicache_io_backend, "kernel_ascend", why);
    r.set(f::hicache_mem_layout, r.model().use_mla() ? "page_first_kv_split" : "page_first_direct",
          why);
  }
  const Value& compiler = graph_setting(r, "prefill", "tc_compiler");
  if (!compiler.is_none() && compiler != "eager") {
    r.warn(
        "At this moment Ascend platform only support prefill graph compilation with "
        "cuda_graph_config[prefill].tc_compiler='eager'.");
    set_graph_setting(r, "prefill", "tc_compiler", "eager", "Ascend has this graph compiler only.");
  }
}

void mps_backends(Resolution& r) {
  if (r.value(f::device) != "mps") return;
  // tensor_bridge.py: use_mlx
  if (r.env().flag("SGLANG_USE_MLX") && has_package(r.machine(), "mlx")) return;
  r.set(f::disable_overlap_schedule, true, "Overlap scheduling on Apple GPUs needs MLX.");
}

void xpu_backends(Resolution& r) {
  if (r.value(f::device) != "xpu") return;
  const std::string decode(graph_backend(r, "decode"));
  if (!graph_locked(r, "decode", "backend")) {
    set_graph_backend(r, "decode", "disabled", "Decode graphs must be asked for on Intel GPUs.");
  } else if (!one_of(decode, {"disabled", "full"})) {
    r.warn(
        "XPU platform only supports decode backend 'full'; disabling unsupported decode backend "
        "'{}'.",
        {decode});
    set_graph_backend(r, "decode", "disabled",
                      "Intel GPUs have the decode graph backend full only.");
  }
  if (!r.since(Release::v0_5_17) &&
      !one_of(graph_backend(r, "prefill"), {"disabled", "tc_piecewise"})) {
    r.warn(
        "XPU platform currently only supports prefill tc_piecewise CUDA graph; disabling "
        "unsupported prefill backend.");
    set_graph_backend(r, "prefill", "disabled",
                      "Intel GPUs have the prefill backend tc_piecewise only.");
  }
}

void amd_specifics(Resolution& r) {
  if (is_hip(r.machine()))
    r.set(f::triton_attention_num_kv_splits, 16, "SGLang fixes this on AMD GPUs.");
}

void nccl_pre_warm(Resolution& r) {
  const Machine& m = r.machine();
  if (!r.get(f::pre_warm_nccl) || is_cuda(m) || is_hip(m) || is_npu(m)) return;
  r.warn(
      "pre_warm_nccl is only applicable for CUDA or HIP hardware or NPU hardware. Ignoring "
      "pre_warm_nccl setting on current hardware.");
  r.set(f::pre_warm_nccl, false, "There is no NCCL to warm up on this hardware.");
}

RuleList platform_backends_rules() { return {&kNpuNeedsTorchNpu, &kWrongFusedMoeMode}; }

}  // namespace sglint
