// Backends of linear attention (GDN, KDA, lightning) per phase:
// ServerArgs._handle_linear_attn_backend.
//
// --linear-attn-backend is the base; prefill, decode and verify each have a flag that falls back to
// it. The handler runs for every model, hybrid or not: the flags are judged even where nothing
// reads them.

#include "rules/linear_attention.h"

#include "base/text.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kFlashKdaIsPrefillOnly{
    .id = "linear-attention/flashkda-is-prefill-only",
    .exception = "ValueError",
    .message =
        "--linear-attn-decode-backend flashkda is not supported: FlashKDA is prefill-only. Use "
        "--linear-attn-prefill-backend flashkda (decode stays on triton).",
    .why =
        "FlashKDA has kernels for prefill only. SGLang refuses it when it is named for decode, but "
        "takes --linear-attn-backend flashkda: there it quietly runs decode on Triton.",
    .source = "server_args.py: ServerArgs._handle_linear_attn_backend",
    .bad = {"--model-path moonshotai/Kimi-Linear-48B-A3B-Instruct --trust-remote-code "
            "--linear-attn-prefill-backend flashkda --linear-attn-decode-backend flashkda"},
    .good = {"--model-path moonshotai/Kimi-Linear-48B-A3B-Instruct --trust-remote-code "
             "--linear-attn-prefill-backend flashkda"},
};

constexpr Rule kFlashInferDecodeNeedsBf16State{
    .id = "linear-attention/flashinfer-decode-needs-bf16-state",
    .exception = "ValueError",
    .message =
        "--linear-attn-decode-backend flashinfer on SM100+ requires --mamba-ssm-dtype bfloat16, "
        "got {}",
    .why =
        "On Blackwell, FlashInfer's decode kernel keeps the recurrent state in bfloat16 and "
        "nothing else. Only the flag --mamba-ssm-dtype counts: `got None` means that the flag was "
        "not given, even if the model's config.json asks for bfloat16. \"SM100+\" takes in SM120 "
        "(RTX 5090, RTX PRO 6000), and the check also fires when --linear-attn-backend flashinfer "
        "chose the decode backend.",
    .source = "server_args.py: ServerArgs._handle_linear_attn_backend",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-decode-backend flashinfer",
            "b200"},
    .good =
        {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-decode-backend flashinfer "
         "--mamba-ssm-dtype bfloat16",
         "b200"},
};

constexpr Rule kFlashInferVerifyNeedsBf16State{
    .id = "linear-attention/flashinfer-verify-needs-bf16-state",
    .exception = "ValueError",
    .message =
        "--linear-attn-verify-backend flashinfer on SM100+ requires --mamba-ssm-dtype bfloat16, "
        "got {}",
    .why =
        "On Blackwell, FlashInfer's kernel that verifies draft tokens keeps the recurrent state in "
        "bfloat16 and nothing else. Only the flag --mamba-ssm-dtype counts, not the model's "
        "config.json, and the check fires without speculative decoding too, although verify never "
        "runs then.",
    .source = "server_args.py: ServerArgs._handle_linear_attn_backend",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-verify-backend flashinfer",
            "b200"},
    .good =
        {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-verify-backend flashinfer "
         "--mamba-ssm-dtype bfloat16",
         "b200"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kFlashInferPrefillNeedsCuda13{
    .id = "linear-attention/flashinfer-prefill-needs-cuda-13",
    .exception = "ValueError",
    .message = "--linear-attn-prefill-backend flashinfer on SM100+ requires CUDA 13+, got CUDA {}",
    .why =
        "On Blackwell, FlashInfer's prefill kernel for linear attention is built with CuTe DSL, "
        "which needs a PyTorch built for CUDA 13. What counts is torch.version.cuda, not the "
        "driver. The check also fires when --linear-attn-backend flashinfer chose the prefill "
        "backend.",
    .source = "server_args.py: ServerArgs._handle_linear_attn_backend",
    .bad =
        {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-prefill-backend flashinfer",
         "b200-cu128"},
    .good =
        {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --linear-attn-prefill-backend flashinfer",
         "b200"},
};

// Explains the default, never rejects.
constexpr const char* kFlashInferDecodeDefault =
    "On SM100 with --mamba-ssm-dtype bfloat16, FlashInfer is the default decode backend of linear "
    "attention.";
constexpr const char* kFlashKdaDecodesOnTriton =
    "FlashKDA has no decode kernel: --linear-attn-backend flashkda keeps it for prefill, and "
    "decode runs on Triton.";

constexpr std::string_view kBf16StatePrice =
    "recurrent state in 16 bits: half the state memory, less exact over long sequences";

bool is_sm100_or_later(const Machine& m) { return is_cuda(m) && m.sm_major >= 10; }

// What a flag of one phase is changed to when its backend must not be FlashInfer. Where only the
// base flag was given, the phase gets a flag of its own and the other phases keep the base.
Fix use_triton(Key<std::optional<std::string_view>> phase, std::string_view price) {
  return {{set(phase, "triton")}, price};
}

}  // namespace

void linear_attn_backend(Resolution& r) {
  const Machine& m = r.machine();
  const bool has_helion = r.since(Release::v0_5_18);
  if (r.value(f::linear_attn_decode_backend).is_none() &&
      !(has_helion && r.get(f::linear_attn_backend) == "helion") && is_sm100_supported(m) &&
      r.get(f::mamba_ssm_dtype) == "bfloat16") {
    r.set(f::linear_attn_decode_backend, "flashinfer", kFlashInferDecodeDefault);
    r.info(
        "SM100+ detected with mamba-ssm-dtype=bfloat16, defaulting --linear-attn-decode-backend to "
        "flashinfer.");
  }

  std::string_view decode =
      r.get(f::linear_attn_decode_backend).value_or(r.get(f::linear_attn_backend));
  if (decode == "flashkda") {
    if (r.get(f::linear_attn_decode_backend) == "flashkda") {
      std::vector<Fix> fixes{{{unset(f::linear_attn_decode_backend)}, ""}};
      if (r.get(f::linear_attn_prefill_backend).value_or(r.get(f::linear_attn_backend)) !=
          "flashkda")
        fixes.push_back({{unset(f::linear_attn_decode_backend),
                          set(f::linear_attn_prefill_backend, "flashkda")},
                         "FlashKDA for prefill, as was perhaps meant"});
      return r.reject(kFlashKdaIsPrefillOnly, {}, std::move(fixes),
                      {f::linear_attn_prefill_backend.id});
    }
    r.set(f::linear_attn_decode_backend, "triton", kFlashKdaDecodesOnTriton);
    decode = "triton";
    r.info("FlashKDA is prefill-only; using triton for KDA decode (FlashKDA stays on prefill).");
  }

  const bool needs_bf16_state = is_sm100_or_later(m) && r.get(f::mamba_ssm_dtype) != "bfloat16";
  const Fix bf16_state{{set(f::mamba_ssm_dtype, "bfloat16")}, kBf16StatePrice};
  if (decode == "flashinfer" && needs_bf16_state) {
    return r.reject(kFlashInferDecodeNeedsBf16State, {repr(r.value(f::mamba_ssm_dtype))},
                    {bf16_state, use_triton(f::linear_attn_decode_backend,
                                            "Triton decode is slower on Blackwell")},
                    {f::linear_attn_backend.id});
  }
  if (r.since(Release::v0_5_17)) {
    auto verify = r.get(f::linear_attn_verify_backend);
    if (!verify && decode == "flashinfer") verify = "flashinfer";
    if (verify == "flashinfer" && needs_bf16_state) {
      return r.reject(
          kFlashInferVerifyNeedsBf16State, {repr(r.value(f::mamba_ssm_dtype))},
          {use_triton(f::linear_attn_verify_backend, "verify of draft tokens runs on Triton"),
           bf16_state});
    }
  }

  const std::string_view prefill =
      r.get(f::linear_attn_prefill_backend).value_or(r.get(f::linear_attn_backend));
  if (prefill == "flashinfer" && is_sm100_or_later(m) && cuda_major(m) < 13) {
    return r.reject(
        kFlashInferPrefillNeedsCuda13, {m.cuda.value_or("unknown")},
        {use_triton(f::linear_attn_prefill_backend, "linear-attention prefill runs on Triton")},
        {f::linear_attn_backend.id});
  }

  if (r.get(f::enable_linear_replayssm)) replayssm_guards(r, decode);
  if (r.get(f::enable_gdn_replayssm_spec)) gdn_replayssm_spec_guards(r, decode);
  if (r.get(f::enable_linear_replayssm_spec)) replayssm_spec_guards(r, decode);
}

RuleList linear_attention_rules() {
  return {&kFlashKdaIsPrefillOnly, &kFlashInferDecodeNeedsBf16State,
          &kFlashInferVerifyNeedsBf16State, &kFlashInferPrefillNeedsCuda13};
}

}  // namespace sglint
