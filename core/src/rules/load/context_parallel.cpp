// Context parallelism against the model and the platform. ServerArgs checks the sizes of prefill CP
// against each other (rules/context_parallelism.cpp); so the assertion of Qwen3-MoE and Mellum that
// --attn-cp-size is a multiple of --moe-dp-size never fires.

#include "rules/attention.h"
#include "rules/load/layout.h"

namespace sglint {
namespace {

constexpr ReleaseRange kSince0516{Release::v0_5_16, Release::v0_5_18};

constexpr Rule kDcpDivides{
    .id = "layout/dcp-does-not-divide-tp",
    .stage = Stage::load,
    .exception = "RuntimeError",
    .message =
        "tensor_model_parallel_size ({}) must be divisible by decode_context_parallel_size ({})",
    .why =
        "--dcp-size shares out the ranks of --tp-size. ServerArgs does not look; the workers do "
        "when they join each other.",
    .source = "distributed/parallel_state.py: initialize_model_parallel",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 3", "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 4", "h200"},
    .releases = kSince0516,
};

constexpr Rule kDcpPlatform{
    .id = "layout/dcp-platform",
    .stage = Stage::load,
    .exception = "RuntimeError",
    .message =
        "Decode context parallel (decode_context_parallel_size > 1) is currently only supported on "
        "the AMD HIP platform or CUDA platform, but got decode_context_parallel_size ({}) on a "
        "non-HIP or non-CUDA platform.",
    .why = "Since 0.5.17 ServerArgs leaves this to the workers.",
    .source = "distributed/parallel_state.py: initialize_model_parallel",
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size 2 --dcp-size 2", "npu"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2", "npu"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kSparseOnly{
    .id = "layout/dsa-prefill-cp-needs-sparse-attention",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "CP currently only supports deepseek v3.2 model",
    .why =
        "--enable-dsa-prefill-context-parallel splits sparse attention (DeepSeek-V3.2, GLM-5). "
        "Dense latent attention has --enable-prefill-cp with --cp-strategy zigzag. Models for "
        "which SGLang takes its second implementation (SGLANG_ENABLE_CP_V2) do not look at the old "
        "flag.",
    .source = "models/deepseek_v2.py: DeepseekV2AttentionMLA.__init__",
    .bad = {"--model-path moonshotai/Kimi-K2.5 --trust-remote-code --tp-size 8 --attn-cp-size 2 "
            "--enable-dsa-prefill-context-parallel",
            "b200"},
    .good = {"--model-path moonshotai/Kimi-K2.5 --trust-remote-code --tp-size 8 --attn-cp-size 2 "
             "--enable-prefill-cp --cp-strategy zigzag",
             "b200"},
    .releases = kSince0516,
};

constexpr Rule kDecodeServer{
    .id = "layout/decode-server-with-context-parallelism",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "('Decode cp size ({}) should be equal to 1',)",
    .why =
        "Only the prefill server of a disaggregated pair can split attention over the context. The "
        "decode server starts, and fails at its first request.",
    .source = "disaggregation/common/conn.py: CommonKVManager._resolve_rank_mapping",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --attn-cp-size 2 --disaggregation-mode "
            "decode",
            "h200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --disaggregation-mode decode", "h200"},
    .releases = kSince0516,
};

constexpr Rule kInterleave{
    .id = "layout/interleaved-cp-needs-sparse-attention",
    .stage = Stage::load,
    .exception = "NotImplementedError",
    .message = "interleave strategy does not support dense K/V materialization",
    .why =
        "--cp-strategy interleave is made for sparse attention (DeepSeek-V3.2, GLM-5). Models with "
        "plain heads take it, and fail at the first prompt that is split: the warm-up request.",
    .source = "layers/cp/interleave.py: InterleaveCPStrategy.materialize_full_kv",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --attn-cp-size 2 --enable-prefill-cp "
            "--cp-strategy interleave",
            "h200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --attn-cp-size 2 --enable-prefill-cp "
             "--cp-strategy zigzag",
             "h200"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

}  // namespace

void context_parallel_load(Resolution& r) {
  if (!r.since(Release::v0_5_16)) return;
  const int64_t dcp = r.get(f::dcp_size), tp = r.get(f::tp_size), cp = r.get(f::attn_cp_size);
  const Machine& m = r.machine();
  const std::vector<Fix> whole{{{unset(f::dcp_size)}, "each rank holds the whole KV cache"}};
  if (dcp > 1 && r.since(Release::v0_5_17) && !is_cuda(m) && !is_hip(m))
    r.note(kDcpPlatform, {dcp}, whole, {f::dcp_size.id});
  else if (dcp > 1 && tp % dcp != 0)
    r.note(kDcpDivides, {tp, dcp}, whole, {f::dcp_size.id, f::tp_size.id});
  if (cp > 1 && r.get(f::disaggregation_mode) == "decode")
    r.note(kDecodeServer, {cp},
           {{{unset(f::attn_cp_size)}, "attention is not split over the context"}},
           {f::attn_cp_size.id, f::disaggregation_mode.id});
  const auto prefill = attention_backends(r).prefill;
  const bool flash = prefill == "fa3" || prefill == "fa4";
  if (cp > 1 && flash && r.since(Release::v0_5_17) && r.model_known() && r.model().known &&
      !r.model().use_mla() && r.get(f::enable_prefill_cp) &&
      r.get(f::cp_strategy) == "interleave" && r.env().flag("SGLANG_ENABLE_CP_V2"))
    r.note(kInterleave, {}, {{{set(f::cp_strategy, "zigzag")}, "the split of dense attention"}},
           {f::cp_strategy.id});
  // is_dsa_enable_prefill_cp
  if (!r.model_known() || !r.get(f::enable_dsa_prefill_context_parallel)) return;
  const ModelConfig& model = r.model();
  const bool second = r.since(Release::v0_5_17) && r.env().flag("SGLANG_ENABLE_CP_V2");
  if (!second && model.hf_text_config["index_topk"].is_none() &&
      one_of(model.architecture(),
             {"DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM", "KimiK25ForConditionalGeneration"}))
    r.note(kSparseOnly, {},
           {{{unset(f::enable_dsa_prefill_context_parallel), set(f::enable_prefill_cp),
              set(f::cp_strategy, "zigzag")},
             "the split of dense attention"},
            {{unset(f::enable_dsa_prefill_context_parallel), unset(f::enable_prefill_cp)},
             "prefill is not split over the context"}},
           {f::enable_dsa_prefill_context_parallel.id});
}

RuleList context_parallel_load_rules() {
  return {&kDcpDivides, &kDcpPlatform, &kSparseOnly, &kDecodeServer, &kInterleave};
}

}  // namespace sglint
