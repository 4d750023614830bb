// DeepSeek Sparse Attention: DeepSeek V3.2, GLM-5 and others whose config.json has an indexer.

#include "base/text.h"
#include "rules/attention.h"
#include "rules/cuda_graph.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kInterleaveNeedsDp1{
    .id = "models/dsa-cp-interleave-needs-dp-1",
    .exception = "AssertionError",
    .message = "interleave DSA CP does not support DP attention.",
    .why =
        "Interleaved context parallelism uses all ranks for one sequence, so there are none left "
        "for data parallel attention.",
    .source = "arg_groups/overrides.py: _deepseek_family_overrides",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --dp-size 2 --enable-dp-attention "
            "--enable-prefill-cp --cp-strategy interleave",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-prefill-cp --cp-strategy "
             "interleave",
             "h200"},
};

constexpr Rule kCpSingleMachine{
    .id = "models/dsa-cp-single-machine",
    .exception = "AssertionError",
    .message =
        "Context parallel only supports single machine (tp_size <= 8). Cross-machine CP has "
        "precision issues.",
    .why =
        "Prefill context parallelism is limited to eight ranks, also on machines with more GPUs.",
    .source = "arg_groups/overrides.py: _deepseek_family_overrides",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 16 --nnodes 2 --node-rank 0 "
            "--dist-init-addr 10.0.0.1:5000 --enable-prefill-cp",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-prefill-cp --cp-strategy "
             "interleave",
             "h200"},
};

constexpr Rule kCpNotOnDecode{
    .id = "models/dsa-cp-not-on-decode",
    .exception = "AssertionError",
    .message =
        "CP is only supported for prefill when PD disaggregation, please remove "
        "--enable-prefill-cp.",
    .why =
        "A decode worker never prefills, so prefill context parallelism has nothing to do there.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-prefill-cp "
            "--disaggregation-mode decode",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --disaggregation-mode decode",
             "h200"},
};

constexpr Rule kTwoBatchOverlap{
    .id = "models/dsa-two-batch-overlap",
    .exception = "ValueError",
    .message =
        "--enable-two-batch-overlap is not supported with DSA index-topk sharing (index_topk_freq "
        "> 1 or an index_topk_pattern containing shared layers): the TBO op path does not "
        "propagate topk indices across layers, so shared layers would run sparse attention without "
        "indices.",
    .why =
        "In this checkpoint several layers share one indexer result, which two-batch overlap loses "
        "between layers.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path zai-org/GLM-5.2-FP8 --enable-two-batch-overlap", "h100"},
    .good = {"--model-path zai-org/GLM-5.2-FP8", "h100"},
};

constexpr Rule kNoCuda{
    .id = "models/dsa-needs-gpu",
    .exception = "AssertionError",
    .message = "Torch not compiled with CUDA enabled",
    .why =
        "SGLang asks PyTorch for the GPU's capability to choose sparse attention kernels, and this "
        "machine has no CUDA or ROCm GPU. The message is PyTorch's.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path zai-org/GLM-5", "cpu"},
    .good = {"--model-path zai-org/GLM-5", "h100"},
};

constexpr Rule kKvCacheDtype{
    .id = "models/dsa-kv-cache-dtype",
    .exception = "AssertionError",
    .message = "DeepSeek DSA only supports bf16/bfloat16 or fp8_e4m3 kv_cache_dtype",
    .why =
        "The sparse attention kernels read only these two forms. `auto` gives fp8_e4m3 on "
        "Blackwell and bfloat16 elsewhere.",
    .source = "arg_groups/overrides.py: _dsa_kv_cache_dtype_default",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --kv-cache-dtype fp8_e5m2", "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --kv-cache-dtype fp8_e4m3",
             "h200"},
};

constexpr Rule kTilelangFp8{
    .id = "models/dsa-tilelang-fp8-kv",
    .exception = "ValueError",
    .message =
        "The tilelang DSA prefill/decode kernels only support an fp8_e4m3 KV cache on ROCm/HIP; on "
        "CUDA they require a bfloat16 KV cache. Use --kv-cache-dtype bfloat16 with the tilelang "
        "backend, or keep --kv-cache-dtype fp8_e4m3 and pick an fp8-capable DSA backend "
        "(flashmla_kv on Hopper, trtllm on Blackwell).",
    .why =
        "The CUDA form of the tilelang kernels has bfloat16 built in. On Blackwell fp8_e4m3 is the "
        "default KV cache dtype, so --kv-cache-dtype bfloat16 must be given there.",
    .source = "arg_groups/overrides.py: _check_tilelang_dsa_fp8_kv",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --dsa-decode-backend tilelang",
            "b200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --dsa-decode-backend tilelang "
             "--dsa-prefill-backend tilelang --kv-cache-dtype bfloat16",
             "b200"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kLayerSplitModel{
    .id = "models/dsa-cache-layer-split-model",
    .exception = "ValueError",
    .message =
        "--enable-dsa-cache-layer-split is only supported for DSA (DeepSeek Sparse Attention) "
        "models.",
    .why =
        "The flag splits the cache of the sparse attention indexer, which this model does not "
        "have.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path Qwen/Qwen3-8B --enable-dsa-cache-layer-split", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B", "h100"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

constexpr Rule kLayerSplitDecode{
    .id = "models/dsa-cache-layer-split-on-decode",
    .exception = "ValueError",
    .message =
        "--enable-dsa-cache-layer-split is not supported on decode workers. This flag is a "
        "prefill-CP optimization; decode receives full cache shards through PD transfer.",
    .why = "Decode workers need whole caches.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-dsa-cache-layer-split "
            "--disaggregation-mode decode",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --disaggregation-mode decode",
             "h200"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

constexpr Rule kLayerSplitNotPd{
    .id = "models/dsa-cache-layer-split-without-pd",
    .exception = "ValueError",
    .message =
        "--enable-dsa-cache-layer-split is only supported on PD prefill workers. Non-PD workers "
        "also run decode and require ordinary local decode cache semantics.",
    .why = "A worker that also decodes needs whole caches.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path zai-org/GLM-5.2-FP8 --enable-dsa-cache-layer-split", "h100"},
    .good = {"--model-path zai-org/GLM-5.2-FP8", "h100"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

constexpr Rule kLayerSplitNeedsCp{
    .id = "models/dsa-cache-layer-split-needs-cp",
    .exception = "ValueError",
    .message =
        "--enable-dsa-cache-layer-split requires --enable-prefill-cp and --cp-strategy interleave "
        "(or legacy --enable-nsa-prefill-context-parallel with --nsa-prefill-cp-mode "
        "round-robin-split).",
    .why = "The split is over the ranks of interleaved prefill context parallelism.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-dsa-cache-layer-split "
            "--disaggregation-mode prefill",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --disaggregation-mode prefill",
             "h200"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

constexpr Rule kLayerSplitTransfer{
    .id = "models/dsa-cache-layer-split-transfer-backend",
    .exception = "ValueError",
    .message =
        "--enable-dsa-cache-layer-split currently only supports the mooncake transfer backend "
        "(mooncake / mooncake_tcp). Got --disaggregation-transfer-backend {}. mori/nixl support "
        "will be added later by the community.",
    .why = "Only mooncake collects a cache from all ranks.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-prefill-cp --cp-strategy "
            "interleave --enable-dsa-cache-layer-split --disaggregation-mode prefill "
            "--disaggregation-transfer-backend nixl",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --enable-prefill-cp --cp-strategy "
             "interleave --enable-dsa-cache-layer-split --disaggregation-mode prefill",
             "h200"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

constexpr Rule kLayerSplitPp{
    .id = "models/dsa-cache-layer-split-with-pp",
    .exception = "ValueError",
    .message =
        "--enable-dsa-cache-layer-split is not supported with pipeline parallelism (pp_size > 1) "
        "yet. It requires prefill context parallelism, and CP + PP has not been validated for this "
        "feature.",
    .why = "Nobody has checked the split together with pipeline stages.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 4 --pp-size 2 --enable-prefill-cp "
            "--cp-strategy interleave --enable-dsa-cache-layer-split --disaggregation-mode prefill",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 4 --enable-prefill-cp --cp-strategy "
             "interleave --enable-dsa-cache-layer-split --disaggregation-mode prefill",
             "h200"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

// aiter_can_use_preshuffle_paged_mqa, on ROCm.
bool can_use_pages_on_hip(const Resolution& r) {
  if (!r.env().flag("SGLANG_USE_AITER") || r.env().flag("SGLANG_DSA_HIP_DISABLE_PRESHUFFLE"))
    return false;
  return true;  // The other condition is Triton 3.5, which every supported release depends on.
}

void declare_context_parallelism(Resolution& r) {
  r.warn(
      "Context parallel feature is still under experiment. It has only been verified on Hopper "
      "platform.");
  const char* because =
      "--enable-prefill-cp for sparse attention models fixes how the other layers are split.";
  const int64_t tp = r.get(f::tp_size), dp = r.get(f::dp_size);
  const bool zigzag = r.get(f::cp_strategy) == "zigzag";
  r.declare(f::enable_dp_attention, true, because);
  r.declare(f::moe_dense_tp_size, 1, because);
  if (zigzag) {
    r.declare(f::moe_a2a_backend, "deepep", because);
    r.declare(f::ep_size, tp, because);
    r.warn(
        "zigzag DSA CP requires moe_dense_tp_size=1, moe_a2a_backend=deepep, ep_size=tp_size, "
        "batch_size=1.");
  } else if (dp != 1) {
    r.reject(kInterleaveNeedsDp1, {},
             {{{unset(f::dp_size)}, "attention is not data parallel"},
              {{unset(f::enable_prefill_cp)}, "no context parallelism"}},
             {f::dp_size.id, f::cp_strategy.id});
  }
  if (tp > 8) {
    r.reject(kCpSingleMachine, {},
             {{{unset(f::enable_prefill_cp)}, "no context parallelism"},
              {{set(f::tp_size, "8")}, "fewer GPUs"}},
             {f::tp_size.id});
  }
  const int64_t cp = dp == 0 ? 0 : tp / dp;
  r.declare(f::attn_cp_size, cp, because);
  r.warn(
      "Enabled DSA context parallel: strategy={}, dp_size={}, moe_dense_tp_size=1, ep_size={}, "
      "tp_size={}, attn_cp_size={}, kv_cache_dtype={}, moe_a2a_backend={}, "
      "cuda_graph_config[prefill].backend=disabled",
      {r.get(f::cp_strategy), dp, zigzag ? tp : r.get(f::ep_size), tp, cp, r.get(f::kv_cache_dtype),
       zigzag ? std::string_view("deepep") : r.get(f::moe_a2a_backend)});
}

void set_dense_attention_threshold(Resolution& r) {
  constexpr const char* kName = "SGLANG_DSA_PREFILL_DENSE_ATTN_KV_LEN_THRESHOLD";
  if (r.env().is_set(kName)) {
    r.warn(
        "Dense attention kv len threshold is manually set to {} for DSA. Caution: This may cause "
        "performance regression if the threshold is larger than the index topk of model.",
        {r.env().get(kName)});
    return;
  }
  const Value& topk = r.model().hf_config["index_topk"];
  r.env().put(kName, str(topk));
  r.warn("Set dense attention kv len threshold to model index_topk={} for DeepSeek with DSA.",
         {topk});
}

void validate_two_batch_overlap(Resolution& r) {
  if (!r.get(f::enable_two_batch_overlap)) return;
  const Value& config = r.model().hf_config;
  const Value& pattern = config["index_topk_pattern"];
  bool shared = config["index_topk_freq"].as_int() > 1 || contains(pattern.as_str(), "S");
  for (const Value& layer : pattern.as_list()) shared = shared || layer.as_str() == "S";
  if (shared) {
    r.reject(kTwoBatchOverlap, {},
             {{{unset(f::enable_two_batch_overlap)}, "no overlap of two half batches"}},
             {f::enable_two_batch_overlap.id});
  }
}

// _dsa_kv_cache_dtype_default
void choose_kv_cache_dtype(Resolution& r) {
  const int major = r.machine().sm_major;
  std::string_view dtype = r.view(f::kv_cache_dtype);
  if ((r.view(f::dsa_prefill_backend) || r.view(f::dsa_decode_backend)) && dtype == "auto") {
    r.warn(
        "When specifying --dsa-prefill-backend or --dsa-decode-backend, you should also explicitly "
        "set --kv-cache-dtype (e.g., 'fp8_e4m3' or 'bfloat16'). DeepSeek V3.2 defaults to FP8 KV "
        "cache which may not be compatible with all backends.");
  }
  if (dtype == "auto") {
    dtype = major >= 10 ? "fp8_e4m3" : "bfloat16";
    r.warn("Setting KV cache dtype to {} for DeepSeek DSA on SM{} device.", {dtype, major});
  }
  if (dtype == "bf16") dtype = "bfloat16";
  if (!one_of(dtype, {"bfloat16", "fp8_e4m3"}))
    r.reject(kKvCacheDtype, {}, {{{unset(f::kv_cache_dtype)}, ""}}, {f::kv_cache_dtype.id});
  if (dtype != r.view(f::kv_cache_dtype)) {
    r.declare(f::kv_cache_dtype, dtype,
              major >= 10 ? "Sparse attention on Blackwell reads an FP8 KV cache."
                          : "Sparse attention's KV cache on this GPU.");
  }
}

void declare_split_backends(Resolution& r, std::string_view prefill, std::string_view decode,
                            const char* because) {
  if (!r.view(f::dsa_prefill_backend)) r.declare(f::dsa_prefill_backend, prefill, because);
  if (!r.view(f::dsa_decode_backend)) r.declare(f::dsa_decode_backend, decode, because);
}

// _dsa_split_backend_resolution
void choose_split_backends(Resolution& r) {
  const int major = r.machine().sm_major;
  const bool hip = is_hip(r.machine());
  const std::string dtype(r.view(f::kv_cache_dtype));
  const bool fp8 = dtype == "fp8_e4m3";
  if (r.since(Release::v0_5_17) && r.model().architecture() == "GlmMoeDsaForCausalLM" &&
      major == 12 && fp8 && !hip) {
    declare_split_backends(r, "flashinfer_sparse_mla", "flashinfer_sparse_mla",
                           "GLM-5 with an FP8 KV cache on SM120.");
    r.warn(
        "Set DSA backends for GLM FP8 KV Cache on SM120/SM121: prefill=flashinfer_sparse_mla, "
        "decode=flashinfer_sparse_mla.");
    return;
  }
  if (r.view(f::enable_hisparse)) {
    const std::string_view backend = hisparse_default_backend(r, dtype);
    declare_split_backends(r, backend, backend,
                           "HiSparse works with this backend for the KV cache dtype.");
    r.warn("HiSparse enabled ({}): using DSA backends prefill={}, decode={}.",
           {dtype, r.view(f::dsa_prefill_backend), r.view(f::dsa_decode_backend)});
    return;
  }
  if (hip && !r.view(f::dsa_prefill_backend) && !r.view(f::dsa_decode_backend)) {
    declare_split_backends(r, "tilelang", "tilelang", "The sparse attention kernels for ROCm.");
  } else if (fp8) {
    const char* backend = major >= 10 ? "trtllm" : "flashmla_kv";
    declare_split_backends(r, backend, backend,
                           "The sparse attention kernels for an FP8 KV cache on this GPU.");
  } else {
    declare_split_backends(r, "flashmla_sparse", major >= 10 ? "trtllm" : "fa3",
                           "The sparse attention kernels for a bfloat16 KV cache on this GPU.");
  }
  const auto prefill = r.view(f::dsa_prefill_backend), decode = r.view(f::dsa_decode_backend);
  if (r.since(Release::v0_5_17) && !hip && fp8 && (prefill == "tilelang" || decode == "tilelang")) {
    r.reject(kTilelangFp8, {},
             {{{set(f::kv_cache_dtype, "bfloat16")}, "a KV cache of twice the size"},
              {{unset(f::dsa_prefill_backend), unset(f::dsa_decode_backend)},
               "SGLang's kernels for FP8"}},
             {f::dsa_prefill_backend.id, f::dsa_decode_backend.id, f::kv_cache_dtype.id});
  }
  r.warn("Set DSA backends for {} KV Cache: prefill={}, decode={}.", {dtype, prefill, decode});
}

void validate_cache_layer_split(Resolution& r) {
  if (!r.get(f::enable_dsa_cache_layer_split)) return;
  const Fix drop{{unset(f::enable_dsa_cache_layer_split)},
                 "every rank keeps the whole indexer cache"};
  const std::string_view mode = r.get(f::disaggregation_mode);
  if (mode == "decode") r.reject(kLayerSplitDecode, {}, {drop}, {f::disaggregation_mode.id});
  if (mode != "prefill") r.reject(kLayerSplitNotPd, {}, {drop}, {f::disaggregation_mode.id});
  if (!r.get(f::enable_prefill_cp) || r.get(f::cp_strategy) != "interleave") {
    r.reject(kLayerSplitNeedsCp, {},
             {drop,
              {{set(f::enable_prefill_cp), set(f::cp_strategy, "interleave")},
               "context parallel prefill"}},
             {f::enable_prefill_cp.id, f::cp_strategy.id});
  }
  if (r.get(f::disaggregation_transfer_backend) != "mooncake") {
    r.reject(
        kLayerSplitTransfer, {repr(r.value(f::disaggregation_transfer_backend))},
        {{{unset(f::disaggregation_transfer_backend)}, "caches travel through mooncake"}, drop},
        {f::disaggregation_transfer_backend.id});
  }
  if (r.get(f::pp_size) > 1)
    r.reject(kLayerSplitPp, {}, {drop, {{unset(f::pp_size)}, "no pipeline stages"}},
             {f::pp_size.id});
}

}  // namespace

void validate_dsa_cache_layer_split_model(Resolution& r) {
  if (!r.since(Release::v0_5_16) || !r.get(f::enable_dsa_cache_layer_split)) return;
  if (is_deepseek_dsa(r.model().hf_config)) return;
  r.reject(kLayerSplitModel, {}, {{{unset(f::enable_dsa_cache_layer_split)}, ""}},
           {f::enable_dsa_cache_layer_split.id});
}

// The DSA arm of _deepseek_family_overrides.
void deepseek_dsa_overrides(Resolution& r) {
  if (attention_backend_not_set(r)) {
    r.declare(f::attention_backend, "dsa", "The model has an indexer for sparse attention.");
    r.info("Use dsa attention backend for DeepSeek with DSA.");
  }
  const Machine& m = r.machine();
  if (is_npu(m) || is_xpu(m)) return;
  if (r.get(f::enable_prefill_cp)) declare_context_parallelism(r);
  if (is_hip(m) && !can_use_pages_on_hip(r)) {
    replace(r, f::page_size, 1,
            "Without SGLANG_USE_AITER the indexer's kernel on ROCm has pages of one token.");
    r.warn(
        "Setting page size to 1 for DeepSeek DSA on ROCm (aiter preshuffle paged-MQA path "
        "unavailable: needs Triton>=3.5.0 or AITER_ENABLE_AOT_GLUON_PA_MQA_LOGITS=1).");
  } else {
    r.declare(
        f::page_size, 64,
        "The sparse attention kernels work on pages of 64 tokens, whatever --page-size says.");
    r.warn("Setting page size to 64 for DeepSeek DSA.");
  }
}

// The DSA arm of the family's branch in _handle_model_specific_adjustments.
void deepseek_dsa_adjustments(Resolution& r) {
  const Machine& m = r.machine();
  set_dense_attention_threshold(r);
  validate_two_batch_overlap(r);
  if (!is_npu(m) && !is_xpu(m)) {
    const int64_t tp = r.get(f::tp_size), dp = r.get(f::dp_size);
    if (r.get(f::enable_prefill_cp)) {
      set_graph_backend(r, "prefill", "disabled",
                        "Prefill context parallelism does not work in captured graphs.");
    } else if (dp < tp) {
      r.warn(
          "DSA with TP mode is active, dp_size={}, tp_size={}, attn_tp_size={}, attention weights "
          "will be sharded across {} ranks.",
          {dp, tp, tp, tp});
    }
    if (!is_cuda(m) && !is_hip(m)) return r.reject(kNoCuda, {}, {}, {f::model_path.id});
    choose_kv_cache_dtype(r);
    if (r.stopped()) return;
    choose_split_backends(r);
  }
  if (r.get(f::enable_prefill_cp) && r.get(f::disaggregation_mode) == "decode") {
    r.reject(kCpNotOnDecode, {}, {{{unset(f::enable_prefill_cp)}, ""}},
             {f::enable_prefill_cp.id, f::disaggregation_mode.id});
  }
  if (r.since(Release::v0_5_16)) validate_cache_layer_split(r);
}

RuleList deepseek_dsa_rules() {
  return {&kInterleaveNeedsDp1,
          &kCpSingleMachine,
          &kCpNotOnDecode,
          &kTwoBatchOverlap,
          &kNoCuda,
          &kKvCacheDtype,
          &kTilelangFp8,
          &kLayerSplitModel,
          &kLayerSplitDecode,
          &kLayerSplitNotPd,
          &kLayerSplitNeedsCp,
          &kLayerSplitTransfer,
          &kLayerSplitPp};
}

}  // namespace sglint
