// _hisparse_validation (arg_groups/hisparse_hook.py: validate_hisparse), at the end of
// check_server_args.
#include "rules/check_server_args.h"
#include "rules/model_kinds.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "arg_groups/hisparse_hook.py: validate_hisparse";

constexpr Rule kModel{
    .id = "hisparse/model",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message =
        "--enable-hisparse is only supported for DSA (DeepSeek Sparse Attention) models (e.g., "
        "DeepSeek V3.2, "
        "GLM-5) and DeepSeek V4 now. ",
    .why =
        "HiSparse keeps the KV cache in host memory and fetches what sparse attention selects; "
        "dense attention reads "
        "everything.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-hisparse"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};

constexpr Rule kRadixCache{
    .id = "hisparse/radix-cache",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "Hierarchical sparse attention currently requires --disable-radix-cache.",
    .why = "The radix cache would share pages that HiSparse moves to the host.",
    .source = kSource,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-hisparse"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-hisparse "
             "--disable-radix-cache"},
};

constexpr Rule kUnifiedKv{
    .id = "hisparse/unified-kv",
    .stage = Stage::check,
    .exception = "ValueError",
    .message =
        "--enable-hisparse is not supported with the unified-KV path on "
        "ROCm(SGLANG_HACK_FLASHMLA_BACKEND=unified_kv_triton) for DeepSeek-V4: HiSparse currently "
        "requires the "
        "separate packed KV layout. Either set SGLANG_HACK_FLASHMLA_BACKEND=triton, or run without "
        "--enable-hisparse.",
    .why = "In the unified layout there is no compressed pool for HiSparse to attach to.",
    .source = kSource,
    .bad = {"SGLANG_HACK_FLASHMLA_BACKEND=unified_kv_triton sglang serve --model-path "
            "deepseek-ai/DeepSeek-V4-Flash "
            "--tp-size 8 --enable-hisparse --disable-radix-cache",
            "mi355x"},
    .good = {"SGLANG_HACK_FLASHMLA_BACKEND=triton sglang serve --model-path "
             "deepseek-ai/DeepSeek-V4-Flash --tp-size 8 "
             "--enable-hisparse --disable-radix-cache",
             "mi355x"},
};

constexpr Rule kKvCacheDtype{
    .id = "hisparse/kv-cache-dtype",
    .stage = Stage::check,
    .exception = "ValueError",
    .message =
        "HiSparse requires one of ('bfloat16', 'fp8_e4m3') KV cache dtypes, but got "
        "--kv-cache-dtype={}. Please "
        "use --kv-cache-dtype=bfloat16 or --kv-cache-dtype=fp8_e4m3.",
    .why = "The copy kernels between host and GPU exist for these two formats.",
    .source = "arg_groups/hisparse_hook.py: validate_hisparse_kv_cache_dtype",
    // A DSA model refuses other formats already while resolving.
};

constexpr Rule kBackend{
    .id = "hisparse/dsa-backend",
    .stage = Stage::check,
    .exception = "ValueError",
    .message =
        "HiSparse supports DSA {} backend(s) {} on this platform with --kv-cache-dtype={}, but got "
        "--dsa-{}-backend={}. Please use {} to let SGLang pick a backend for this platform.",
    .why = "Only these kernels read the pages that HiSparse has fetched.",
    .source = "arg_groups/hisparse_hook.py: validate_hisparse_dsa_backend",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-hisparse "
            "--disable-radix-cache "
            "--dsa-prefill-backend fa3"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-hisparse "
             "--disable-radix-cache"},
};

// The backends in alphabetical order, as SGLang prints them, and the default before 0.5.17.
std::vector<std::string_view> allowed_backends(const Resolution& r, std::string_view dtype) {
  const bool newer = r.since(Release::v0_5_17);
  if (is_hip(r.machine())) return {"aiter", "tilelang"};
  if (dtype == "bfloat16") return {"flashmla_sparse"};
  if (dtype == "fp8_e4m3")
    return newer ? std::vector<std::string_view>{"flashinfer_sparse_mla", "flashmla_kv"}
                 : std::vector<std::string_view>{"flashmla_kv"};
  if (newer) return {"flashinfer_sparse_mla", "flashmla_kv", "flashmla_sparse"};
  return {"flashmla_kv", "flashmla_sparse"};
}

void check_backend(Resolution& r, Key<std::optional<std::string_view>> flag,
                   std::string_view label) {
  const std::optional<std::string_view> backend = r.view(flag);
  const std::string_view dtype = r.view(f::kv_cache_dtype);
  const std::vector<std::string_view> allowed = allowed_backends(r, dtype);
  if (!backend) return;
  for (std::string_view a : allowed)
    if (a == *backend) return;
  const std::string list = repr(Value(Value::List(allowed.begin(), allowed.end())));
  const std::string_view choice = is_hip(r.machine())   ? "tilelang"
                                  : dtype == "fp8_e4m3" ? "flashmla_kv"
                                                        : "flashmla_sparse";
  std::string message = fill(
      "HiSparse supports DSA {} backend(s) {} on this platform with --kv-cache-dtype={}, but got "
      "--dsa-{}-backend={}. ",
      {label, list, dtype, label, *backend});
  message += r.since(Release::v0_5_17)
                 ? fill(
                       "Please use one of {}, or omit the option to let SGLang pick a backend for "
                       "this platform.",
                       {list})
                 : fill("Please use --dsa-{}-backend={} or omit it.", {label, choice});
  r.reject_with(kBackend, std::move(message),
                {{{unset(flag)}, "SGLang chooses a backend that HiSparse supports"}},
                {f::enable_hisparse.id});
}

}  // namespace

void check_hisparse(Resolution& r) {
  if (!r.view(f::enable_hisparse)) return;
  const ModelConfig& model = r.model();
  if (r.stopped()) return;
  const bool v4 = is_deepseek_v4(r.release(), model);
  const Fix without{{unset(f::enable_hisparse)}, "the whole KV cache stays on the GPU"};
  if (!v4 && !is_deepseek_dsa(r.release(), model)) return r.reject(kModel, {}, {without});
  if (!r.view(f::disable_radix_cache))
    return r.reject(
        kRadixCache, {},
        {{{set(f::disable_radix_cache)}, "prefixes are not shared between requests"}, without});
  if (v4 && is_hip(r.machine())) {
    if (r.env().get("SGLANG_HACK_FLASHMLA_BACKEND").as_str() == "unified_kv_triton")
      r.reject(kUnifiedKv, {},
               {{{set_env("SGLANG_HACK_FLASHMLA_BACKEND", "triton")}, ""}, without});
    return;
  }
  const std::string_view dtype = r.view(f::kv_cache_dtype);
  if (!one_of(dtype, {"bfloat16", "auto", "fp8_e4m3"}))
    return r.reject(kKvCacheDtype, {dtype}, {{{set(f::kv_cache_dtype, "bfloat16")}, ""}, without});
  check_backend(r, f::dsa_prefill_backend, "prefill");
  check_backend(r, f::dsa_decode_backend, "decode");
}

RuleList hisparse_rules() {
  return {&kModel, &kRadixCache, &kUnifiedKv, &kKvCacheDtype, &kBackend};
}

}  // namespace sglint
