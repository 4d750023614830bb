// Caches that exclude each other: ServerArgs._handle_cache_compatibility.

#include "base/text.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kHandler = "server_args.py: ServerArgs._handle_cache_compatibility";
constexpr ReleaseRange kHostPoolReleases{Release::v0_5_18, Release::v0_5_18};

constexpr Rule kHostPoolNeedsDecodeServer{
    .id = "cache/host-pool-needs-decode-server",
    .exception = "ValueError",
    .message =
        "--disaggregation-decode-retraction-backup=host_pool is only supported on a PD decode "
        "server.",
    .why =
        "The pool keeps the KV cache of requests that a decode server has to retract; other "
        "servers compute it again.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --disaggregation-decode-retraction-backup host_pool"},
    .good = {"--model-path Qwen/Qwen3-8B --disaggregation-decode-retraction-backup host_pool "
             "--disaggregation-mode decode"},
    .releases = kHostPoolReleases,
};

constexpr Rule kHostPoolWithoutDcp{
    .id = "cache/host-pool-without-decode-context-parallelism",
    .exception = "ValueError",
    .message =
        "--disaggregation-decode-retraction-backup=host_pool does not support --dcp-size > 1.",
    .why =
        "Under decode context parallelism each GPU holds a part of a request's KV cache, which the "
        "pool cannot put together again.",
    .source = kHandler,
    // --dcp-size asks much of model and backend first; no short command gets here.
    .releases = kHostPoolReleases,
};

constexpr Rule kHostPoolWithoutPreemption{
    .id = "cache/host-pool-without-priority-preemption",
    .exception = "ValueError",
    .message =
        "--disaggregation-decode-retraction-backup=host_pool requires "
        "--disable-priority-preemption when priority scheduling is enabled.",
    .why = "Preemption retracts requests on a path of its own that does not fill the pool.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --disaggregation-decode-retraction-backup host_pool "
            "--disaggregation-mode decode --enable-priority-scheduling"},
    .good = {"--model-path Qwen/Qwen3-8B --disaggregation-decode-retraction-backup host_pool "
             "--disaggregation-mode decode --enable-priority-scheduling "
             "--disable-priority-preemption"},
    .releases = kHostPoolReleases,
};

constexpr Rule kSessionCacheNeedsPriority{
    .id = "cache/session-cache-needs-priority-eviction",
    .exception = "ValueError",
    .message = "--enable-session-radix-cache requires --radix-eviction-policy priority",
    .why =
        "Sessions are kept by giving their prefixes a higher priority, which only that eviction "
        "policy looks at.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-session-radix-cache", "h100", "0.5.16"},
    .good =
        {"--model-path Qwen/Qwen3-8B --enable-session-radix-cache --radix-eviction-policy priority",
         "h100", "0.5.16"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_16},
};

constexpr Rule kHierarchicalWithoutRadix{
    .id = "cache/hierarchical-cache-without-radix-cache",
    .exception = "ValueError",
    .message =
        "The arguments enable-hierarchical-cache and disable-radix-cache are mutually exclusive "
        "and cannot be used at the same time. Please use only one of them.",
    .why =
        "The hierarchical cache is a prefix cache with a second level in host memory. "
        "--disable-radix-cache need not have been typed: deterministic inference on FlashInfer, "
        "dual chunk attention and some models switch the prefix cache off themselves.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-hierarchical-cache --disable-radix-cache"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-hierarchical-cache"},
};

constexpr Rule kOffloadNeedsDecodeServer{
    .id = "cache/offload-needs-decode-server",
    .exception = "ValueError",
    .message =
        "The argument disaggregation-decode-enable-offload-kvcache is only supported for decode "
        "side.",
    .why =
        "The flag sends KV cache that decoding produced to the storage behind the hierarchical "
        "cache; it belongs on a server with --disaggregation-mode decode.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --disaggregation-decode-enable-offload-kvcache"},
    .good = {"--model-path Qwen/Qwen3-8B --disaggregation-mode decode "
             "--disaggregation-decode-enable-offload-kvcache --hicache-storage-backend file"},
};

constexpr Rule kOffloadNeedsStorage{
    .id = "cache/offload-needs-storage",
    .exception = "ValueError",
    .message =
        "The argument disaggregation-decode-enable-offload-kvcache is only supported when "
        "hicache-storage-backend is provided.",
    .why = "Without a storage there is nowhere to offload to.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --disaggregation-mode decode "
            "--disaggregation-decode-enable-offload-kvcache"},
    .good = {"--model-path Qwen/Qwen3-8B --disaggregation-mode decode "
             "--disaggregation-decode-enable-offload-kvcache --hicache-storage-backend file"},
};

constexpr Rule kOffloadOrHostPool{
    .id = "cache/offload-or-host-pool",
    .exception = "ValueError",
    .message =
        "The arguments disaggregation-decode-enable-offload-kvcache and "
        "disaggregation-decode-retraction-backup=host_pool are mutually exclusive: both build a "
        "decode host pool.",
    .why = "Both would lay out host memory for the same KV cache.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --disaggregation-mode decode "
            "--disaggregation-decode-enable-offload-kvcache --hicache-storage-backend file "
            "--disaggregation-decode-retraction-backup host_pool"},
    .good = {"--model-path Qwen/Qwen3-8B --disaggregation-mode decode "
             "--disaggregation-decode-enable-offload-kvcache --hicache-storage-backend file"},
    .releases = kHostPoolReleases,
};

constexpr Rule kSwaRatio{
    .id = "cache/swa-ratio-out-of-range",
    .exception = "ValueError",
    .message = "--swa-full-tokens-ratio should be in range (0, 1.0].",
    .why =
        "The share of KV memory of sliding-window layers, as a fraction of that of full-attention "
        "layers. It is judged for every model, whether it has sliding-window layers or not.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-8B --swa-full-tokens-ratio 1.5"},
    .good = {"--model-path Qwen/Qwen3-8B --swa-full-tokens-ratio 0.5"},
};

void host_pool(Resolution& r) {
  const Fix drop{{unset(f::disaggregation_decode_retraction_backup)},
                 "retracted requests are computed again"};
  if (r.get(f::disaggregation_mode) != "decode")
    return r.reject(kHostPoolNeedsDecodeServer, {},
                    {{{unset(f::disaggregation_decode_retraction_backup)}, ""}},
                    {f::disaggregation_mode.id});
  if (r.get(f::dcp_size) > 1)
    return r.reject(
        kHostPoolWithoutDcp, {},
        {drop, {{unset(f::dcp_size)}, "each GPU keeps the KV cache of whole requests"}});
  if (r.get(f::enable_priority_scheduling) && !r.get(f::disable_priority_preemption))
    r.reject(kHostPoolWithoutPreemption, {},
             {{{set(f::disable_priority_preemption)},
               "running requests are not interrupted by urgent ones"},
              drop},
             {f::enable_priority_scheduling.id});
}

void offload(Resolution& r, bool has_host_pool) {
  const Fix drop{{unset(f::disaggregation_decode_enable_offload_kvcache)},
                 "decoded KV cache is not kept"};
  if (r.get(f::disaggregation_mode) != "decode")
    return r.reject(kOffloadNeedsDecodeServer, {},
                    {{{unset(f::disaggregation_decode_enable_offload_kvcache)}, ""}},
                    {f::disaggregation_mode.id});
  if (r.value(f::hicache_storage_backend).is_none())
    return r.reject(
        kOffloadNeedsStorage, {},
        {{{set(f::hicache_storage_backend, "file")}, "KV cache is written to files"}, drop});
  if (has_host_pool)
    r.reject(kOffloadOrHostPool, {},
             {{{unset(f::disaggregation_decode_retraction_backup)},
               "retracted requests are computed again"},
              drop});
}

}  // namespace

void cache_compatibility(Resolution& r) {
  const bool has_host_pool =
      r.since(Release::v0_5_18) && r.get(f::disaggregation_decode_retraction_backup) == "host_pool";
  if (has_host_pool) host_pool(r);
  if (!r.since(Release::v0_5_17) && r.get(f::enable_session_radix_cache) &&
      r.get(f::radix_eviction_policy) != "priority")
    return r.reject(kSessionCacheNeedsPriority, {},
                    {{{set(f::radix_eviction_policy, "priority")}, ""}},
                    {f::enable_session_radix_cache.id});
  if (r.get(f::enable_hierarchical_cache) && r.get(f::disable_radix_cache)) {
    std::vector<Fix> fixes;
    if (r.typed(f::disable_radix_cache)) fixes.push_back({{unset(f::disable_radix_cache)}, ""});
    fixes.push_back(
        {{unset(f::enable_hierarchical_cache)}, "no second-level cache in host memory"});
    return r.reject(kHierarchicalWithoutRadix, {}, std::move(fixes), {f::disable_radix_cache.id});
  }
  if (r.get(f::disaggregation_decode_enable_offload_kvcache)) offload(r, has_host_pool);
  const double ratio = r.view(f::swa_full_tokens_ratio);
  if (!(0 < ratio && ratio <= 1.0))
    r.reject(kSwaRatio, {}, {{{unset(f::swa_full_tokens_ratio)}, ""}});
}

RuleList cache_compatibility_rules() {
  return {&kHostPoolNeedsDecodeServer, &kHostPoolWithoutDcp,       &kHostPoolWithoutPreemption,
          &kSessionCacheNeedsPriority, &kHierarchicalWithoutRadix, &kOffloadNeedsDecodeServer,
          &kOffloadNeedsStorage,       &kOffloadOrHostPool,        &kSwaRatio};
}

}  // namespace sglint
