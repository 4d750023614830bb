// ReplaySSM for speculative decoding (buffered verify of draft tokens):
// --enable-linear-replayssm-spec, the last third of ServerArgs._handle_linear_attn_backend. 0.5.16
// calls it --enable-gdn-replayssm-spec and judges it otherwise: gdn_replayssm_spec.cpp.

#include "base/text.h"
#include "rules/linear_attention.h"

namespace sglint {

const Rule kSpecNeedsLinearChain{
    .id = "replayssm-spec/needs-linear-draft-chain",
    .exception = "ValueError",
    .message =
        "{} requires a linear draft chain (--speculative-eagle-topk in {{None, 1}}); the chunked "
        "verify kernel uses a strictly-lower causal mask and is invalid for EAGLE tree verify. Got "
        "--speculative-eagle-topk={}.",
    .why =
        "The buffered verify kernel sees each draft token's predecessors as one chain. With top-k "
        "above 1 the drafts form a tree, and a token would also see its siblings.",
    .source = "server_args.py: ServerArgs._handle_linear_attn_backend",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm-spec "
            "--speculative-algorithm NEXTN --speculative-num-steps 3 --speculative-eagle-topk 4 "
            "--speculative-num-draft-tokens 8"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm-spec "
             "--speculative-algorithm NEXTN --speculative-num-steps 3 --speculative-eagle-topk 1 "
             "--speculative-num-draft-tokens 4"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

const Rule kReplaySpecAndPlain{
    .id = "replayssm-spec/not-with-plain-replayssm",
    .exception = "ValueError",
    .message =
        "{} and --enable-linear-replayssm are mutually exclusive: they share the ring storage but "
        "drive it with incompatible cursor protocols (per-decode-forward vs per-verify-commit "
        "advance).",
    .why =
        "One flag buffers plain decode, the other the verify of draft tokens, in the same ring. "
        "With speculative decoding the -spec flag is the one that has an effect.",
    .source = "server_args.py: ServerArgs._handle_linear_attn_backend",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm "
            "--enable-linear-replayssm-spec --disable-radix-cache"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm "
             "--disable-radix-cache"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

namespace {

constexpr std::string_view kHandler = "server_args.py: ServerArgs._handle_linear_attn_backend";

constexpr Rule kSpecDecodeBackend{
    .id = "replayssm-spec/needs-triton-or-flashinfer-decode",
    .exception = "ValueError",
    .message =
        "--enable-linear-replayssm-spec requires the triton or flashinfer linear-attn decode "
        "backend, got --linear-attn-decode-backend={}.",
    .why =
        "The commit of verified drafts is written for Triton and FlashInfer states only. The "
        "backend named in the message can come from --linear-attn-backend.",
    .source = kHandler,
    .bad = {"--model-path moonshotai/Kimi-Linear-48B-A3B-Instruct --trust-remote-code "
            "--enable-linear-replayssm-spec --linear-attn-decode-backend helion"},
    .good = {"--model-path moonshotai/Kimi-Linear-48B-A3B-Instruct --trust-remote-code "
             "--enable-linear-replayssm-spec --linear-attn-decode-backend triton"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kSpecRaggedVerify{
    .id = "replayssm-spec/ragged-verify-needs-kda-family",
    .exception = "ValueError",
    .message =
        "--enable-linear-replayssm-spec with SGLANG_RAGGED_VERIFY_MODE={} requires the KDA "
        "fold-every-commit family (DSPARK/DFLASH) and a ring-writing verify kernel "
        "(--linear-attn-verify-backend triton or nv_cutedsl); got algorithm={}, verify={}. Use "
        "SGLANG_RAGGED_VERIFY_MODE=static.",
    .why =
        "Where requests verify different numbers of draft tokens, only the KDA kernels behind "
        "DSPARK and DFLASH write the ring. The verify backend must be named: None is refused "
        "although it means the decode backend elsewhere.",
    .source = kHandler,
    // An environment variable triggers it, which an example command cannot carry.
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kSpecNotOnPrefillServer{
    .id = "replayssm-spec/not-on-prefill-server",
    .exception = "ValueError",
    .message =
        "--enable-linear-replayssm-spec is not supported on a PD prefill server: the ring is "
        "spec-verify-only scratch and the prefill server never runs spec verify.",
    .why =
        "A prefill server hands its requests on before any draft token is verified: the ring would "
        "only take memory. Give the flag to the decode server alone.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm-spec "
            "--disaggregation-mode prefill"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --disaggregation-mode prefill"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kRaggedVerifyMode{
    .id = "environment/ragged-verify-mode",
    .exception = "ValueError",
    .message =
        "invalid SGLANG_RAGGED_VERIFY_MODE={}; expected one of 'static', 'cap-accept', 'compact'",
    .why = "The variable is read by its exact spelling, in lower case.",
    .source = "speculative/ragged_verify.py: read_ragged_verify_mode",
    // An environment variable triggers it, which an example command cannot carry.
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

constexpr std::string_view kDropSpecReplay = "draft tokens are verified unbuffered";

}  // namespace

bool needs_linear_chain(Resolution& r, std::string_view flag, const Fix& drop) {
  const auto topk = r.get(f::speculative_eagle_topk);
  if (!topk || *topk == 1) return true;
  r.reject(kSpecNeedsLinearChain, {flag, *topk},
           {{{set(f::speculative_eagle_topk, "1")},
             "one draft chain instead of a tree: fewer drafts accepted"},
            drop});
  return false;
}

void replayssm_spec_guards(Resolution& r, std::string_view decode) {
  const Fix drop{{unset(f::enable_linear_replayssm_spec)}, kDropSpecReplay};
  if (!needs_linear_chain(r, "--enable-linear-replayssm-spec", drop)) return;
  if (decode != "triton" && decode != "flashinfer")
    return r.reject(kSpecDecodeBackend, {repr(decode)},
                    {{{set(f::linear_attn_decode_backend, "triton")}, ""}, drop},
                    {f::linear_attn_backend.id});
  const Value setting = r.env().get("SGLANG_RAGGED_VERIFY_MODE");  // keeps the text alive
  const std::string_view mode = setting.as_str();
  if (!one_of(mode, {"static", "cap-accept", "compact"}))
    return r.reject(kRaggedVerifyMode, {repr(mode)},
                    {{{unset_env("SGLANG_RAGGED_VERIFY_MODE")}, ""}});
  if (mode != "static") {
    const std::string algorithm = upper(r.get(f::speculative_algorithm).value_or(""));
    const std::string_view verify = r.get(f::linear_attn_verify_backend).value_or("");
    if (!one_of(algorithm, {"DSPARK", "DFLASH"}) || !one_of(verify, {"triton", "nv_cutedsl"}))
      return r.reject(kSpecRaggedVerify,
                      {mode, repr(r.value(f::speculative_algorithm)),
                       repr(r.value(f::linear_attn_verify_backend))},
                      {{{unset_env("SGLANG_RAGGED_VERIFY_MODE")},
                        "every request verifies all its draft tokens"},
                       drop},
                      {f::speculative_algorithm.id, f::linear_attn_verify_backend.id});
  }
  if (r.get(f::disaggregation_mode) == "prefill")
    return r.reject(kSpecNotOnPrefillServer, {}, {{{unset(f::enable_linear_replayssm_spec)}, ""}},
                    {f::disaggregation_mode.id});
  if (r.get(f::enable_linear_replayssm))
    return r.reject(kReplaySpecAndPlain, {"--enable-linear-replayssm-spec"},
                    r.value(f::speculative_algorithm).is_none()
                        ? std::vector<Fix>{{{unset(f::enable_linear_replayssm_spec)}, ""}}
                        : std::vector<Fix>{{{unset(f::enable_linear_replayssm)}, ""}, drop},
                    {f::enable_linear_replayssm.id});
  if (r.value(f::mamba_ssm_dtype).is_none()) {
    r.info(
        "--enable-linear-replayssm-spec: setting --mamba-ssm-dtype float32 (the closed-loop exact "
        "fold keeps the SSM checkpoint bit-identical to the recurrent baseline).");
    r.set(f::mamba_ssm_dtype, "float32",
          "The buffered verify keeps the state exact only in float32.");
  } else if (r.get(f::mamba_ssm_dtype) != "float32") {
    r.warn(
        "--enable-linear-replayssm-spec with --mamba-ssm-dtype={}: the closed-loop fold "
        "re-quantizes the committed state each commit/flush (fp32 keeps it bit-exact to the fp32 "
        "recurrent baseline), so it may drift over long sequences. Validate accuracy for your "
        "model.",
        {r.value(f::mamba_ssm_dtype)});
  }
}

RuleList replayssm_spec_rules() {
  return {&kSpecNeedsLinearChain, &kReplaySpecAndPlain,     &kSpecDecodeBackend,
          &kSpecRaggedVerify,     &kSpecNotOnPrefillServer, &kRaggedVerifyMode};
}

}  // namespace sglint
