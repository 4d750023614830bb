// --prefill-only-disable-kv-cache: embedding servers that keep no KV cache.
#include "rules/attention.h"
#include "rules/steps.h"

namespace sglint {
namespace {

// What the flag needs besides itself; the examples start from it.
constexpr Rule kNeedsEmbedding{
    .id = "prefill-only/needs-embedding",
    .exception = "ValueError",
    .message =
        "--prefill-only-disable-kv-cache currently requires --is-embedding. Other prefill-only "
        "workloads may be supported in a future change once their attention paths stop reading or "
        "writing the paged KV cache.",
    .why = "Only the attention path of embedding models runs without touching the KV cache.",
    .source = "server_args.py: ServerArgs._validate_prefill_only_disable_kv_cache_args",
    .bad = {"--model-path Qwen/Qwen3-8B --prefill-only-disable-kv-cache", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
             "--chunked-prefill-size=-1 --disable-radix-cache --attention-backend fa3",
             "h100"}};

constexpr Rule kFp4Before16{
    .id = "prefill-only/fp4-kv-cache-0.5.15",
    .exception = "ValueError",
    .message =
        "--prefill-only-disable-kv-cache does not currently support --kv-cache-dtype=fp4_e2m1 "
        "because the FP4 pool uses a separate allocation path.",
    .why = "The FP4 cache is allocated in another place, which does not know the flag.",
    .source = "server_args.py: ServerArgs._validate_prefill_only_disable_kv_cache_args",
    .bad = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
            "--kv-cache-dtype fp4_e2m1",
            "b200", "0.5.15.post1"},
    .good = {"--model-path Qwen/Qwen3-8B --is-embedding --kv-cache-dtype fp4_e2m1", "b200",
             "0.5.15.post1"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_15_post1}};

constexpr Rule kFp4{
    .id = "prefill-only/fp4-kv-cache",
    .exception = "ValueError",
    .message =
        "--prefill-only-disable-kv-cache does not currently support --kv-cache-dtype=nvfp4 or "
        "--kv-cache-dtype=fp4_mx_block16 because the FP4 pool uses a separate allocation path.",
    .why = "The FP4 cache is allocated in another place, which does not know the flag.",
    .source = "server_args.py: ServerArgs._validate_prefill_only_disable_kv_cache_args",
    .bad = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
            "--kv-cache-dtype nvfp4",
            "b200"},
    .good = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
             "--chunked-prefill-size=-1 --disable-radix-cache --attention-backend fa4",
             "b200"},
    .releases = {Release::v0_5_16, Release::v0_5_18}};

constexpr Rule kMxfp8{
    .id = "prefill-only/mxfp8-kv-cache",
    .exception = "ValueError",
    .message =
        "--prefill-only-disable-kv-cache does not currently support --kv-cache-dtype=mxfp8 because "
        "the MXFP8 pool stores separate scale-factor buffers.",
    .why = "The MXFP8 cache is allocated in another place, which does not know the flag.",
    .source = "server_args.py: ServerArgs._validate_prefill_only_disable_kv_cache_args",
    .bad = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
            "--kv-cache-dtype mxfp8",
            "b200"},
    .good = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
             "--chunked-prefill-size=-1 --disable-radix-cache --attention-backend fa4",
             "b200"},
    .releases = {Release::v0_5_16, Release::v0_5_18}};

constexpr Rule kChunked{
    .id = "prefill-only/chunked-prefill",
    .exception = "ValueError",
    .message =
        "--prefill-only-disable-kv-cache requires --chunked-prefill-size=-1 so the FA backend "
        "takes the fa_skip_kv_cache path; otherwise the pool would be touched between prefill "
        "chunks.",
    .why = "A prompt that is prefilled in chunks needs the KV cache of its earlier chunks.",
    .source = "server_args.py: ServerArgs._validate_prefill_only_disable_kv_cache_args",
    .bad = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
            "--disable-radix-cache",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
             "--chunked-prefill-size=-1 --disable-radix-cache --attention-backend fa3",
             "h100"}};

constexpr Rule kRadixCache{
    .id = "prefill-only/radix-cache",
    .exception = "ValueError",
    .message =
        "--prefill-only-disable-kv-cache requires --disable-radix-cache because the radix cache "
        "indexes KV pool slots that no longer hold real data.",
    .why = "Without a KV cache there are no prefixes to reuse.",
    .source = "server_args.py: ServerArgs._validate_prefill_only_disable_kv_cache_args",
    .bad = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
            "--chunked-prefill-size=-1",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
             "--chunked-prefill-size=-1 --disable-radix-cache --attention-backend fa3",
             "h100"}};

constexpr Rule kAttnCp{
    .id = "prefill-only/attention-context-parallelism",
    .exception = "ValueError",
    .message =
        "--prefill-only-disable-kv-cache is incompatible with --attn-cp-size > 1: the "
        "context-parallel attention path writes K/V to the pool via set_kv_buffer, which the no-op "
        "pool intentionally rejects.",
    .why = "Context-parallel ranks exchange K and V through the KV cache.",
    .source = "server_args.py: ServerArgs._validate_prefill_only_disable_kv_cache_args",
    .bad = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
            "--chunked-prefill-size=-1 --disable-radix-cache --tp-size 4 --attn-cp-size 2",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
             "--chunked-prefill-size=-1 --disable-radix-cache --attention-backend fa3 --tp-size 4",
             "h100"}};

constexpr Rule kPrefillCp{
    .id = "prefill-only/prefill-context-parallelism",
    .exception = "ValueError",
    .message =
        "--prefill-only-disable-kv-cache is incompatible with --enable-prefill-cp: the prefill-CP "
        "path stages K/V through the paged cache, which the no-op pool does not support.",
    .why = "Context-parallel ranks exchange K and V through the KV cache.",
    .source = "server_args.py: ServerArgs._validate_prefill_only_disable_kv_cache_args",
    .bad = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
            "--chunked-prefill-size=-1 --disable-radix-cache --enable-prefill-cp --cp-strategy "
            "zigzag",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
             "--chunked-prefill-size=-1 --disable-radix-cache --attention-backend fa3",
             "h100"}};

constexpr Rule kHisparse{
    .id = "prefill-only/hisparse",
    .exception = "ValueError",
    .message =
        "--prefill-only-disable-kv-cache is incompatible with --enable-hisparse: HiSparse uses a "
        "dedicated pool family that is not the no-op MHA pool.",
    .why = "HiSparse is a KV cache of its own.",
    .source = "server_args.py: ServerArgs._validate_prefill_only_disable_kv_cache_args",
    .bad = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
            "--chunked-prefill-size=-1 --disable-radix-cache --enable-hisparse",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
             "--chunked-prefill-size=-1 --disable-radix-cache --attention-backend fa3",
             "h100"}};

constexpr Rule kBackend{
    .id = "prefill-only/attention-backend",
    .exception = "ValueError",
    .message =
        "--prefill-only-disable-kv-cache currently requires the FA prefill backend (fa3/fa4), but "
        "got prefill backend {}. Other prefill-only workloads and backends may be supported in a "
        "future change.",
    .why =
        "Only FlashAttention's embedding path works without a KV cache. On GPUs where another "
        "backend is the default it must be asked for.",
    .source = "server_args.py: ServerArgs._handle_prefill_only_disable_kv_cache",
    .bad = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
            "--chunked-prefill-size=-1 --disable-radix-cache --attention-backend triton",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --is-embedding --prefill-only-disable-kv-cache "
             "--chunked-prefill-size=-1 --disable-radix-cache --attention-backend fa3",
             "h100"}};

Fix keep_cache() { return {{unset(f::prefill_only_disable_kv_cache)}, "allocates the KV cache"}; }

}  // namespace

// The half that needs flags only; prefill_only_disable_kv_cache() follows once the backend is
// known.
void validate_prefill_only_disable_kv_cache_args(Resolution& r) {
  if (!r.get(f::prefill_only_disable_kv_cache)) return;
  const std::string_view dtype = r.get(f::kv_cache_dtype);
  const Fix other_dtype{{unset(f::kv_cache_dtype)}, "the model's own KV cache type"};
  if (!r.get(f::is_embedding))
    return r.reject(kNeedsEmbedding, {},
                    {keep_cache(), {{set(f::is_embedding)}, "serves embeddings, not text"}});
  if (r.since(Release::v0_5_16)) {
    if (dtype == "nvfp4" || dtype == "fp4_mx_block16")
      return r.reject(kFp4, {}, {other_dtype, keep_cache()});
    if (dtype == "mxfp8") return r.reject(kMxfp8, {}, {other_dtype, keep_cache()});
  } else if (dtype == "fp4_e2m1") {
    return r.reject(kFp4Before16, {}, {other_dtype, keep_cache()});
  }
  if (r.get(f::chunked_prefill_size) != -1)
    return r.reject(kChunked, {},
                    {{{set(f::chunked_prefill_size, "-1")}, "long prompts are prefilled in one go"},
                     keep_cache()});
  if (!r.get(f::disable_radix_cache))
    return r.reject(kRadixCache, {},
                    {{{set(f::disable_radix_cache)}, "no prefix reuse"}, keep_cache()});
  if (r.view(f::attn_cp_size) > 1)
    return r.reject(
        kAttnCp, {},
        {keep_cache(), {{unset(f::attn_cp_size)}, "attention is not split over the context"}});
  if (r.get(f::enable_prefill_cp))
    return r.reject(
        kPrefillCp, {},
        {keep_cache(), {{unset(f::enable_prefill_cp)}, "prefill is not split over the context"}});
  if (r.get(f::enable_hisparse))
    r.reject(kHisparse, {}, {{{unset(f::enable_hisparse)}, ""}, keep_cache()});
}

void prefill_only_disable_kv_cache(Resolution& r) {
  if (!r.get(f::prefill_only_disable_kv_cache)) return;
  const auto backend = resolved_attention_backends(r).prefill;
  if (backend == "fa3" || backend == "fa4") return;
  const char* flash = is_blackwell_supported(r.machine()) ? "fa4" : "fa3";
  r.reject(kBackend, {repr(Value(backend))},
           {{{set(f::attention_backend, flash)}, "FlashAttention in place of the default"},
            keep_cache()});
}

RuleList prefill_only_rules() {
  return {&kNeedsEmbedding, &kFp4Before16, &kFp4,       &kMxfp8,    &kChunked,
          &kRadixCache,     &kAttnCp,      &kPrefillCp, &kHisparse, &kBackend};
}

}  // namespace sglint
