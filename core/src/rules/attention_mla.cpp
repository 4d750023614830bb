// MLA decode backends of Blackwell and what they ask of GPU and KV cache:
// _mla_kv_cache_dtype_checks and _cutedsl_prefill_backend_fill (arg_groups/overrides.py).

#include "base/text.h"
#include "rules/attention_passes.h"

namespace sglint {
namespace {

constexpr Rule kTrtllmMlaNeedsBlackwell{
    .id = "attention/trtllm-mla-needs-blackwell",
    .exception = "ValueError",
    .message =
        "TRTLLM MLA backend is only supported on Blackwell GPUs (SM100/SM12x). Please use a "
        "different backend.",
    .why =
        "TRT-LLM's MLA kernels exist for Blackwell only. The check looks at the GPU, not at the "
        "model: it also fires for models without MLA.",
    .source = "arg_groups/overrides.py: _mla_kv_cache_dtype_checks",
    .bad = {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --attention-backend trtllm_mla",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --attention-backend fa3", "h200"},
};

constexpr Rule kTrtllmMlaKvDtype{
    .id = "attention/trtllm-mla-kv-cache-dtype",
    .exception = "ValueError",
    .message =
        "TensorRT-LLM MLA backend only supports kv-cache-dtype of fp8_e4m3, fp4_e2m1, bf16, or "
        "auto.",
    .why =
        "TRT-LLM's MLA kernels read those KV cache formats only. `bfloat16` is refused although "
        "`bf16` names the same thing.",
    .source = "arg_groups/overrides.py: _mla_kv_cache_dtype_checks",
    .bad = {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --attention-backend trtllm_mla "
            "--kv-cache-dtype fp8_e5m2",
            "b200"},
    .good = {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --attention-backend trtllm_mla "
             "--kv-cache-dtype fp8_e4m3",
             "b200"},
};

constexpr Rule kTokenspeedNeedsBlackwell{
    .id = "attention/tokenspeed-mla-needs-blackwell",
    .exception = "ValueError",
    .message = "tokenspeed_mla backend is only supported on Blackwell GPUs (SM100/SM12x).",
    .why = "The tokenspeed kernels exist for Blackwell only.",
    .source = "arg_groups/overrides.py: _mla_kv_cache_dtype_checks",
    .bad = {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --attention-backend tokenspeed_mla "
            "--kv-cache-dtype fp8_e4m3",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --attention-backend tokenspeed_mla "
             "--kv-cache-dtype fp8_e4m3",
             "b200"},
};

constexpr Rule kTokenspeedKvDtype{
    .id = "attention/tokenspeed-mla-needs-fp8-kv-cache",
    .exception = "ValueError",
    .message = "tokenspeed_mla backend requires kv-cache-dtype=fp8_e4m3, got {}.",
    .why =
        "The tokenspeed kernels read an fp8_e4m3 KV cache only. `auto` is refused too: it has to "
        "be asked for.",
    .source = "arg_groups/overrides.py: _mla_kv_cache_dtype_checks",
    .bad = {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --attention-backend tokenspeed_mla",
            "b200"},
    .good = {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --attention-backend tokenspeed_mla "
             "--kv-cache-dtype fp8_e4m3",
             "b200"},
};

constexpr Rule kCuteDslDecodeOnly{
    .id = "attention/cutedsl-mla-is-decode-only",
    .exception = "AssertionError",
    .message = "CuteDSL MLA only supports decoding for now",
    .why =
        "CuteDSL MLA has no prefill kernel. Name it for decode alone; prefill then runs on "
        "trtllm_mla.",
    .source = "arg_groups/overrides.py: _cutedsl_prefill_backend_fill",
    .bad =
        {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --prefill-attention-backend cutedsl_mla",
         "b200"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --decode-attention-backend cutedsl_mla",
         "b200"},
};

constexpr Rule kCuteDslNeedsSm100{
    .id = "attention/cutedsl-mla-needs-sm100",
    .exception = "ValueError",
    .message =
        "CuteDSL MLA backend is only supported on Blackwell GPUs (SM100). Please use a different "
        "backend.",
    .why =
        "The CuteDSL MLA kernel exists for data-centre Blackwell only: not for SM120 (RTX 5090, "
        "RTX PRO 6000).",
    .source = "arg_groups/overrides.py: _cutedsl_prefill_backend_fill",
    .bad =
        {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --decode-attention-backend cutedsl_mla",
         "h200"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --decode-attention-backend cutedsl_mla",
         "b200"},
};

constexpr Rule kCuteDslKvDtype{
    .id = "attention/cutedsl-mla-kv-cache-dtype",
    .exception = "ValueError",
    .message = "CuteDSL MLA backend only supports kv-cache-dtype of fp8_e4m3, bf16, or auto.",
    .why = "The CuteDSL MLA kernel reads those KV cache formats only.",
    .source = "arg_groups/overrides.py: _cutedsl_prefill_backend_fill",
    .bad =
        {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --decode-attention-backend cutedsl_mla "
         "--kv-cache-dtype fp8_e5m2",
         "b200"},
    .good =
        {"--model-path deepseek-ai/DeepSeek-R1 --tp-size 8 --decode-attention-backend cutedsl_mla "
         "--kv-cache-dtype fp8_e4m3",
         "b200"},
};

constexpr std::string_view kOtherBackend =
    "attention runs on the backend that SGLang picks for this GPU";

}  // namespace

std::vector<Edit> without_attention_backend(const Resolution& r, std::string_view backend,
                                            std::string_view instead) {
  std::vector<Edit> edits;
  for (const auto& key :
       {f::attention_backend, f::prefill_attention_backend, f::decode_attention_backend}) {
    if (r.typed(key) && r.get(key) == backend) edits.push_back(unset(key));
  }
  if (edits.empty()) edits.push_back(set(f::attention_backend, std::string(instead)));
  return edits;
}

void mla_kv_cache_dtype_checks(Resolution& r) {
  const auto used = [&](std::string_view backend) {
    return r.view(f::attention_backend) == backend ||
           r.view(f::decode_attention_backend) == backend;
  };
  const bool blackwell = is_blackwell_supported(r.machine());
  const std::string_view dtype = r.view(f::kv_cache_dtype);
  const Fix plain_cache{{unset(f::kv_cache_dtype)}, "KV cache in the model's own type"};
  const Fix fp8_cache{{set(f::kv_cache_dtype, "fp8_e4m3")},
                      "KV cache in 8 bits: half the memory, less exact"};
  if (used("trtllm_mla")) {
    const Fix drop{without_attention_backend(r, "trtllm_mla", "triton"), kOtherBackend};
    if (!blackwell) return r.reject(kTrtllmMlaNeedsBlackwell, {}, {drop});
    if (!one_of(dtype, {"fp8_e4m3", "fp4_e2m1", "bf16", "auto"}))
      return r.reject(
          kTrtllmMlaKvDtype, {},
          {dtype == "bfloat16" ? Fix{{set(f::kv_cache_dtype, "bf16")}, ""} : plain_cache, fp8_cache,
           drop});
  }
  if (used("tokenspeed_mla")) {
    const Fix drop{without_attention_backend(r, "tokenspeed_mla", "triton"), kOtherBackend};
    if (!blackwell) return r.reject(kTokenspeedNeedsBlackwell, {}, {drop});
    if (dtype != "fp8_e4m3")
      return r.reject(kTokenspeedKvDtype, {r.view_value(f::kv_cache_dtype)}, {fp8_cache, drop});
  }
}

void cutedsl_prefill_backend_fill(Resolution& r) {
  const bool for_prefill = r.view(f::prefill_attention_backend) == "cutedsl_mla";
  const bool for_decode = r.view(f::decode_attention_backend) == "cutedsl_mla";
  if (r.view(f::attention_backend) != "cutedsl_mla" && !for_decode && !for_prefill) return;
  const Fix drop{without_attention_backend(r, "cutedsl_mla", "triton"), kOtherBackend};
  if (for_prefill) {
    const Fix decode_only{
        {unset(f::prefill_attention_backend), set(f::decode_attention_backend, "cutedsl_mla")}, ""};
    return r.reject(kCuteDslDecodeOnly, {},
                    for_decode ? std::vector<Fix>{{{unset(f::prefill_attention_backend)}, ""}, drop}
                               : std::vector<Fix>{decode_only, drop});
  }
  if (!is_sm100_supported(r.machine())) return r.reject(kCuteDslNeedsSm100, {}, {drop});
  if (!one_of(r.view(f::kv_cache_dtype), {"fp8_e4m3", "bf16", "bfloat16", "auto"}))
    return r.reject(
        kCuteDslKvDtype, {},
        {{{unset(f::kv_cache_dtype)}, "KV cache in the model's own type"},
         {{set(f::kv_cache_dtype, "fp8_e4m3")}, "KV cache in 8 bits: half the memory, less exact"},
         drop});
  if (r.view_value(f::prefill_attention_backend).is_none())
    r.declare(f::prefill_attention_backend, "trtllm_mla",
              "CuteDSL MLA has no prefill kernel; trtllm_mla does it.");
}

RuleList attention_mla_rules() {
  return {&kTrtllmMlaNeedsBlackwell, &kTrtllmMlaKvDtype,  &kTokenspeedNeedsBlackwell,
          &kTokenspeedKvDtype,       &kCuteDslDecodeOnly, &kCuteDslNeedsSm100,
          &kCuteDslKvDtype};
}

}  // namespace sglint
