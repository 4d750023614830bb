// ReplaySSM, buffered decode of linear attention: the second half of
// ServerArgs._handle_linear_attn_backend. Its speculative variant stands in replayssm_spec.cpp.

#include "base/text.h"
#include "rules/linear_attention.h"
#include "rules/mamba_radix_cache.h"

namespace sglint {
namespace {

constexpr std::string_view kHandler = "server_args.py: ServerArgs._handle_linear_attn_backend";

constexpr Rule kNeedsTritonOrHelion{
    .id = "replayssm/needs-triton-or-helion-decode",
    .exception = "ValueError",
    .message =
        "--enable-linear-replayssm requires Triton, or Helion for KDA, as the linear-attn decode "
        "backend; got --linear-attn-decode-backend={}.",
    .why =
        "ReplaySSM buffers decode inputs in a ring that only the Triton kernels (and, for KDA, "
        "Helion's) read. The backend named in the message need not have been typed: it can come "
        "from --linear-attn-backend, or from the FlashInfer default on Blackwell with a bfloat16 "
        "state.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm "
            "--linear-attn-decode-backend flashinfer"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm "
             "--linear-attn-decode-backend triton --mamba-radix-cache-strategy no_buffer "
             "--disable-overlap-schedule"},
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

constexpr Rule kNeedsTriton{
    .id = "replayssm/needs-triton-decode",
    .exception = "ValueError",
    .message =
        "--enable-linear-replayssm requires the Triton linear-attn decode backend, got "
        "--linear-attn-decode-backend={}.",
    .why =
        "ReplaySSM buffers decode inputs in a ring that only the Triton kernels read. The backend "
        "named in the message need not have been typed: it can come from --linear-attn-backend, or "
        "from the FlashInfer default on Blackwell with a bfloat16 state.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm "
            "--linear-attn-decode-backend flashinfer",
            "h100", "0.5.17"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm "
             "--linear-attn-decode-backend triton --mamba-radix-cache-strategy no_buffer "
             "--disable-overlap-schedule",
             "h100", "0.5.17"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_17},
};

constexpr Rule kNeedsNoBuffer{
    .id = "replayssm/needs-no-buffer",
    .exception = "ValueError",
    .message =
        "--enable-linear-replayssm requires --mamba-radix-cache-strategy no_buffer (the default); "
        "the extra_buffer ping-pong donation path is not yet supported (follow-up). Got "
        "--mamba-radix-cache-strategy={}.",
    .why =
        "no_buffer is not the default, whatever the message says: the default is `auto`, and "
        "`auto` becomes extra_buffer wherever overlap scheduling is on, which it is unless it was "
        "switched off. Passing no_buffer alone then fails too, because no_buffer does not work "
        "with overlap scheduling: it takes --disable-overlap-schedule as well, or no prefix cache "
        "at all (--disable-radix-cache).",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm "
             "--mamba-radix-cache-strategy no_buffer --disable-overlap-schedule"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

// The flag had been renamed everywhere but in the message, so that building the message fails.
constexpr Rule kNeedsNoBufferUnnamed{
    .id = "replayssm/needs-no-buffer-attribute-error",
    .exception = "AttributeError",
    .message = "'ServerArgs' object has no attribute 'mamba_scheduler_strategy'",
    .why =
        "A slip in this release: SGLang means to say that ReplaySSM needs "
        "--mamba-radix-cache-strategy no_buffer, but the message still reads the flag's old name, "
        "so that composing it fails. The cure is the same: no_buffer with "
        "--disable-overlap-schedule, or --disable-radix-cache.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm", "h100",
            "0.5.15.post1"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm "
             "--mamba-radix-cache-strategy no_buffer --disable-overlap-schedule",
             "h100", "0.5.15.post1"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_15_post1},
};

constexpr Rule kNotUnderPdDisaggregation{
    .id = "replayssm/not-under-pd-disaggregation",
    .exception = "ValueError",
    .message =
        "--enable-linear-replayssm is not supported under PD disaggregation yet (follow-up). Got "
        "--disaggregation-mode={}.",
    .why = "The state pool of a prefill or decode server has no ring for ReplaySSM.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm "
            "--mamba-radix-cache-strategy no_buffer --disable-overlap-schedule "
            "--disaggregation-mode prefill"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm "
             "--mamba-radix-cache-strategy no_buffer --disable-overlap-schedule"},
};

constexpr std::string_view kDropReplay = "linear-attention decode runs unbuffered";
constexpr std::string_view kNoOverlap =
    "overlap scheduling off: the GPU waits for the scheduler between steps";
constexpr std::string_view kNoPrefixCache = "no prefix cache: shared prompts are computed again";

}  // namespace

const Rule kReplayRingEmpty{
    .id = "replayssm/ring-length-must-be-positive",
    .exception = "ValueError",
    .message = "--linear-replayssm-cache-len must be >= 1, got {}.",
    .why =
        "The ring holds this many decode steps before they are folded into the state; a ring of "
        "none cannot hold the step that is running.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm "
            "--disable-radix-cache --linear-replayssm-cache-len 0"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm "
             "--disable-radix-cache --linear-replayssm-cache-len 16"},
};

void replayssm_guards(Resolution& r, std::string_view decode) {
  const bool helion_too = r.since(Release::v0_5_18);
  const Fix drop{{unset(f::enable_linear_replayssm)}, kDropReplay};
  if (decode != "triton" && !(helion_too && decode == "helion")) {
    return r.reject(helion_too ? kNeedsTritonOrHelion : kNeedsTriton, {repr(decode)},
                    {{{set(f::linear_attn_decode_backend, "triton")}, ""}, drop},
                    {f::enable_linear_replayssm.id, f::linear_attn_backend.id});
  }
  if (mamba_extra_buffer_of(r)) {
    // The message shows self.mamba_radix_cache_strategy, which may still read `auto` when the
    // extra_buffer that was decided is only declared.
    return r.reject(
        r.since(Release::v0_5_16) ? kNeedsNoBuffer : kNeedsNoBufferUnnamed,
        {repr(r.value(f::mamba_radix_cache_strategy))},
        {{{unset(f::mamba_radix_cache_strategy), set(f::disable_overlap_schedule)}, kNoOverlap},
         {{unset(f::mamba_radix_cache_strategy), set(f::disable_radix_cache)}, kNoPrefixCache},
         drop},
        {f::enable_linear_replayssm.id});
  }
  if (r.get(f::disaggregation_mode) != "null")
    return r.reject(kNotUnderPdDisaggregation, {repr(r.value(f::disaggregation_mode))}, {drop},
                    {f::disaggregation_mode.id});
  if (r.get(f::linear_replayssm_cache_len) < 1)
    return r.reject(kReplayRingEmpty, {r.get(f::linear_replayssm_cache_len)},
                    {{{unset(f::linear_replayssm_cache_len)}, ""}});
}

RuleList replayssm_rules() {
  return {&kNeedsTritonOrHelion,      &kNeedsTriton,    &kNeedsNoBuffer, &kNeedsNoBufferUnnamed,
          &kNotUnderPdDisaggregation, &kReplayRingEmpty};
}

}  // namespace sglint
