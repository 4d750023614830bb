// Mamba-2 kernels and the cache of recurrent states: ServerArgs._handle_mamba_backend and
// _handle_int8_mamba_checkpoint. Both judge their flags for every model, hybrid or not.

#include "base/text.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kHandler = "server_args.py: ServerArgs._handle_mamba_backend";

constexpr Rule kPhiloxRounds{
    .id = "mamba-cache/negative-philox-rounds",
    .exception = "ValueError",
    .message = "--mamba-cache-philox-rounds must be non-negative.",
    .why =
        "The number of rounds of the random generator behind stochastic rounding; 0 leaves the "
        "choice to the kernel. It is judged even where stochastic rounding is off.",
    .source = kHandler,
    .bad =
        {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 8 --mamba-cache-philox-rounds -1"},
    .good =
        {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 8 --mamba-cache-philox-rounds 0"},
};

constexpr Rule kStatesPerPath{
    .id = "mamba-cache/states-per-path",
    .exception = "ValueError",
    .message = "--mamba-max-states-per-path must be -1 (unlimited) or a positive integer, got {}.",
    .why =
        "How many recurrent states the prefix cache keeps along one prompt. Keeping none would "
        "make its nodes useless: to do without, use --disable-radix-cache.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-max-states-per-path 0"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-max-states-per-path 1"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kRoundingNeedsFloat16{
    .id = "mamba-cache/stochastic-rounding-needs-float16",
    .exception = "ValueError",
    .message =
        "Stochastic rounding for the Mamba SSM cache requires --mamba-ssm-dtype float16, got {}. "
        "Run with --mamba-ssm-dtype float16 or disable --enable-mamba-cache-stochastic-rounding.",
    .why =
        "Only the flag counts: `got None` means that --mamba-ssm-dtype was not given, even if the "
        "model's config.json asks for float16. On H100 float16 is not enough: see the next "
        "rejection, about the Triton backend.",
    .source = kHandler,
    .bad = {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 8 "
            "--enable-mamba-cache-stochastic-rounding",
            "b200"},
    .good = {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 8 "
             "--enable-mamba-cache-stochastic-rounding --mamba-ssm-dtype float16",
             "b200"},
};

constexpr Rule kRoundingNeedsCuda{
    .id = "mamba-cache/stochastic-rounding-needs-cuda",
    .exception = "ValueError",
    .message =
        "Stochastic rounding for the Mamba SSM cache is only supported on NVIDIA CUDA platforms. "
        "Disable --enable-mamba-cache-stochastic-rounding on this platform.",
    .why = "The rounding is done by NVIDIA instructions.",
    .source = kHandler,
    .bad = {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 8 "
            "--enable-mamba-cache-stochastic-rounding --mamba-ssm-dtype float16",
            "mi300x"},
    .good = {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 8 --mamba-ssm-dtype float16",
             "mi300x"},
};

constexpr Rule kTritonRoundingNeedsSm100{
    .id = "mamba-cache/triton-stochastic-rounding-needs-sm100",
    .exception = "ValueError",
    .message =
        "Stochastic rounding for the Mamba SSM cache with --mamba-backend triton requires SM100 "
        "with CUDA >= 12.8 because it uses the cvt.rs.f16x2.f32 PTX instruction. On H100/SM90, run "
        "with --mamba-backend flashinfer --mamba-ssm-dtype float16, or disable "
        "--enable-mamba-cache-stochastic-rounding.",
    .why =
        "Triton is the default Mamba backend and rounds with an instruction of data-centre "
        "Blackwell; FlashInfer's kernels round on older GPUs as well. SM120 cards (RTX 5090, RTX "
        "PRO 6000) are refused too.",
    .source = kHandler,
    .bad = {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 8 "
            "--enable-mamba-cache-stochastic-rounding --mamba-ssm-dtype float16"},
    .good = {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 8 "
             "--enable-mamba-cache-stochastic-rounding --mamba-ssm-dtype float16 --mamba-backend "
             "flashinfer"},
};

constexpr Rule kFlashInferMambaMissing{
    .id = "mamba-cache/flashinfer-mamba-missing",
    .exception = "ValueError",
    .message = "FlashInfer mamba module not available, please check the FlashInfer installation.{}",
    .why =
        "FlashInfer is not installed, or cannot run here (it needs an NVIDIA GPU): then \"check "
        "the installation\" does not help, and only --mamba-backend triton does.",
    .source = kHandler,
    .bad = {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 8 --mamba-backend flashinfer",
            "mi300x"},
    .good = {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 8 --mamba-backend triton",
             "mi300x"},
};

constexpr std::string_view kInt8Handler =
    "server_args.py: ServerArgs._handle_int8_mamba_checkpoint";

constexpr Rule kInt8NotWithHierarchicalCache{
    .id = "mamba-cache/int8-checkpoint-not-with-hierarchical-cache",
    .exception = "ValueError",
    .message =
        "--enable-int8-mamba-checkpoint is not supported together with "
        "--enable-hierarchical-cache: the host-offload path {}is not int8-aware. Disable one of "
        "them.",
    .why = "The copy of the states in host memory would read 8-bit states as 16-bit ones.",
    .source = kInt8Handler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-int8-mamba-checkpoint "
            "--enable-hierarchical-cache"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-int8-mamba-checkpoint"},
};

constexpr Rule kInt8NeedsBuiltInCache{
    .id = "mamba-cache/int8-checkpoint-needs-built-in-cache",
    .exception = "ValueError",
    .message =
        "--enable-int8-mamba-checkpoint only supports the built-in mamba radix cache; "
        "--radix-cache-backend={} is not int8-aware. Omit --radix-cache-backend.",
    .why = "A prefix cache from elsewhere would read 8-bit states as 16-bit ones.",
    .source = kInt8Handler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-int8-mamba-checkpoint "
            "--radix-cache-backend x"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-int8-mamba-checkpoint"},
};

const Fix& no_rounding() {
  static const Fix kFix{{unset(f::enable_mamba_cache_stochastic_rounding)},
                        "states are rounded to nearest"};
  return kFix;
}

void stochastic_rounding(Resolution& r) {
  const Machine& m = r.machine();
  if (r.get(f::mamba_ssm_dtype) != "float16")
    return r.reject(
        kRoundingNeedsFloat16, {repr(r.value(f::mamba_ssm_dtype))},
        {{{set(f::mamba_ssm_dtype, "float16")}, "recurrent states in float16"}, no_rounding()});
  if (!is_cuda(m)) return r.reject(kRoundingNeedsCuda, {}, {no_rounding()});
  if (r.get(f::mamba_backend) == "triton" && !is_sm100_supported(m))
    r.reject(
        kTritonRoundingNeedsSm100, {},
        {{{set(f::mamba_backend, "flashinfer")}, "Mamba-2 kernels of FlashInfer"}, no_rounding()});
}

}  // namespace

void mamba_backend(Resolution& r) {
  if (r.get(f::mamba_cache_philox_rounds) < 0)
    return r.reject(kPhiloxRounds, {}, {{{unset(f::mamba_cache_philox_rounds)}, ""}});
  if (r.since(Release::v0_5_17)) {
    const int64_t states = r.get(f::mamba_max_states_per_path);
    if (states == 0 || states < -1)
      return r.reject(kStatesPerPath, {states}, {{{unset(f::mamba_max_states_per_path)}, ""}});
  }
  const bool rounding = r.get(f::enable_mamba_cache_stochastic_rounding);
  if (rounding) stochastic_rounding(r);
  if (r.get(f::mamba_backend) != "flashinfer") return;
  if (is_flashinfer_available(r.machine())) {
    r.info("Successfully imported FlashInfer mamba module");
  } else {
    r.reject(
        kFlashInferMambaMissing,
        {rounding
             ? " Stochastic rounding with --mamba-backend flashinfer requires FlashInfer Mamba and "
               "--mamba-ssm-dtype float16."
             : ""},
        {{{unset(f::mamba_backend)}, "Mamba-2 kernels of Triton"}});
  }
}

void int8_mamba_checkpoint(Resolution& r) {
  if (!r.get(f::enable_int8_mamba_checkpoint)) return;
  const Fix drop{{unset(f::enable_int8_mamba_checkpoint)}, "cached states take twice the memory"};
  if (r.get(f::enable_hierarchical_cache))
    return r.reject(
        kInt8NotWithHierarchicalCache, {r.since(Release::v0_5_18) ? "" : "(HiMambaRadixCache) "},
        {drop, {{unset(f::enable_hierarchical_cache)}, "no second-level cache in host memory"}});
  if (!r.value(f::radix_cache_backend).is_none())
    r.reject(kInt8NeedsBuiltInCache, {repr(r.value(f::radix_cache_backend))},
             {{{unset(f::radix_cache_backend)}, "SGLang's own prefix cache"}, drop});
}

RuleList mamba_cache_rules() {
  return {&kPhiloxRounds,
          &kStatesPerPath,
          &kRoundingNeedsFloat16,
          &kRoundingNeedsCuda,
          &kTritonRoundingNeedsSm100,
          &kFlashInferMambaMissing,
          &kInt8NotWithHierarchicalCache,
          &kInt8NeedsBuiltInCache};
}

}  // namespace sglint
