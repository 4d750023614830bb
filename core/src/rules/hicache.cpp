// HiCache: the hierarchical KV cache (GPU, host, storage).
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr ReleaseRange kDcpReleases{Release::v0_5_17, Release::v0_5_18};

constexpr Rule kStorageWithDcp{
    .id = "hicache/storage-with-dcp",
    .exception = "NotImplementedError",
    .message =
        "--hicache-storage-backend (L3) with --dcp-size > 1 is not supported yet: under DCP each "
        "rank holds a distinct interleaved MLA KV shard, so the rank-0-only replicated-MLA backup "
        "and the storage keys must become dcp_rank-aware first. Run HiCache+DCP with L1/L2 only.",
    .why =
        "With decode context parallelism each rank holds another part of the KV cache, and the "
        "storage tier would save rank 0's part only.",
    .source = "server_args.py: ServerArgs._resolve_hicache_dcp_compatibility",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --enable-hierarchical-cache "
            "--dcp-size 4 --hicache-storage-backend file",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --enable-hierarchical-cache "
             "--dcp-size 4",
             "h200"},
    .releases = kDcpReleases};

constexpr Rule kSpeculativeWithDcp17{
    .id = "hicache/speculative-with-dcp-0.5.17",
    .exception = "NotImplementedError",
    .message =
        "HiCache with --dcp-size > 1 does not support speculative decoding yet (the draft-model "
        "host pool has no DCP index translation).",
    .why =
        "The host copy of the draft model's KV cache does not know of decode context parallelism.",
    .source = "server_args.py: ServerArgs._resolve_hicache_dcp_compatibility",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --enable-hierarchical-cache "
            "--dcp-size 4 --speculative-algorithm NGRAM",
            "h200", "0.5.17"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --enable-hierarchical-cache "
             "--dcp-size 4",
             "h200", "0.5.17"},
    .releases = {Release::v0_5_17, Release::v0_5_17}};

constexpr Rule kSpeculativeWithDcp{
    .id = "hicache/speculative-with-dcp",
    .exception = "NotImplementedError",
    .message =
        "HiCache with --dcp-size > 1 only supports DSPARK speculative decoding; other draft-model "
        "host pools have no DCP index translation.",
    .why =
        "Of the draft models only DSpark's has a host copy of its KV cache that knows of decode "
        "context parallelism.",
    .source = "server_args.py: ServerArgs._resolve_hicache_dcp_compatibility",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --enable-hierarchical-cache "
            "--dcp-size 4 --speculative-algorithm NGRAM",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --enable-hierarchical-cache "
             "--dcp-size 4",
             "h200"},
    .releases = {Release::v0_5_18, Release::v0_5_18}};

constexpr Rule kLmcacheWithDcp{
    .id = "hicache/lmcache-with-dcp",
    .exception = "NotImplementedError",
    .message =
        "--enable-lmcache with --dcp-size > 1 is not supported: LMCache has no DCP-aware index "
        "translation.",
    .why = "LMCache addresses the KV cache as if every rank held all of it.",
    .source = "server_args.py: ServerArgs._resolve_hicache_dcp_compatibility",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --enable-hierarchical-cache "
            "--dcp-size 4 --enable-lmcache",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --enable-hierarchical-cache "
             "--dcp-size 4",
             "h200"},
    .releases = kDcpReleases};

constexpr Rule kHisparseWithDcp{
    .id = "hicache/hisparse-with-dcp",
    .exception = "NotImplementedError",
    .message =
        "--enable-hisparse with --dcp-size > 1 is not supported: the HiSparse host pool is "
        "constructed without DCP translation.",
    .why = "HiSparse's host pool addresses the KV cache as if every rank held all of it.",
    .source = "server_args.py: ServerArgs._resolve_hicache_dcp_compatibility",
    // No example: HiSparse refuses the models and caches that reach this check before it.
    .bad = {},
    .good = {},
    .releases = kDcpReleases};

constexpr Rule kDcpNeedsMla{
    .id = "hicache/dcp-needs-mla",
    .exception = "NotImplementedError",
    .message =
        "HiCache with --dcp-size > 1 is only supported for MLA models: the index translation lives "
        "in MLATokenToKVPoolHost, and the MHA host pool has none.",
    .why =
        "Only the host pool of MLA models (DeepSeek and relatives) translates addresses between "
        "the ranks of decode context parallelism.",
    .source = "server_args.py: ServerArgs._resolve_hicache_dcp_compatibility",
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size 8 --enable-hierarchical-cache --dcp-size 2",
            "h200"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 8 --enable-hierarchical-cache", "h200"},
    .releases = kDcpReleases};

// ServerArgs._resolve_layout_io_compatibility
void layout_and_io(Resolution& r) {
  if (r.get(f::hicache_mem_layout) == "page_first_direct" &&
      r.get(f::hicache_io_backend) == "kernel") {
    r.set(f::hicache_io_backend, "direct",
          "The kernel IO backend cannot copy the page_first_direct layout.");
    r.warn(
        "Kernel io backend does not support page first direct layout, switching to direct io "
        "backend");
  }
  if (r.get(f::hicache_mem_layout) == "page_first" && r.get(f::hicache_io_backend) == "direct") {
    r.set(f::hicache_mem_layout, "page_first_direct",
          "The direct IO backend cannot copy the page_first layout.");
    r.warn(
        "Page first layout is not supported with direct IO backend, switching to page first direct "
        "layout");
  }
  if (!r.since(Release::v0_5_16) && r.get(f::hicache_mem_layout) == "page_first" &&
      r.get(f::hicache_io_backend) == "kernel" && is_hip(r.machine())) {
    r.set(f::hicache_mem_layout, "layer_first",
          "The page_first write-back kernel exists for CUDA only.");
    r.warn(
        "page_first kernel write-back requires the CUDA JIT kernel; falling back to layer_first "
        "layout on ROCm.");
  }
}

// ServerArgs._resolve_storage_layout_compatibility
void storage_and_layout(Resolution& r) {
  if (r.get(f::hicache_storage_backend) != "mooncake" ||
      r.get(f::hicache_mem_layout) != "layer_first")
    return;
  const std::string_view io = r.get(f::hicache_io_backend);
  const char* layout = io == "direct"   ? "page_first_direct"
                       : io == "kernel" ? "page_first"
                                        : "layer_first";
  r.set(f::hicache_mem_layout, layout, "Mooncake stores whole pages, which layer_first scatters.");
  r.warn(
      "Mooncake storage backend does not support layer_first layout, switching to {} layout for {} "
      "io backend",
      {layout, io});
}

// ServerArgs._resolve_hicache_dcp_compatibility
void dcp_compatibility(Resolution& r) {
  if (r.get(f::dcp_size) <= 1 || !r.get(f::enable_hierarchical_cache)) return;
  const Fix no_dcp{{unset(f::dcp_size)}, "each rank holds the whole KV cache of its heads"};
  const Fix no_hicache{{unset(f::enable_hierarchical_cache)},
                       "evicted prefixes are computed again"};
  if (r.get(f::hicache_storage_backend))
    return r.reject(
        kStorageWithDcp, {},
        {{{unset(f::hicache_storage_backend)}, "KV cache is kept on GPU and host only"}, no_dcp},
        {Field::dcp_size});
  const auto algorithm = r.get(f::speculative_algorithm);
  if (algorithm && !(r.since(Release::v0_5_18) && algorithm == "DSPARK"))
    return r.reject(r.since(Release::v0_5_18) ? kSpeculativeWithDcp : kSpeculativeWithDcp17, {},
                    {no_dcp, no_hicache}, {Field::speculative_algorithm});
  if (r.get(f::enable_lmcache))
    return r.reject(kLmcacheWithDcp, {}, {{{unset(f::enable_lmcache)}, "no LMCache"}, no_dcp});
  if (r.get(f::enable_hisparse))
    return r.reject(kHisparseWithDcp, {}, {no_dcp, {{unset(f::enable_hisparse)}, "no HiSparse"}});
  const bool mla = r.model().use_mla();
  if (r.stopped()) return;
  if (!mla) return r.reject(kDcpNeedsMla, {}, {no_hicache, no_dcp});
  r.info(
      "HiCache + DCP enabled (L1/L2 only): host pool uses widened logical slot accounting with "
      "per-rank physical translation at the transfer boundary (dcp_size={}).",
      {r.value(f::dcp_size)});
}

// ServerArgs._resolve_unified_kv_hicache_compatibility
void unified_kv(Resolution& r) {
  constexpr std::string_view kBackend = "SGLANG_HACK_FLASHMLA_BACKEND";
  if (!r.get(f::enable_hierarchical_cache) || r.env().get(kBackend).as_str() != "unified_kv_triton")
    return;
  r.env().put(std::string(kBackend), "tilelang");
  r.warn(
      "SGLANG_HACK_FLASHMLA_BACKEND=unified_kv_triton is not yet compatible with "
      "--enable-hierarchical-cache; falling back to SGLANG_HACK_FLASHMLA_BACKEND=tilelang.");
}

}  // namespace

void hicache_ratio_default(Resolution& r) {
  if (!r.get(f::hicache_ratio) && r.get(f::disaggregation_mode) != "decode")
    r.set(f::hicache_ratio, 2.0,
          "The host cache is twice the size of the GPU's unless said otherwise.");
}

void hicache(Resolution& r) {
  bool used =
      r.get(f::enable_hierarchical_cache) || r.get(f::disaggregation_decode_enable_offload_kvcache);
  if (r.since(Release::v0_5_18) && r.get(f::disaggregation_mode) == "decode") {
    const auto backup = r.get(f::disaggregation_decode_retraction_backup);
    used = used || !backup || backup == "host_pool";
  }
  if (!used) return;
  layout_and_io(r);
  storage_and_layout(r);
  if (!r.since(Release::v0_5_16)) unified_kv(r);
  if (r.since(Release::v0_5_17)) dcp_compatibility(r);
}

RuleList hicache_rules() {
  return {&kStorageWithDcp, &kSpeculativeWithDcp17, &kSpeculativeWithDcp,
          &kLmcacheWithDcp, &kHisparseWithDcp,      &kDcpNeedsMla};
}

}  // namespace sglint
