// Kernels of Kimi Delta Attention layers (Kimi-Linear, Kimi-K3):
// layers/attention/linear/kda_backend.py, KDAAttnBackend and KDAKernelDispatcher.

#include "base/text.h"
#include "rules/load/linear_kernels.h"

namespace sglint {
namespace {

constexpr std::string_view kDispatcher =
    "layers/attention/linear/kda_backend.py: KDAKernelDispatcher.__init__";
constexpr ReleaseRange kSince0516{Release::v0_5_16, Release::v0_5_18};
constexpr ReleaseRange kSince0517{Release::v0_5_17, Release::v0_5_18};
constexpr ReleaseRange kSince0518{Release::v0_5_18, Release::v0_5_18};
#define SGLINT_KIMI "--model-path moonshotai/Kimi-Linear-48B-A3B-Instruct --trust-remote-code"

constexpr Rule kUnsupportedDecode{
    .id = "linear-kernels/kda-decode-backend",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "Unsupported KDA decode backend: {}. KDA supports {}.",
    .why =
        "ServerArgs offers one list of backends for all phases; the others have no KDA decode "
        "kernel. The server stops after the weights are loaded. The base flag "
        "--linear-attn-backend chooses decode too.",
    .source = kDispatcher,
    .bad = {SGLINT_KIMI " --linear-attn-backend ptx_kda", "b300"},
    .good = {SGLINT_KIMI " --linear-attn-prefill-backend ptx_kda", "b300"},
    .releases = kSince0516,
};

constexpr Rule kUnsupportedPrefill{
    .id = "linear-kernels/kda-prefill-backend",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "Unsupported KDA prefill backend: {}. KDA supports {}.",
    .why =
        "FlashInfer has a KDA kernel for decode, but none for prefill, so that "
        "--linear-attn-backend flashinfer stops the server after the weights are loaded.",
    .source = kDispatcher,
    .bad = {SGLINT_KIMI " --linear-attn-backend flashinfer --mamba-ssm-dtype bfloat16", "b200"},
    .good = {SGLINT_KIMI " --linear-attn-decode-backend flashinfer --mamba-ssm-dtype bfloat16",
             "b200"},
    .releases = kSince0516,
};

constexpr Rule kUnsupportedVerify{
    .id = "linear-kernels/kda-verify-backend",
    .stage = Stage::load,
    .exception = "ValueError",
    .message =
        "Unsupported KDA verify backend: {}. KDA verify supports 'triton', 'nv_cutedsl', or "
        "'flashinfer'.",
    .why =
        "The other backends have no kernel that verifies draft tokens. The flag is judged without "
        "speculative decoding too; the server stops after the weights are loaded.",
    .source = kDispatcher,
    .bad = {SGLINT_KIMI " --linear-attn-verify-backend cutedsl"},
    .good = {SGLINT_KIMI " --linear-attn-verify-backend triton"},
    .releases = kSince0517,
};

constexpr Rule kTreeVerify{
    .id = "linear-kernels/kda-flashinfer-needs-draft-chain",
    .stage = Stage::load,
    .exception = "ValueError",
    .message =
        "KDA FlashInfer speculative decoding only supports topk=1 (EAGLE tree verify / "
        "retrieve_parent_token is unsupported).",
    .why =
        "FlashInfer's kernel verifies a chain of drafts only. FlashInfer decode brings FlashInfer "
        "verify unless --linear-attn-verify-backend says otherwise.",
    .source = "layers/attention/linear/kda_backend.py: KDAAttnBackend.__init__",
    .bad = {SGLINT_KIMI
            " --linear-attn-decode-backend flashinfer --linear-attn-verify-backend flashinfer "
            "--mamba-ssm-dtype bfloat16 --speculative-algorithm EAGLE --speculative-num-steps 3 "
            "--speculative-eagle-topk 2 --speculative-num-draft-tokens 4",
            "b200"},
    .good = {SGLINT_KIMI
             " --linear-attn-decode-backend flashinfer --linear-attn-verify-backend flashinfer "
             "--mamba-ssm-dtype bfloat16 --speculative-algorithm EAGLE --speculative-num-steps 3 "
             "--speculative-eagle-topk 1 --speculative-num-draft-tokens 4",
             "b200"},
    .releases = kSince0516,
};

constexpr Rule kNeedsCuda{
    .id = "linear-kernels/kda-backend-needs-cuda",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "{} backend requires CUDA",
    .why = "The kernels behind this backend run on NVIDIA GPUs only; ServerArgs does not look.",
    .source = kDispatcher,
    .bad = {SGLINT_KIMI " --linear-attn-decode-backend cutedsl", "mi300x"},
    .good = {SGLINT_KIMI " --linear-attn-decode-backend triton", "mi300x"},
    .releases = kSince0516,
};

constexpr Rule kFlashInferUnavailable{
    .id = "linear-kernels/kda-flashinfer-needs-sm100",
    .stage = Stage::load,
    .exception = "RuntimeError",
    .message =
        "FlashInfer KDA kernel (recurrent_kda) is not available. Requires SM100 (Blackwell) and a "
        "FlashInfer build with KDA support.",
    .why =
        "FlashInfer's KDA kernel is for Blackwell only; on Hopper, where its GDN kernels run, "
        "ServerArgs takes the flag and the server stops after the weights are loaded.",
    .source = "layers/attention/linear/kernels/kda_flashinfer.py: FlashInferKDAKernel.__init__",
    .bad = {SGLINT_KIMI " --linear-attn-decode-backend flashinfer"},
    .good = {SGLINT_KIMI " --linear-attn-decode-backend triton"},
    .releases = kSince0516,
};

constexpr Rule kHelionMissing{
    .id = "linear-kernels/helion-not-installed",
    .stage = Stage::load,
    .exception = "ImportError",
    .message =
        "The Helion package is required when a KDA backend is set to Helion. Install it with: pip "
        "install helion==1.4.0",
    .why =
        "SGLang does not install Helion. ServerArgs takes the flag; the server stops after the "
        "weights are loaded.",
    .source = "layers/attention/linear/kernels/kda_helion.py: HelionKDAKernel.__init__",
    .bad = {SGLINT_KIMI " --linear-attn-backend helion"},
    .good = {SGLINT_KIMI},
    .releases = kSince0518,
};

constexpr Rule kFlashKdaMissing{
    .id = "linear-kernels/flashkda-not-installed",
    .stage = Stage::load,
    .exception = "ImportError",
    .message =
        "The 'flashkda' KDA prefill backend requires the flash_kda module, which is not installed. "
        "Install it from source:\n    pip install git+https://github.com/MoonshotAI/FlashKDA.git",
    .why =
        "SGLang does not install FlashKDA, and looks for it only when a prompt of 64 to 2048 "
        "tokens comes: the server starts, warms up perhaps, and dies with the first such request.",
    .source = "layers/attention/linear/kernels/kda_flashkda.py: _load_flash_kda",
    .bad = {"--model-path moonshotai/Kimi-K3 --trust-remote-code --tp-size 8 "
            "--linear-attn-prefill-backend flashkda",
            "b300"},
    .good = {"--model-path moonshotai/Kimi-K3 --trust-remote-code --tp-size 8 "
             "--linear-attn-prefill-backend triton",
             "b300"},
    .releases = kSince0516,
};

constexpr Rule kCuteDslHeadDim{
    .id = "linear-kernels/kda-cutedsl-head-dim",
    .stage = Stage::load,
    .exception = "RuntimeError",
    .message = "CuTe DSL KDA prefill requires head_k_dim=128, got {}.",
    .why =
        "The CuTe DSL prefill kernel is compiled for heads of 128; the server starts and the first "
        "prefill fails.",
    .source =
        "layers/attention/linear/kernels/kda_cutedsl.py: CuteDSLKDAKernel._ensure_extend_loaded",
    // The public KDA models have heads of 128.
    .releases = kSince0516,
};

constexpr Rule kSafeGateReplay{
    .id = "linear-kernels/kda-safe-gate-without-replayssm",
    .stage = Stage::load,
    .exception = "NotImplementedError",
    .message =
        "KDA safe gate (lower_bound) is not implemented in the ReplaySSM decode kernel; disable "
        "--enable-linear-replayssm.",
    .why =
        "The model's config.json has linear_attn_config.gate_lower_bound (Kimi-K3), which the "
        "Triton kernel of ReplaySSM does not compute: the first decode step fails. Helion's does.",
    .source = "layers/attention/linear/kernels/kda_triton.py: TritonKDAKernel.packed_decode",
    .bad = {"--model-path moonshotai/Kimi-K3 --trust-remote-code --tp-size 8 "
            "--enable-linear-replayssm --disable-radix-cache",
            "b300"},
    .good =
        {"--model-path moonshotai/Kimi-K3 --trust-remote-code --tp-size 8 --disable-radix-cache",
         "b300"},
    .releases = kSince0517,
};

constexpr Rule kSafeGateCuteDsl{
    .id = "linear-kernels/kda-safe-gate-without-cutedsl",
    .stage = Stage::load,
    .exception = "NotImplementedError",
    .message =
        "KDA safe gate (lower_bound) is not implemented in the CuTe DSL decode kernel; use "
        "--linear-attn-decode-backend triton.",
    .why =
        "The model's config.json has linear_attn_config.gate_lower_bound (Kimi-K3), which the CuTe "
        "DSL decode kernel does not compute: the server starts and the first decode step fails.",
    .source = "layers/attention/linear/kernels/kda_cutedsl.py: CuteDSLKDAKernel.decode",
    .bad = {"--model-path moonshotai/Kimi-K3 --trust-remote-code --tp-size 8 "
            "--linear-attn-decode-backend cutedsl",
            "b300"},
    .good = {"--model-path moonshotai/Kimi-K3 --trust-remote-code --tp-size 8 "
             "--linear-attn-decode-backend triton",
             "b300"},
    .releases = kSince0517,
};

constexpr Rule kExtraBufferCuteDsl{
    .id = "linear-kernels/kda-cutedsl-prefill-without-extra-buffer",
    .stage = Stage::load,
    .exception = "NotImplementedError",
    .message =
        "CuteDSLKDAKernel.extend cannot return intermediate chunk states required by "
        "mamba_radix_cache_strategy=extra_buffer; use --linear-attn-prefill-backend triton or "
        "--mamba-radix-cache-strategy no_buffer.",
    .why =
        "The radix cache's strategy extra_buffer wants the states inside a prompt, which this "
        "kernel does not give out: the first long prompt fails.",
    .source = "layers/attention/linear/kernels/kda_cutedsl.py: CuteDSLKDAKernel.extend",
    .bad = {SGLINT_KIMI
            " --linear-attn-prefill-backend cutedsl --mamba-radix-cache-strategy extra_buffer",
            "b200"},
    .good = {SGLINT_KIMI
             " --linear-attn-prefill-backend cutedsl --mamba-radix-cache-strategy no_buffer "
             "--disable-overlap-schedule",
             "b200"},
    .releases = kSince0516,
};

constexpr Rule kPrefillOnTriton{
    .id = "linear-kernels/kda-prefill-falls-back",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message = "{}; falling back to Triton extend.",
    .why = "A log line of the worker says so, no error does: the flag has no effect on this GPU.",
    .source = kDispatcher,
    .bad = {SGLINT_KIMI " --linear-attn-prefill-backend cutedsl"},
    .good = {SGLINT_KIMI},
    .releases = kSince0516,
};

constexpr Rule kFlashKdaUnboundedGate{
    .id = "linear-kernels/flashkda-without-safe-gate",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message =
        "FlashKDA never runs for this model: its config.json has no "
        "linear_attn_config.gate_lower_bound, so every prefill falls back to Triton.",
    .why =
        "FlashKDA computes the bounded gate only (Kimi-K3 has it, Kimi-Linear does not). SGLang "
        "falls back batch by batch without a word.",
    .source = "layers/attention/linear/kernels/kda_flashkda.py: FlashKDAKernel._should_fall_back",
    .bad = {SGLINT_KIMI " --linear-attn-prefill-backend flashkda"},
    .good = {SGLINT_KIMI},
    .releases = kSince0516,
};

#undef SGLINT_KIMI

constexpr const char* kTriton = "TritonKDAKernel";

struct Lists {
  std::string_view decode, prefill;
};
Lists supported(const Resolution& r) {
  if (r.since(Release::v0_5_18))
    return {"'triton', 'helion', 'cutedsl', or 'flashinfer'",
            "'triton', 'helion', 'flashkda', 'cutedsl', 'nvidia_kda', or 'ptx_kda' "
            "(cutedsl/nvidia_kda prefill need SM100, ptx_kda SM103)"};
  if (r.since(Release::v0_5_17))
    return {"'triton', 'cutedsl', or 'flashinfer'",
            "'triton', 'flashkda', 'cutedsl', 'nvidia_kda', or 'ptx_kda' (cutedsl/nvidia_kda "
            "prefill need SM100, ptx_kda SM103)"};
  return {"'triton', 'cutedsl', or 'flashinfer'",
          "'triton', 'flashkda', or 'cutedsl' (cutedsl prefill needs SM100)"};
}

using Phase = Key<std::optional<std::string_view>>;

bool flashinfer_kernel(Resolution& r, Phase phase, const char* name) {
  const Machine& m = r.machine();
  if (!is_cuda(m)) {
    kernel_fails(r, kNeedsCuda, phase, {name});
    return false;
  }
  if (is_flashinfer_available(m) && m.sm_major >= 10) return true;
  kernel_fails(r, kFlashInferUnavailable, phase);
  return false;
}

void decode(Resolution& r, std::string_view backend, bool safe_gate) {
  const Phase phase = f::linear_attn_decode_backend;
  std::string_view kernel;
  if (backend == "triton") {
    kernel = kTriton;
  } else if (backend == "helion") {
    kernel = "HelionKDAKernel";
  } else if (backend == "cutedsl") {
    if (!is_cuda(r.machine())) return kernel_fails(r, kNeedsCuda, phase, {"KDA CuTe DSL"});
    if (safe_gate && r.since(Release::v0_5_17)) return kernel_fails(r, kSafeGateCuteDsl, phase);
    kernel = "CuteDSLKDAKernel";
  } else if (backend == "flashinfer") {
    if (!flashinfer_kernel(r, phase, "KDA FlashInfer")) return;
    kernel = "FlashInferKDAKernel";
  } else {
    return kernel_fails(r, kUnsupportedDecode, phase, {backend_enum(backend), supported(r).decode});
  }
  set_linear_kernel(r, "decode", kernel, linear_backend_reason(r, phase));
}

void verify(Resolution& r, const LinearBackends& backends, bool safe_gate) {
  const Phase phase = f::linear_attn_verify_backend;
  std::string_view kernel = kTriton;
  // Before 0.5.17 verify follows decode and has no flag.
  const std::string_view backend = r.since(Release::v0_5_17)         ? backends.verify
                                   : backends.decode == "flashinfer" ? "flashinfer"
                                                                     : "triton";
  if (backend == "flashinfer") {
    if (backends.decode != "flashinfer" && !flashinfer_kernel(r, phase, "KDA FlashInfer verify"))
      return;
    kernel = "FlashInferKDAKernel";
  } else if (backend == "nv_cutedsl") {
    // KDAAttnBackend._can_run_dspark_cutedsl_mtp: else Triton, without a word.
    const int64_t drafts = r.value(f::speculative_num_draft_tokens).as_int();
    if (safe_gate && is_cuda(r.machine()) && r.machine().sm_major == 10 && 2 <= drafts &&
        drafts <= 8 && r.value(f::speculative_eagle_topk).as_int(1) <= 1)
      kernel = "fused CuTe DSL verify";
  } else if (backend != "triton") {
    return kernel_fails(r, kUnsupportedVerify, phase, {backend_enum(backend)});
  }
  if (!r.value(f::speculative_algorithm).is_none())
    set_linear_kernel(r, "verify", kernel, linear_backend_reason(r, phase));
}

void prefill(Resolution& r, std::string_view backend, const Value& config) {
  const Phase phase = f::linear_attn_prefill_backend;
  const Machine& m = r.machine();
  std::string_view kernel = kTriton;
  std::string because = linear_backend_reason(r, phase);
  const auto falls_back = [&](std::string_view why) {
    r.note(kPrefillOnTriton, {why}, {{{set(phase, "triton")}, ""}}, {f::linear_attn_backend.id});
    because = std::string(why) + ".";
  };
  if (backend == "helion") {
    kernel = "HelionKDAKernel";
  } else if (backend == "flashkda") {
    if (config["linear_attn_config"]["gate_lower_bound"].is_none()) {
      r.note(kFlashKdaUnboundedGate, {}, {{{set(phase, "triton")}, ""}},
             {f::linear_attn_backend.id});
      because = "FlashKDA computes the bounded gate only, which this model does not have.";
    } else {
      if (!module_installed(r, "flash_kda")) return kernel_fails(r, kFlashKdaMissing, phase);
      kernel = "FlashKDAKernel";
      because += "; prompts under 64 or over 2048 tokens run on Triton";
    }
  } else if (backend == "cutedsl") {
    if (!is_cuda(m)) return kernel_fails(r, kNeedsCuda, phase, {"KDA CuTe DSL"});
    if (m.sm_major < 10) {
      falls_back("KDA cutedsl prefill needs SM100");
    } else {
      const Value& head_dim = config["linear_attn_config"]["head_dim"];
      if (head_dim.as_int(128) != 128) return kernel_fails(r, kCuteDslHeadDim, phase, {head_dim});
      if (!r.get(f::disable_radix_cache) &&
          one_of(r.get(f::mamba_radix_cache_strategy), {"extra_buffer", "extra_buffer_lazy"}))
        r.note(
            kExtraBufferCuteDsl, {},
            {{{set(phase, "triton")}, "this phase of linear attention runs on Triton"},
             {{set(f::mamba_radix_cache_strategy, "no_buffer"), set(f::disable_overlap_schedule)},
              "no overlap scheduling, a coarser radix cache"}},
            {f::linear_attn_backend.id, f::mamba_radix_cache_strategy.id});
      kernel = "CuteDSLKDAKernel";
    }
  } else if (backend == "ptx_kda" && r.since(Release::v0_5_17)) {
    if (!is_cuda(m)) return kernel_fails(r, kNeedsCuda, phase, {"PTX KDA prefill"});
    if (m.sm_major == 10 && m.sm_minor == 3)
      kernel = "PtxKDAKernel";
    else
      falls_back("PTX KDA prefill needs SM103 (GB300)");
  } else if (backend == "nvidia_kda" && r.since(Release::v0_5_17)) {
    if (!is_cuda(m)) return kernel_fails(r, kNeedsCuda, phase, {"NVIDIA KDA prefill"});
    if (m.sm_major == 10)
      kernel = "NvidiaKDAKernel";
    else
      falls_back("NVIDIA KDA prefill needs SM100");
  } else if (backend != "triton") {
    return kernel_fails(r, kUnsupportedPrefill, phase,
                        {backend_enum(backend), supported(r).prefill});
  }
  set_linear_kernel(r, "prefill", kernel, because);
}

}  // namespace

void kda_kernels(Resolution& r, LinearBackends backends) {
  if (is_npu(r.machine())) return;  // Ascend has a backend of its own
  const ModelConfig& model = r.model();
  const Value& config =
      model.hf_config["text_config"].is_dict() ? model.hf_config["text_config"] : model.hf_config;
  const bool flashinfer_verify =
      r.since(Release::v0_5_17) ? backends.verify == "flashinfer" : backends.decode == "flashinfer";
  if (flashinfer_verify && r.value(f::speculative_eagle_topk).as_int(1) > 1)
    r.note(kTreeVerify, {},
           {{{set(f::linear_attn_verify_backend, "triton")}, "draft tokens are verified by Triton"},
            {{set(f::speculative_eagle_topk, "1")}, "one draft chain instead of a tree"}},
           {f::linear_attn_decode_backend.id});
  if (backends.decode == "helion" || backends.prefill == "helion") {
    const Phase phase = backends.decode == "helion" ? f::linear_attn_decode_backend
                                                    : f::linear_attn_prefill_backend;
    if (!is_cuda(r.machine())) return kernel_fails(r, kNeedsCuda, phase, {"KDA Helion"});
    if (!module_installed(r, "helion")) return kernel_fails(r, kHelionMissing, phase);
  }
  const bool safe_gate = !config["linear_attn_config"]["gate_lower_bound"].is_none();
  decode(r, backends.decode, safe_gate);
  verify(r, backends, safe_gate);
  prefill(r, backends.prefill, config);
  if (r.get(f::enable_linear_replayssm) && backends.decode == "triton" &&
      r.since(Release::v0_5_17) && !config["linear_attn_config"]["gate_lower_bound"].is_none())
    r.note(kSafeGateReplay, {},
           {{{unset(f::enable_linear_replayssm)}, "linear-attention decode runs unbuffered"}},
           {f::enable_linear_replayssm.id});
  measured_replay(r, "kda", config, config["linear_attn_config"]["num_heads"]);
}

RuleList kda_kernel_rules() {
  return {&kUnsupportedDecode, &kUnsupportedPrefill,    &kUnsupportedVerify, &kTreeVerify,
          &kNeedsCuda,         &kFlashInferUnavailable, &kHelionMissing,     &kFlashKdaMissing,
          &kCuteDslHeadDim,    &kSafeGateReplay,        &kSafeGateCuteDsl,   &kExtraBufferCuteDsl,
          &kPrefillOnTriton,   &kFlashKdaUnboundedGate};
}

}  // namespace sglint
