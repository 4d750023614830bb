// --enable-hisparse: KV cache in host memory for sparse attention (arg_groups/hisparse_hook.py).

#include "base/text.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kModel{
    .id = "models/hisparse-model",
    .exception = "AssertionError",
    .message =
        "--enable-hisparse is only supported for DSA (DeepSeek Sparse Attention) models (e.g., "
        "DeepSeek V3.2, GLM-5) and DeepSeek V4 now. ",
    .why =
        "HiSparse keeps in GPU memory only the tokens that the sparse attention indexer picks; "
        "other models read all.",
    .source = "arg_groups/hisparse_hook.py: validate_hisparse",
    .bad = {"--model-path Qwen/Qwen3-8B --enable-hisparse", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B", "h100"},
};

constexpr Rule kRadixCache{
    .id = "models/hisparse-radix-cache",
    .exception = "AssertionError",
    .message = "Hierarchical sparse attention currently requires --disable-radix-cache.",
    .why =
        "HiSparse moves parts of a request's KV cache to the host, where the prefix cache cannot "
        "find them.",
    .source = "arg_groups/hisparse_hook.py: validate_hisparse",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-hisparse", "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-hisparse "
             "--disable-radix-cache",
             "h200"},
};

constexpr Rule kUnifiedKv{
    .id = "models/hisparse-unified-kv",
    .exception = "ValueError",
    .message =
        "--enable-hisparse is not supported with the unified-KV path on "
        "ROCm(SGLANG_HACK_FLASHMLA_BACKEND=unified_kv_triton) for DeepSeek-V4: HiSparse currently "
        "requires the separate packed KV layout. Either set SGLANG_HACK_FLASHMLA_BACKEND=triton, "
        "or run without --enable-hisparse.",
    .why =
        "On ROCm DeepSeek V4 can keep all its KV in one pool, which has no separate part to move "
        "to the host.",
    .source = "arg_groups/hisparse_hook.py: validate_hisparse",
    // No example: it needs an environment variable.
};

constexpr Rule kDsaBackend{
    .id = "models/hisparse-dsa-backend",
    .exception = "ValueError",
    .message =
        "HiSparse supports DSA {} backend(s) {} on this platform with --kv-cache-dtype={}, but got "
        "--dsa-{}-backend={}. Please use one of {}, or omit the option to let SGLang pick a "
        "backend for this platform.",
    .why = "Only some sparse attention kernels read the KV layout that HiSparse leaves on the GPU.",
    .source = "arg_groups/hisparse_hook.py: validate_hisparse_dsa_backend",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-hisparse "
            "--disable-radix-cache --dsa-decode-backend fa3",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-hisparse "
             "--disable-radix-cache",
             "h200"},
};

constexpr Rule kKvCacheDtype{
    .id = "models/hisparse-kv-cache-dtype",
    .exception = "ValueError",
    .message =
        "HiSparse requires one of ('bfloat16', 'fp8_e4m3') KV cache dtypes, but got "
        "--kv-cache-dtype={}. Please use --kv-cache-dtype=bfloat16 or --kv-cache-dtype=fp8_e4m3.",
    .why = "HiSparse moves rows of these two forms only.",
    .source = "arg_groups/hisparse_hook.py: validate_hisparse_kv_cache_dtype",
    // No example: models with sparse attention refuse other dtypes before this.
};

bool is_deepseek_v4(std::string_view arch) {
  return one_of(
      arch, {"DeepseekV4ForCausalLM", "DeepseekV4ForCausalLMNextN", "DeepseekV4ForCausalLMDSpark"});
}

// _hisparse_allowed_backends, sorted
std::vector<std::string_view> allowed_backends(const Resolution& r, std::string_view dtype) {
  const bool since18 = r.since(Release::v0_5_18);
  if (is_hip(r.machine())) return {"aiter", "tilelang"};
  if (dtype == "bfloat16") return {"flashmla_sparse"};
  std::vector<std::string_view> names = {"flashmla_kv"};
  if (since18) names.insert(names.begin(), "flashinfer_sparse_mla");
  if (dtype != "fp8_e4m3") names.push_back("flashmla_sparse");
  return names;
}

// validate_hisparse_dsa_backend
void validate_backend(Resolution& r, Key<std::optional<std::string_view>> field,
                      std::string_view label) {
  const auto backend = r.view(field);
  const std::string_view dtype = r.view(f::kv_cache_dtype);
  if (!backend) return;
  Value::List allowed;
  for (std::string_view name : allowed_backends(r, dtype)) {
    if (name == *backend) return;
    allowed.emplace_back(name);
  }
  const std::string list = str(Value(std::move(allowed)));
  const std::vector<Fix> fixes = {{{unset(field)}, "SGLang's backend for HiSparse"}};
  if (r.since(Release::v0_5_18)) {
    r.reject(kDsaBackend, {label, list, dtype, label, *backend, list}, fixes, {field.id});
  } else {
    r.reject_with(
        kDsaBackend,
        fill("HiSparse supports DSA {} backend(s) {} on this platform with --kv-cache-dtype={}, "
             "but got --dsa-{}-backend={}. Please use --dsa-{}-backend={} or omit it.",
             {label, list, dtype, label, *backend, label, hisparse_default_backend(r, dtype)}),
        fixes, {field.id});
  }
}

}  // namespace

std::string_view hisparse_default_backend(const Resolution& r, std::string_view kv_cache_dtype) {
  if (is_hip(r.machine())) return "tilelang";
  return kv_cache_dtype == "fp8_e4m3" ? "flashmla_kv" : "flashmla_sparse";
}

void validate_hisparse(Resolution& r) {
  if (!r.view(f::enable_hisparse)) return;
  const ModelConfig& model = r.model();
  const bool v4 = is_deepseek_v4(model.architecture());
  const Fix drop{{unset(f::enable_hisparse)}, "the whole KV cache stays in GPU memory"};
  if (!is_deepseek_dsa(model.hf_config) && !v4)
    r.reject(kModel, {}, {drop}, {f::enable_hisparse.id});
  if (!r.view(f::disable_radix_cache))
    r.reject(kRadixCache, {}, {{{set(f::disable_radix_cache)}, "no prefix caching"}, drop},
             {f::enable_hisparse.id});
  if (is_hip(r.machine()) && v4) {
    if (r.env().get("SGLANG_HACK_FLASHMLA_BACKEND").as_str() == "unified_kv_triton")
      r.reject(kUnifiedKv, {},
               {{{set_env("SGLANG_HACK_FLASHMLA_BACKEND", "triton")}, "separate KV pools"}, drop},
               {f::enable_hisparse.id});
    return;
  }
  const std::string_view dtype = r.view(f::kv_cache_dtype);
  if (!one_of(dtype, {"bfloat16", "auto", "fp8_e4m3"}))
    r.reject(kKvCacheDtype, {dtype}, {{{unset(f::kv_cache_dtype)}, ""}}, {f::kv_cache_dtype.id});
  validate_backend(r, f::dsa_prefill_backend, "prefill");
  validate_backend(r, f::dsa_decode_backend, "decode");
}

RuleList hisparse_rules() {
  return {&kModel, &kRadixCache, &kUnifiedKv, &kDsaBackend, &kKvCacheDtype};
}

}  // namespace sglint
