// KV caches of 4 bits and of MXFP8: ServerArgs._handle_kv4_compatibility and
// _handle_mxfp8_kv_cache_compatibility.

#include "base/text.h"
#include "rules/attention.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kHandler = "server_args.py: ServerArgs._handle_kv4_compatibility";

constexpr Rule kNvfp4NeedsBlackwell{
    .id = "kv-cache-dtype/nvfp4-needs-blackwell",
    .exception = "RuntimeError",
    .message =
        "--kv-cache-dtype=nvfp4 requires Blackwell SM100 or SM120. Use "
        "--kv-cache-dtype=fp4_mx_block16 for the block-size-16 FP4 recipe.",
    .why =
        "The NVFP4 format is decoded by Blackwell's tensor cores. The 4-bit recipe that the "
        "message offers instead runs on older GPUs, but with Triton or PyTorch attention only.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --kv-cache-dtype nvfp4 --attention-backend triton"},
    .good =
        {"--model-path Qwen/Qwen3-8B --kv-cache-dtype fp4_mx_block16 --attention-backend triton"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

constexpr Rule kKv4OneBackend{
    .id = "kv-cache-dtype/fp4-attention-backend",
    .exception = "AssertionError",
    .message = "KV4 {} expects attention_backend to be one of {}, but got {}",
    .why =
        "Only these backends read a 4-bit KV cache, and SGLang's default for the GPU need not be "
        "one of them: then the launch fails without any attention flag. Prefill and decode "
        "backends that differ are let through with a warning, whatever they are.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --kv-cache-dtype fp4_mx_block16"},
    .good =
        {"--model-path Qwen/Qwen3-8B --kv-cache-dtype fp4_mx_block16 --attention-backend triton"},
};

constexpr Rule kKv4Fa4Prefill{
    .id = "kv-cache-dtype/fp4-decode-backend-beside-fa4",
    .exception = "AssertionError",
    .message = "KV4 FA4 {} expects decode_attention_backend to be one of {}, but got {}",
    .why =
        "FlashAttention 4 can do the prefill for a 4-bit KV cache, but decode needs a backend that "
        "reads it.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --kv-cache-dtype fp4_mx_block16 --attention-backend fa4",
            "b200"},
    .good = {"--model-path Qwen/Qwen3-8B --kv-cache-dtype fp4_mx_block16 "
             "--prefill-attention-backend fa4 --decode-attention-backend triton",
             "b200"},
};

constexpr Rule kKv4NeedsCuda{
    .id = "kv-cache-dtype/fp4-needs-cuda",
    .exception = "RuntimeError",
    .message = "KV4 is not tested on non-CUDA platforms.",
    .why = "\"Not tested\" is a refusal: a 4-bit KV cache starts on NVIDIA GPUs only.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --kv-cache-dtype fp4_mx_block16 --attention-backend triton",
            "mi300x"},
    .good = {"--model-path Qwen/Qwen3-8B --kv-cache-dtype fp8_e4m3 --attention-backend triton",
             "mi300x"},
};

constexpr Rule kMxfp8NeedsBlackwell{
    .id = "kv-cache-dtype/mxfp8-needs-blackwell",
    .exception = "ValueError",
    .message =
        "--kv-cache-dtype mxfp8 requires an SM100+ (Blackwell) GPU for the block-scaled operands "
        "used by the FA4 MXFP8 attention path.",
    .why = "MXFP8 scales are read by Blackwell's tensor cores. Older GPUs have plain fp8_e4m3.",
    .source = "server_args.py: ServerArgs._handle_mxfp8_kv_cache_compatibility",
    .bad = {"--model-path Qwen/Qwen3-8B --kv-cache-dtype mxfp8"},
    .good = {"--model-path Qwen/Qwen3-8B --kv-cache-dtype fp8_e4m3"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

const Fix& full_width_cache() {
  static const Fix kFix{{unset(f::kv_cache_dtype)},
                        "KV cache in the model's own type: four times the memory of 4 bits"};
  return kFix;
}

constexpr std::string_view kMlaBackends = "['cutlass_mla', 'flashinfer', 'trtllm_mla']";
constexpr std::string_view kMhaBackends =
    "['triton', 'torch_native', 'flex_attention', 'trtllm_mha']";

bool listed(std::string_view list, std::string_view backend) {
  return contains(list, repr(backend));
}

void fa4_prefill(Resolution& r, bool mla, std::string_view decode) {
  const std::string_view choices =
      mla ? kMlaBackends : "['triton', 'torch_native', 'flex_attention']";
  if (listed(choices, decode)) return;
  r.reject(kKv4Fa4Prefill, {mla ? "MLA" : "MHA", choices, decode},
           {{{set(f::prefill_attention_backend, "fa4"),
              set(f::decode_attention_backend, mla ? "flashinfer" : "triton")},
             mla ? "decode runs on FlashInfer" : "decode runs on Triton"},
            full_width_cache()},
           {f::kv_cache_dtype.id});
}

void one_backend(Resolution& r, bool mla) {
  const std::string_view choices = !mla ? kMhaBackends
                                   : r.since(Release::v0_5_16)
                                       ? kMlaBackends
                                       : "['cutlass_mla', 'flashinfer', 'trtllm_mla', 'flashmla']";
  const Value& backend = r.view_value(f::attention_backend);
  if (listed(choices, backend.as_str())) return;
  r.reject(kKv4OneBackend, {mla ? "MLA" : "MHA", choices, backend},
           {{{set(f::attention_backend, mla ? "flashinfer" : "triton")},
             mla ? "attention runs on FlashInfer" : "attention runs on Triton"},
            full_width_cache()},
           {f::kv_cache_dtype.id});
}

}  // namespace

void kv4_compatibility(Resolution& r) {
  const std::string_view dtype = r.get(f::kv_cache_dtype);
  const bool four_bits =
      r.since(Release::v0_5_16) ? one_of(dtype, {"nvfp4", "fp4_mx_block16"}) : dtype == "fp4_e2m1";
  if (!four_bits) return;
  const bool mla = use_mla_backend(r);
  const AttentionBackends backends = resolved_attention_backends(r);
  const Machine& m = r.machine();
  if (!is_cuda(m)) return r.reject(kKv4NeedsCuda, {}, {full_width_cache()});
  if (dtype == "nvfp4" && !is_sm100_supported(m) && !is_sm120_supported(m))
    return r.reject(
        kNvfp4NeedsBlackwell, {},
        {{{set(f::kv_cache_dtype, "fp4_mx_block16")}, "another 4-bit format"}, full_width_cache()});
  if (backends.prefill != backends.decode && backends.prefill != "fa4") {
    r.warn(
        "Attention: Using KV4 with PREFILL = {} and DECODE = {}. Compatibility issues are "
        "unlikely, but may occur in rare edge cases.",
        {backends.prefill, backends.decode});
  } else if (backends.prefill == "fa4") {
    fa4_prefill(r, mla, backends.decode.value_or("None"));
  } else {
    one_backend(r, mla);
  }
}

void mxfp8_kv_cache_compatibility(Resolution& r) {
  if (r.get(f::kv_cache_dtype) != "mxfp8" || is_blackwell_supported(r.machine())) return;
  r.reject(kMxfp8NeedsBlackwell, {},
           {{{set(f::kv_cache_dtype, "fp8_e4m3")}, "plain FP8 without block scales: less exact"},
            {{unset(f::kv_cache_dtype)}, "KV cache in the model's own type: twice the memory"}});
}

RuleList kv_cache_dtype_rules() {
  return {&kNvfp4NeedsBlackwell, &kKv4OneBackend, &kKv4Fa4Prefill, &kKv4NeedsCuda,
          &kMxfp8NeedsBlackwell};
}

}  // namespace sglint
