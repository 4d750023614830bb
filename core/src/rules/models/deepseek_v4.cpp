#include <algorithm>

#include "base/text.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kKvCacheDtype{
    .id = "models/deepseek-v4-kv-cache-dtype",
    .exception = "AssertionError",
    .message = "{} is not supported for {}",
    .why = "DeepSeek V4's packed KV layout exists for fp8_e4m3 (the default) and bfloat16.",
    .source = "arg_groups/overrides.py: _deepseek_v4_kv_cache_dtype",
    .bad = {"--model-path deepseek-ai/DeepSeek-V4-Flash --kv-cache-dtype fp8_e5m2", "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V4-Flash", "h200"},
};

constexpr Rule kSpeculativeAlgorithm{
    .id = "models/deepseek-v4-speculative-algorithm",
    .exception = "AssertionError",
    .message = "Only EAGLE and DSPARK speculative algorithms are supported for {}",
    .why = "Other algorithms have no verification path through DeepSeek V4's attention.",
    .source = "arg_groups/deepseek_v4_hook.py: apply_deepseek_v4_defaults",
    .bad = {"--model-path deepseek-ai/DeepSeek-V4-Flash --speculative-algorithm NGRAM "
            "--speculative-num-draft-tokens 4",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V4-Flash", "h200"},
};

constexpr Rule kEagleTopk{
    .id = "models/deepseek-v4-eagle-topk",
    .exception = "AssertionError",
    .message = "Only EAGLE speculative algorithm with topk == 1 is supported for {}",
    .why =
        "Drafts must form a chain. SGLang fills in a top-k of 1 by itself only later, so "
        "--speculative-eagle-topk 1 must be given here.",
    .source = "arg_groups/deepseek_v4_hook.py: apply_deepseek_v4_defaults",
    .bad = {"--model-path deepseek-ai/DeepSeek-V4-Flash --speculative-algorithm EAGLE", "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V4-Flash --speculative-algorithm EAGLE "
             "--speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens "
             "4",
             "h200"},
};

constexpr Rule kCpStrategy{
    .id = "models/deepseek-v4-cp-strategy",
    .exception = "ValueError",
    .message = "DeepSeekV4 only supports interleave CP strategy, got {}",
    .why =
        "--enable-prefill-cp alone leaves the strategy open for this model; --cp-strategy "
        "interleave must be given.",
    .source = "arg_groups/deepseek_v4_hook.py: validate_deepseek_v4_cp",
    .bad = {"--model-path deepseek-ai/DeepSeek-V4-Flash --tp-size 4 --enable-prefill-cp", "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V4-Flash --tp-size 4 --enable-prefill-cp "
             "--cp-strategy interleave",
             "h200"},
};

constexpr Rule kCpNeedsDp1{
    .id = "models/deepseek-v4-cp-needs-dp-1",
    .exception = "AssertionError",
    .message = "For round-robin split mode, dp attention is not supported.",
    .why = "Interleaved context parallelism uses all ranks for one sequence.",
    .source = "arg_groups/deepseek_v4_hook.py: validate_deepseek_v4_cp",
    .bad = {"--model-path deepseek-ai/DeepSeek-V4-Flash --tp-size 4 --dp-size 2 "
            "--enable-dp-attention --enable-prefill-cp --cp-strategy interleave",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V4-Flash --tp-size 4 --enable-prefill-cp "
             "--cp-strategy interleave",
             "h200"},
};

constexpr Rule kCpSingleMachine{
    .id = "models/deepseek-v4-cp-single-machine",
    .exception = "AssertionError",
    .message =
        "Context parallel only supports single machine (tp_size <= 8). Cross-machine CP has "
        "precision issues.",
    .why =
        "Prefill context parallelism is limited to eight ranks, also on machines with more GPUs.",
    .source = "arg_groups/deepseek_v4_hook.py: validate_deepseek_v4_cp",
    .bad = {"--model-path deepseek-ai/DeepSeek-V4-Flash --tp-size 16 --nnodes 2 --node-rank 0 "
            "--dist-init-addr 10.0.0.1:5000 --enable-prefill-cp --cp-strategy interleave",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V4-Flash --tp-size 8 --enable-prefill-cp "
             "--cp-strategy interleave",
             "h200"},
};

constexpr Rule kCpA2a{
    .id = "models/deepseek-v4-cp-a2a",
    .exception = "ValueError",
    .message = "DeepSeekV4 CP supports moe_a2a_backend in ('none', 'deepep', 'megamoe'), got {}.",
    .why = "Other all-to-all backends have not been made to work with context parallel prefill.",
    .source = "arg_groups/deepseek_v4_hook.py: validate_deepseek_v4_cp",
    .bad = {"--model-path deepseek-ai/DeepSeek-V4-Flash --tp-size 4 --enable-prefill-cp "
            "--cp-strategy interleave --moe-a2a-backend mooncake",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V4-Flash --tp-size 4 --enable-prefill-cp "
             "--cp-strategy interleave",
             "h200"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr ReleaseRange kSince17{Release::v0_5_17, Release::v0_5_18};

constexpr Rule kMegaMoeNeedsChunks{
    .id = "models/deepseek-v4-megamoe-needs-chunks",
    .exception = "ValueError",
    .message =
        "DeepSeekV4 with MegaMoE requires chunked prefill to be enabled. Set "
        "--chunked-prefill-size to a positive value; --chunked-prefill-size=-1 is unsafe because "
        "MegaMoE's per-rank token requirement would not have a strict prefill-forward bound.",
    .why =
        "MegaMoE's buffer has a fixed number of tokens per rank, and only chunked prefill bounds a "
        "forward pass.",
    .source = "arg_groups/deepseek_v4_hook.py: validate_deepseek_v4_mega_moe_token_budget",
    .bad = {"--model-path deepseek-ai/DeepSeek-V4-Flash --moe-a2a-backend megamoe "
            "--chunked-prefill-size -1",
            "b200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V4-Flash --moe-a2a-backend megamoe "
             "--chunked-prefill-size 8192",
             "b200"},
    .releases = kSince17,
};

constexpr Rule kMegaMoeNoTokens{
    .id = "models/deepseek-v4-megamoe-no-tokens",
    .exception = "ValueError",
    .message =
        "DeepSeekV4 with MegaMoE requires a positive effective per-rank chunked prefill size. "
        "Current values: chunked_prefill_size={}, token_partition={}, token_partition_size={}.",
    .why = "With data parallel attention each rank gets its share of a chunk, and the share is 0.",
    .source = "arg_groups/deepseek_v4_hook.py: validate_deepseek_v4_mega_moe_token_budget",
    .bad = {"--model-path deepseek-ai/DeepSeek-V4-Flash --tp-size 8 --dp-size 8 "
            "--enable-dp-attention --moe-a2a-backend megamoe --chunked-prefill-size 4",
            "b200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V4-Flash --tp-size 8 --dp-size 8 "
             "--enable-dp-attention --moe-a2a-backend megamoe --chunked-prefill-size 8192",
             "b200"},
    .releases = kSince17,
};

constexpr Rule kMegaMoeBudget{
    .id = "models/deepseek-v4-megamoe-budget",
    .exception = "ValueError",
    .message =
        "DeepSeekV4 with MegaMoE requires SGLANG_OPT_DEEPGEMM_MEGA_MOE_NUM_MAX_TOKENS_PER_RANK to "
        "cover each rank's effective prefill token budget. Current values: "
        "chunked_prefill_size={}, token_partition={}, token_partition_size={}, token_alignment={}, "
        "required_per_rank={}, SGLANG_OPT_DEEPGEMM_MEGA_MOE_NUM_MAX_TOKENS_PER_RANK={}. Set "
        "SGLANG_OPT_DEEPGEMM_MEGA_MOE_NUM_MAX_TOKENS_PER_RANK to at least {}, or lower "
        "--chunked-prefill-size until the effective per-rank budget fits. Otherwise MegaMoE falls "
        "back to the fused MoE path at runtime.",
    .why =
        "MegaMoE's buffer holds 8192 tokens per rank (1024 in 0.5.17) unless the environment "
        "variable says otherwise, and one prefill chunk may bring more. The chunk size is chosen "
        "from the GPU's memory when it is not given.",
    .source = "arg_groups/deepseek_v4_hook.py: validate_deepseek_v4_mega_moe_token_budget",
    .bad = {"--model-path deepseek-ai/DeepSeek-V4-Flash --moe-a2a-backend megamoe "
            "--chunked-prefill-size 16384",
            "b200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V4-Flash --moe-a2a-backend megamoe "
             "--chunked-prefill-size 8192",
             "b200"},
    .releases = kSince17,
};

// _deepseek_v4_kv_cache_dtype
void choose_kv_cache_dtype(Resolution& r, std::string_view arch) {
  std::string_view dtype = r.view(f::kv_cache_dtype);
  if (dtype == "auto") {
    dtype = "fp8_e4m3";
    r.warn("Setting KV cache dtype to {} for {}.", {dtype, arch});
  }
  if (r.view(f::device) == "npu") dtype = "bfloat16";
  if (!one_of(dtype, {"fp8_e4m3", "bfloat16"}))
    r.reject(kKvCacheDtype, {dtype, arch}, {{{unset(f::kv_cache_dtype)}, "fp8_e4m3"}},
             {f::kv_cache_dtype.id});
  if (dtype != r.view(f::kv_cache_dtype))
    r.declare(f::kv_cache_dtype, dtype, "DeepSeek V4's KV cache form on this machine.");
}

void validate_speculation(Resolution& r, std::string_view arch) {
  const auto algorithm = r.get(f::speculative_algorithm);
  if (!algorithm) return;
  const bool dspark_too = r.since(Release::v0_5_16);
  if (*algorithm != "EAGLE" && !(dspark_too && *algorithm == "DSPARK")) {
    r.reject_with(kSpeculativeAlgorithm,
                  fill(dspark_too ? kSpeculativeAlgorithm.message
                                  : "Only EAGLE speculative algorithm is supported for {}",
                       {arch}),
                  {{{unset(f::speculative_algorithm)}, "no speculative decoding"}},
                  {f::speculative_algorithm.id});
  }
  if (*algorithm == "EAGLE" && r.get(f::speculative_eagle_topk) != 1) {
    r.reject(kEagleTopk, {arch},
             {{{set(f::speculative_num_steps, "3"), set(f::speculative_eagle_topk, "1"),
                set(f::speculative_num_draft_tokens, "4")},
               "a chain of three drafts"}},
             {f::speculative_eagle_topk.id});
  }
}

// validate_deepseek_v4_cp
void apply_context_parallelism(Resolution& r) {
  if (!r.get(f::enable_prefill_cp)) return;
  const auto strategy = r.get(f::cp_strategy);
  const Fix drop{{unset(f::enable_prefill_cp)}, "no context parallelism"};
  if (strategy != "interleave")
    r.reject(kCpStrategy, {strategy}, {{{set(f::cp_strategy, "interleave")}, ""}, drop},
             {f::cp_strategy.id});
  const char* because = "--enable-prefill-cp for DeepSeek V4 fixes how the other layers are split.";
  const int64_t tp = r.get(f::tp_size), dp = r.get(f::dp_size);
  r.set(f::enable_dsa_prefill_context_parallel, true, because);
  if (r.since(Release::v0_5_18)) r.set(f::enable_prefill_context_parallel, false, because);
  r.set(f::dsa_prefill_cp_mode, "round-robin-split", because);
  r.set(f::enable_dp_attention, true, because);
  r.set(f::moe_dense_tp_size, 1, because);
  r.set(f::attn_cp_size, dp == 0 ? 0 : tp / dp, because);
  if (dp != 1)
    r.reject(kCpNeedsDp1, {}, {{{unset(f::dp_size)}, "attention is not data parallel"}, drop},
             {f::dp_size.id});
  if (tp > 8)
    r.reject(kCpSingleMachine, {}, {drop, {{set(f::tp_size, "8")}, "fewer GPUs"}}, {f::tp_size.id});
  if (r.since(Release::v0_5_17) &&
      !one_of(r.get(f::moe_a2a_backend), {"none", "deepep", "megamoe"})) {
    r.reject(kCpA2a, {repr(r.value(f::moe_a2a_backend))}, {{{unset(f::moe_a2a_backend)}, ""}, drop},
             {f::moe_a2a_backend.id});
  }
  r.warn(
      "Disabling SGLANG_OPT_FLASHMLA_SPARSE_PREFILL because DeepSeekV4 context parallelism is "
      "enabled.");
  r.env().put("SGLANG_OPT_FLASHMLA_SPARSE_PREFILL", "False");
  r.warn(
      "Enable Context Parallel for DeepSeekV4, dp_size={}, moe_dense_tp_size={}, attn_cp_size={}, "
      "ep_size={}, tp_size={}",
      {dp, r.get(f::moe_dense_tp_size), r.get(f::attn_cp_size), r.get(f::ep_size), tp});
}

// validate_deepseek_v4_mega_moe_token_budget
void validate_mega_moe_budget(Resolution& r) {
  const bool by_environment =
      !r.since(Release::v0_5_18) && r.env().flag("SGLANG_OPT_USE_DEEPGEMM_MEGA_MOE");
  if (r.get(f::moe_a2a_backend) != "megamoe" && !by_environment) return;
  if (r.get(f::disaggregation_mode) == "decode") return;
  if (r.get(f::pp_size) > 1 && r.get(f::enable_dynamic_chunking)) return;
  const int64_t chunk = r.get(f::chunked_prefill_size).value_or(0);
  if (chunk <= 0) {
    return r.reject(kMegaMoeNeedsChunks, {}, {{{set(f::chunked_prefill_size, "8192")}, ""}},
                    {f::chunked_prefill_size.id});
  }
  const int64_t tp = r.get(f::tp_size), dp = std::max<int64_t>(r.get(f::dp_size), 1);
  const int64_t cp = std::max<int64_t>(r.get(f::attn_cp_size), 1);
  int64_t partition = 1, alignment = std::max<int64_t>(tp / cp, 1), local = chunk;
  const char* partition_name = "none";
  if (r.get(f::enable_prefill_cp)) {
    partition = cp, partition_name = "attn_cp_size", alignment = 1;
    local = (chunk + cp - 1) / cp;
  } else if (r.get(f::enable_dp_attention)) {
    partition = dp, partition_name = "dp_size";
    alignment = std::max<int64_t>(tp / dp / cp, 1);
    local = chunk / dp;
  }
  if (local <= 0) {
    return r.reject(kMegaMoeNoTokens, {chunk, partition_name, partition},
                    {{{set(f::chunked_prefill_size, "8192")}, ""}},
                    {f::chunked_prefill_size.id, f::dp_size.id});
  }
  const int64_t required = (local + alignment - 1) / alignment * alignment;
  constexpr const char* kName = "SGLANG_OPT_DEEPGEMM_MEGA_MOE_NUM_MAX_TOKENS_PER_RANK";
  int64_t limit = r.env().get(kName).as_int();
  if (!r.env().is_set(kName) && !r.since(Release::v0_5_18)) limit = 1024;
  if (limit >= required) return;
  r.reject(kMegaMoeBudget, {chunk, partition_name, partition, alignment, required, limit, required},
           {{{set_env(kName, str(Value(required)))}, "a larger MegaMoE buffer on each GPU"},
            {{set(f::chunked_prefill_size,
                  str(Value(limit * (partition_name[0] == 'n' ? 1 : partition))))},
             "shorter prefill chunks"}},
           {f::chunked_prefill_size.id});
}

void set_environment(Resolution& r) {
  Environment& env = r.env();
  if (is_sm120_supported(r.machine())) {
    env.put("SGLANG_OPT_FP8_WO_A_GEMM", "False");
    env.put("SGLANG_OPT_USE_TOPK_V2", "False");
    env.put("SGLANG_OPT_USE_TILELANG_MHC_PRE", "False");
    if (r.since(Release::v0_5_18) && !env.is_set("SGLANG_OPT_FUSE_MHC_POST_PRE"))
      env.put("SGLANG_OPT_FUSE_MHC_POST_PRE", "True");
    env.put("SGLANG_OPT_DEEPGEMM_HC_PRENORM", "False");
    env.put("SGLANG_FP8_PAGED_MQA_LOGITS_TORCH", "True");
    if (r.since(Release::v0_5_16)) env.put("SGLANG_OPT_USE_TILELANG_INDEXER", "True");
  } else if (is_hip(r.machine())) {
    env.put("SGLANG_OPT_DEEPGEMM_HC_PRENORM", "False");
    if (!r.since(Release::v0_5_18)) env.put("SGLANG_OPT_USE_FUSED_COMPRESS", "True");
    env.put("SGLANG_OPT_FP8_WO_A_GEMM", "False");
    env.put("SGLANG_OPT_USE_JIT_INDEXER_METADATA", "False");
    env.put("SGLANG_OPT_USE_TOPK_V2", "False");
    env.put("SGLANG_OPT_USE_AITER_INDEXER", "True");
    env.put("SGLANG_OPT_USE_TILELANG_MHC_PRE", "False");
    env.put("SGLANG_OPT_USE_TILELANG_MHC_POST", "False");
    env.put("SGLANG_FP8_PAGED_MQA_LOGITS_TORCH", "True");
    env.put("SGLANG_OPT_USE_MULTI_STREAM_OVERLAP", "False");
    env.put("SGLANG_EAGER_INPUT_NO_COPY", "True");
  }
}

// ModelConfig.nvfp4_moe_meta is not None
bool is_hybrid_nvfp4(const Value& hf_config) {
  const Value& q = hf_config["quantization_config"];
  return upper(str(q["quant_algo"])) == "MIXED_PRECISION" &&
         upper(str(q["moe_quant_algo"])) == "NVFP4" && !q["group_size"].is_none();
}

}  // namespace

// _deepseek_v4_overrides
void deepseek_v4_overrides(Resolution& r) {
  const std::string_view arch = r.model().architecture();
  const bool npu = r.get(f::device) == "npu";
  const char* because =
      "DeepSeek V4 has its own attention backend, whatever --attention-backend says.";
  replace(r, f::attention_backend, "dsv4", because);
  if (npu) {
    replace(r, f::prefill_attention_backend, "dsv4", because);
    replace(r, f::decode_attention_backend, "dsv4", because);
  }
  const int page = npu ? 128 : 256;
  replace(r, f::page_size, page,
          "The page size of DeepSeek V4's KV layout, whatever --page-size says.");
  r.info("Use dsv4 attention backend for {}, setting page_size to {}.", {arch, page});
  const Field ratio = Field::swa_full_tokens_ratio;
  if (r.value(ratio) == field_defaults(r.release())[static_cast<size_t>(ratio)]) {
    r.declare(f::swa_full_tokens_ratio, 0.1,
              "Sliding window layers of this model need few tokens.");
    r.info("Setting swa_full_tokens_ratio to 0.1 for {}.", {arch});
  }
  if (r.get(f::moe_runner_backend) == "auto" && is_hybrid_nvfp4(r.model().hf_config)) {
    r.declare(f::moe_runner_backend, "flashinfer_trtllm_routed",
              "The MoE runner for checkpoints with FP8 and NVFP4 parts.");
    r.info("Use flashinfer_trtllm_routed as MoE runner backend for {} hybrid FP8+NVFP4 checkpoint.",
           {arch});
  }
}

// deepseek_v4_hook.py: apply_deepseek_v4_defaults
void deepseek_v4_defaults(Resolution& r) {
  const std::string_view arch = r.model().architecture();
  if (is_hip(r.machine())) {
    r.warn(
        "Disabling SGLANG_OPT_FLASHMLA_SPARSE_PREFILL by default on ROCm/HIP for {}; set it "
        "explicitly to override.",
        {arch});
    r.env().put("SGLANG_OPT_FLASHMLA_SPARSE_PREFILL", "False");
  }
  choose_kv_cache_dtype(r, arch);
  if (!r.get(f::max_running_requests)) {
    r.set(f::max_running_requests, 256, "SGLang's limit for DeepSeek V4 unless one is given.");
    r.warn("Setting max_running_requests to 256 for {}.", {arch});
  }
  validate_speculation(r, arch);
}

// Its branch in _handle_model_specific_adjustments.
void deepseek_v4_adjustments(Resolution& r) {
  apply_context_parallelism(r);
  if (r.stopped()) return;
  if (r.since(Release::v0_5_17)) validate_mega_moe_budget(r);
  if (is_sm120_supported(r.machine()) &&
      r.view(f::moe_runner_backend) == "auto") {  // _deepseek_v4_sm120_moe
    const char* runner = r.since(Release::v0_5_16) ? "flashinfer_mxfp4" : "marlin";
    r.info("Use {} as MoE runner backend on SM120 for DeepseekV4", {runner});
    r.declare(f::moe_runner_backend, runner,
              "The MoE runner for DeepSeek V4's MXFP4 experts on SM120.");
  }
  set_environment(r);
}

RuleList deepseek_v4_rules() {
  return {&kKvCacheDtype,    &kSpeculativeAlgorithm, &kEagleTopk, &kCpStrategy,
          &kCpNeedsDp1,      &kCpSingleMachine,      &kCpA2a,     &kMegaMoeNeedsChunks,
          &kMegaMoeNoTokens, &kMegaMoeBudget};
}

}  // namespace sglint
