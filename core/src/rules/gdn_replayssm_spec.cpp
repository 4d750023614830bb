// --enable-gdn-replayssm-spec, as 0.5.16 calls the buffered verify of draft tokens: the last third
// of its ServerArgs._handle_linear_attn_backend, and _validate_gdn_replayssm_spec_ring.

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "rules/linear_attention.h"
#include "rules/mamba_radix_cache.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kHandler = "server_args.py: ServerArgs._handle_linear_attn_backend";

constexpr Rule kGdnSpecDecodeBackend{
    .id = "replayssm-spec/needs-triton-decode",
    .exception = "ValueError",
    .message =
        "--enable-gdn-replayssm-spec requires the Triton linear-attn decode backend, got "
        "--linear-attn-decode-backend={}.",
    .why =
        "In this release only the Triton kernels read the ring of the buffered verify. The backend "
        "named in the message can come from --linear-attn-backend or from the FlashInfer default "
        "on Blackwell.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-gdn-replayssm-spec "
            "--linear-attn-decode-backend flashinfer",
            "h100", "0.5.16"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-gdn-replayssm-spec "
             "--disable-radix-cache",
             "h100", "0.5.16"},
    .releases = {Release::v0_5_16, Release::v0_5_16},
};

constexpr Rule kGdnSpecNotWithExtraBuffer{
    .id = "replayssm-spec/not-with-extra-buffer",
    .exception = "ValueError",
    .message =
        "--enable-gdn-replayssm-spec is not yet compatible with mamba extra_buffer (radix prefix "
        "caching); use --disable-radix-cache or --mamba-radix-cache-strategy no_buffer.",
    .why =
        "In this release the ring is not flushed where the prefix cache snapshots a state. "
        "no_buffer, which the message offers too, does not work with overlap scheduling or "
        "speculative decoding; --disable-radix-cache does.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-gdn-replayssm-spec "
            "--mamba-radix-cache-strategy extra_buffer",
            "h100", "0.5.16"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-gdn-replayssm-spec "
             "--disable-radix-cache",
             "h100", "0.5.16"},
    .releases = {Release::v0_5_16, Release::v0_5_16},
};

constexpr Rule kGdnSpecNotUnderPd{
    .id = "replayssm-spec/not-under-pd-disaggregation",
    .exception = "ValueError",
    .message =
        "--enable-gdn-replayssm-spec is not supported under PD disaggregation yet (follow-up). Got "
        "--disaggregation-mode={}.",
    .why =
        "The state pool of a prefill or decode server has no ring for the buffered verify in this "
        "release; from 0.5.17 on, decode servers have one.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-gdn-replayssm-spec "
            "--disable-radix-cache --disaggregation-mode prefill",
            "h100", "0.5.16"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-gdn-replayssm-spec "
             "--disable-radix-cache",
             "h100", "0.5.16"},
    .releases = {Release::v0_5_16, Release::v0_5_16},
};

constexpr Rule kGdnSpecRingPowerOfTwo{
    .id = "replayssm-spec/ring-length-must-be-power-of-two",
    .exception = "ValueError",
    .message =
        "--linear-replayssm-cache-len must be a power of two for the circular spec-verify ring, "
        "got {}.",
    .why = "In this release the verify kernel wraps ring positions with a bit mask.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-gdn-replayssm-spec "
            "--disable-radix-cache --linear-replayssm-cache-len 12",
            "h100", "0.5.16"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-gdn-replayssm-spec "
             "--disable-radix-cache --linear-replayssm-cache-len 16",
             "h100", "0.5.16"},
    .releases = {Release::v0_5_16, Release::v0_5_16},
};

constexpr Rule kGdnSpecNeedsFloat32State{
    .id = "replayssm-spec/needs-float32-state",
    .exception = "ValueError",
    .message =
        "--enable-gdn-replayssm-spec requires --mamba-ssm-dtype float32, got {}. The closed-loop "
        "exact fold keeps the committed state bit-identical to the recurrent baseline, which is "
        "only meaningful against the fp32 checkpoint; a 16-bit checkpoint would re-quantize it "
        "every flush.",
    .why =
        "In this release the buffered verify accepts a float32 state only; from 0.5.17 on, 16 bits "
        "is a warning.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-gdn-replayssm-spec "
            "--disable-radix-cache --mamba-ssm-dtype bfloat16",
            "h100", "0.5.16"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-gdn-replayssm-spec "
             "--disable-radix-cache --mamba-ssm-dtype float32",
             "h100", "0.5.16"},
    .releases = {Release::v0_5_16, Release::v0_5_16},
};

constexpr Rule kGdnSpecRingTooShort{
    .id = "replayssm-spec/ring-shorter-than-two-drafts",
    .exception = "ValueError",
    .message =
        "--linear-replayssm-cache-len must be >= 2 * the maximum speculative draft-token count for "
        "the spec-verify ring (early-flush margin), got {} < {}.",
    .why =
        "A verify step writes all its draft tokens into the ring before older ones are folded into "
        "the state, so the ring needs room for two steps.",
    .source = "server_args.py: ServerArgs._validate_gdn_replayssm_spec_ring",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-gdn-replayssm-spec "
            "--disable-radix-cache --speculative-algorithm NEXTN --speculative-num-steps 3 "
            "--speculative-eagle-topk 1 --speculative-num-draft-tokens 4 "
            "--linear-replayssm-cache-len 4",
            "h100", "0.5.16"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-gdn-replayssm-spec "
             "--disable-radix-cache --speculative-algorithm NEXTN --speculative-num-steps 3 "
             "--speculative-eagle-topk 1 --speculative-num-draft-tokens 4 "
             "--linear-replayssm-cache-len 8",
             "h100", "0.5.16"},
    .releases = {Release::v0_5_16, Release::v0_5_16},
};

constexpr std::string_view kDropSpecReplay = "draft tokens are verified unbuffered";
constexpr std::string_view kNoPrefixCache = "no prefix cache: shared prompts are computed again";

// ServerArgs.max_speculative_num_draft_tokens: adaptive speculation (a draft chain) goes up to the
// longest candidate of any batch size, which is 7 steps unless the configuration file says
// otherwise.
std::optional<int64_t> max_draft_tokens(const Resolution& r) {
  if (r.value(f::speculative_num_draft_tokens).is_none()) return std::nullopt;
  if (!r.get(f::speculative_adaptive)) return r.get(f::speculative_num_draft_tokens);
  if (r.value(f::speculative_adaptive_config).is_none()) return 7 + 1;
  const auto file = r.facts().files.find(r.get(f::speculative_adaptive_config).value_or(""));
  const auto config = file == r.facts().files.end() ? std::nullopt : parse_json(file->second);
  if (!config) return std::nullopt;
  int64_t most = 0;
  for (const auto& [batch_size, entry] : config->as_dict())
    for (const Value& steps : entry["candidate_steps"].as_list())
      most = std::max(most, steps.as_int());
  return most + 1;
}

}  // namespace

// 0.5.16's --enable-gdn-replayssm-spec, after the top-k guard that all releases share.
void gdn_replayssm_spec_guards(Resolution& r, std::string_view decode) {
  const Fix drop{{unset(f::enable_gdn_replayssm_spec)}, kDropSpecReplay};
  if (!needs_linear_chain(r, "--enable-gdn-replayssm-spec", drop)) return;
  if (decode != "triton")
    return r.reject(kGdnSpecDecodeBackend, {repr(decode)},
                    {{{set(f::linear_attn_decode_backend, "triton")}, ""}, drop},
                    {f::linear_attn_backend.id});
  if (enable_mamba_extra_buffer(r))
    return r.reject(kGdnSpecNotWithExtraBuffer, {},
                    {{{set(f::disable_radix_cache)}, kNoPrefixCache}, drop},
                    {f::mamba_radix_cache_strategy.id});
  if (r.get(f::disaggregation_mode) != "null")
    return r.reject(kGdnSpecNotUnderPd, {repr(r.value(f::disaggregation_mode))}, {drop},
                    {f::disaggregation_mode.id});
  const int64_t ring = r.get(f::linear_replayssm_cache_len);
  const Fix default_ring{{unset(f::linear_replayssm_cache_len)}, ""};
  if (ring < 1) return r.reject(kReplayRingEmpty, {ring}, {default_ring});
  if (r.get(f::enable_linear_replayssm))
    return r.reject(kReplaySpecAndPlain, {"--enable-gdn-replayssm-spec"},
                    {{{unset(f::enable_linear_replayssm)}, ""}, drop});
  if ((ring & (ring - 1)) != 0) return r.reject(kGdnSpecRingPowerOfTwo, {ring}, {default_ring});
  if (r.value(f::mamba_ssm_dtype).is_none()) {
    r.info(
        "--enable-gdn-replayssm-spec: setting --mamba-ssm-dtype float32 (the closed-loop exact "
        "fold requires the fp32 SSM checkpoint for recurrent-parity).");
    r.set(f::mamba_ssm_dtype, "float32",
          "The buffered verify keeps the state exact only in float32.");
  } else if (r.get(f::mamba_ssm_dtype) != "float32") {
    r.reject(
        kGdnSpecNeedsFloat32State, {repr(r.value(f::mamba_ssm_dtype))},
        {{{set(f::mamba_ssm_dtype, "float32")}, "recurrent states take twice the memory"}, drop});
  }
}

// 0.5.16 only: runs after speculative decoding is resolved, when the number of draft tokens is
// final.
void validate_gdn_replayssm_spec_ring(Resolution& r) {
  if (!r.get(f::enable_gdn_replayssm_spec)) return;
  const std::optional<int64_t> drafts = max_draft_tokens(r);
  const int64_t ring = r.get(f::linear_replayssm_cache_len);
  if (!drafts || ring >= 2 * *drafts) return;
  int64_t enough = 1;
  while (enough < 2 * *drafts) enough *= 2;
  r.reject(kGdnSpecRingTooShort, {ring, 2 * *drafts},
           {{{set(f::linear_replayssm_cache_len, std::to_string(enough))},
             "a longer ring takes more state memory"},
            {{unset(f::enable_gdn_replayssm_spec)}, kDropSpecReplay}});
}

RuleList gdn_replayssm_spec_rules() {
  return {&kGdnSpecDecodeBackend,  &kGdnSpecNotWithExtraBuffer, &kGdnSpecNotUnderPd,
          &kGdnSpecRingPowerOfTwo, &kGdnSpecNeedsFloat32State,  &kGdnSpecRingTooShort};
}

}  // namespace sglint
