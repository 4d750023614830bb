// What the backends of full attention reject when they are made, after the weights are loaded:
// layers/attention/attention_registry.py and the backends' __init__.

#include <span>

#include "base/text.h"
#include "rules/attention.h"
#include "rules/load/load.h"

namespace sglint {
namespace {

constexpr ReleaseRange kSince0516{Release::v0_5_16, Release::v0_5_18};
constexpr ReleaseRange kSince0518{Release::v0_5_18, Release::v0_5_18};
constexpr std::string_view kRegistry = "layers/attention/attention_registry.py: create_*_backend";
constexpr std::string_view kLate =
    "ServerArgs takes the backend; the server stops when it makes it, after the weights are "
    "loaded.";
constexpr std::string_view kMla =
    "The backend computes the latent attention of DeepSeek-like models only. ServerArgs takes it; "
    "the server stops when it makes it, after the weights are loaded.";
#define SGLINT_QWEN "--model-path Qwen/Qwen3-8B"
#define SGLINT_GOOD .good = {SGLINT_QWEN}
#define SGLINT_GOOD_B200 .good = {SGLINT_QWEN, "b200"}

constexpr Rule kFa3{
    .id = "attention-kernels/fa3-needs-ampere-or-hopper",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message =
        "FlashAttention v3 Backend requires SM>=80 and SM<=90. Please use "
        "`--attention-backend flashinfer`.",
    .why =
        "FlashAttention 3 is for Hopper; on Ampere and Ada it has no latent attention (MLA), on "
        "Blackwell it has nothing. ServerArgs takes it; the server stops when it makes the "
        "backend, after the weights are loaded.",
    .source = "layers/attention/attention_registry.py: create_flashattention_v3_backend",
    .bad = {SGLINT_QWEN " --attention-backend fa3", "b200"},
    SGLINT_GOOD_B200,
    .releases = kSince0516,
};

constexpr Rule kTrtllmMla{
    .id = "attention-kernels/trtllm-mla-needs-mla",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "trtllm_mla backend can only be used with MLA models.",
    .why = kMla,
    .source = kRegistry,
    .bad = {SGLINT_QWEN " --attention-backend trtllm_mla", "b200"},
    SGLINT_GOOD_B200,
    .releases = kSince0516,
};

constexpr Rule kTokenspeedMla{
    .id = "attention-kernels/tokenspeed-mla-needs-mla",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "tokenspeed_mla backend can only be used with MLA models.",
    .why = kMla,
    .source = kRegistry,
    .bad = {SGLINT_QWEN " --attention-backend tokenspeed_mla --kv-cache-dtype fp8_e4m3", "b200"},
    SGLINT_GOOD_B200,
    .releases = kSince0516,
};

constexpr Rule kCutedslMla{
    .id = "attention-kernels/cutedsl-mla-needs-mla",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "cutedsl_mla backend can only be used with MLA models.",
    .why = kMla,
    .source = kRegistry,
    .bad = {SGLINT_QWEN " --decode-attention-backend cutedsl_mla", "b200"},
    SGLINT_GOOD_B200,
    .releases = kSince0516,
};

constexpr Rule kNoLatentRank{
    .id = "attention-kernels/mla-backend-needs-mla",
    .stage = Stage::load,
    .exception = "AttributeError",
    .message = "'ModelConfig' object has no attribute 'kv_lora_rank'",
    .why =
        "flashmla and cutlass_mla compute the latent attention of DeepSeek-like models only, and "
        "read its rank without looking whether there is one.",
    .source = "layers/attention/flashmla_backend.py: FlashMLABackend.__init__",
    .bad = {SGLINT_QWEN " --attention-backend flashmla"},
    SGLINT_GOOD,
    .releases = kSince0516,
};

constexpr Rule kTrtllmMha{
    .id = "attention-kernels/trtllm-mha-needs-mha",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "trtllm_mha backend can only be used with non-MLA models.",
    .why = kLate,
    .source = kRegistry,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --attention-backend trtllm_mha",
            "b200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8", "b200"},
    .releases = kSince0516,
};

constexpr Rule kHpcOpsMla{
    .id = "attention-kernels/hpc-ops-needs-mha",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "hpc_ops backend can only be used with non-MLA models.",
    .why = kLate,
    .source = kRegistry,
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --attention-backend hpc_ops", "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8", "h200"},
    .releases = kSince0518,
};

constexpr Rule kHpcOpsSpeculative{
    .id = "attention-kernels/hpc-ops-without-speculation",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "hpc_ops backend does not support speculative decoding for now.",
    .why = kLate,
    .source = kRegistry,
    .bad = {SGLINT_QWEN " --attention-backend hpc_ops --speculative-algorithm NGRAM "
                        "--speculative-ngram-max-bfs-breadth 1"},
    .good = {SGLINT_QWEN " --speculative-algorithm NGRAM --speculative-ngram-max-bfs-breadth 1"},
    .releases = kSince0518,
};

constexpr Rule kHpcOpsMissing{
    .id = "attention-kernels/hpc-ops-not-installed",
    .stage = Stage::load,
    .exception = "ImportError",
    .message =
        "The hpc_ops attention backend requires the `hpc` package. Install it from "
        "https://github.com/Tencent/hpc-ops",
    .why = "SGLang does not install it.",
    .source = "layers/attention/hpc_ops_backend.py: HPCOpsAttnBackend.__init__",
    .bad = {SGLINT_QWEN " --attention-backend hpc_ops"},
    SGLINT_GOOD,
    .releases = kSince0518,
};

constexpr Rule kHpcOpsHopper{
    .id = "attention-kernels/hpc-ops-needs-hopper",
    .stage = Stage::load,
    .exception = "ValueError",
    .message =
        "The hpc_ops attention backend requires an SM90 (Hopper) GPU (the HPC-Ops kernels "
        "ship sm90a only), got sm{}{}.",
    .why = kLate,
    .source = "layers/attention/hpc_ops_backend.py: HPCOpsAttnBackend.__init__",
    // Needs a machine that has the package: see tests/unit/rules/layout_test.cpp.
    .bad = {},
    .good = {},
    .releases = kSince0518,
};

constexpr Rule kTritonCross{
    .id = "attention-kernels/triton-without-cross-attention",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message =
        "Cross attention is not supported in the triton attention backend. Please use "
        "`--attention-backend flashinfer`.",
    .why = kLate,
    .source = "layers/attention/attention_registry.py: create_triton_backend",
    .bad = {"--model-path openai/whisper-large-v3 --attention-backend triton"},
    .good = {"--model-path openai/whisper-large-v3 --attention-backend flashinfer"},
    .releases = kSince0516,
};

constexpr Rule kTritonFp8{
    .id = "attention-kernels/triton-fp8-kv-cache-needs-sm89",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = kTritonHasNoFp8e4nv,
    .why =
        "Before Ada (8.9) Triton can read fp8_e5m2 but not fp8_e4m3: its attention kernel cannot "
        "be compiled, mostly while CUDA graphs are captured. FlashInfer reads both.",
    .source = "kernels/ops/attention: _fwd_kernel_stage1 and _fwd_kernel, compiled by Triton",
    .bad = {SGLINT_QWEN " --attention-backend triton --kv-cache-dtype fp8_e4m3", "a100"},
    .good = {SGLINT_QWEN " --attention-backend flashinfer --kv-cache-dtype fp8_e4m3", "a100"},
    .releases = kSince0516,
};

constexpr Rule kDsa{
    .id = "attention-kernels/dsa-needs-its-models",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "DSA backend only supports DeepSeek DSA",
    .why =
        "dsa is the sparse attention of DeepSeek-V3.2 and GLM-5: the model needs an indexer "
        "(index_topk in config.json).",
    .source = "layers/attention/dsa_backend.py: DeepseekSparseAttnBackend.__init__",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --attention-backend dsa", "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8", "h200"},
    .releases = kSince0516,
};

constexpr Rule kDualChunk{
    .id = "attention-kernels/dual-chunk-needs-its-config",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "assert dual_chunk_attention_config is not None",
    .why =
        "The model's config.json must have a dual_chunk_attention_config (Qwen2.5-1M). The "
        "assertion has no text; this is the line that the traceback shows.",
    .source =
        "layers/attention/dual_chunk_flashattention_backend.py: "
        "DualChunkFlashAttentionBackend.__init__",
    .bad = {SGLINT_QWEN " --attention-backend dual_chunk_flash_attn"},
    SGLINT_GOOD,
    .releases = kSince0516,
};

#undef SGLINT_QWEN
#undef SGLINT_GOOD
#undef SGLINT_GOOD_B200

// For one backend in the order in which SGLang looks.
struct Row {
  std::string_view backend;
  const Rule* rule;
  bool (*broken)(Resolution& r);
};

bool not_mla(Resolution& r) { return !r.model().use_mla(); }
bool is_mla(Resolution& r) { return r.model().use_mla(); }
bool has_hpc(Resolution& r) { return has_package(r.machine(), "hpc"); }

constexpr Row kRows[] = {
    {"fa3", &kFa3,
     [](Resolution& r) {
       const int sm = r.machine().sm_major;
       return is_cuda(r.machine()) && sm != 9 && !(sm == 8 && not_mla(r));
     }},
    {"trtllm_mla", &kTrtllmMla, not_mla},
    {"tokenspeed_mla", &kTokenspeedMla, not_mla},
    {"cutedsl_mla", &kCutedslMla, not_mla},
    {"flashmla", &kNoLatentRank, not_mla},
    {"cutlass_mla", &kNoLatentRank, not_mla},
    {"trtllm_mha", &kTrtllmMha, is_mla},
    {"hpc_ops", &kHpcOpsMla, is_mla},
    {"hpc_ops", &kHpcOpsSpeculative,
     [](Resolution& r) { return r.get(f::speculative_algorithm).has_value(); }},
    {"hpc_ops", &kHpcOpsMissing, [](Resolution& r) { return !has_hpc(r); }},
    {"hpc_ops", &kHpcOpsHopper, [](Resolution& r) { return r.machine().sm_major != 9; }},
    {"triton", &kTritonCross, [](Resolution& r) { return r.model().is_encoder_decoder; }},
    {"triton", &kTritonFp8,
     [](Resolution& r) {
       return is_cuda(r.machine()) && device_sm(r.machine()) < 89 &&
              r.get(f::kv_cache_dtype) == "fp8_e4m3";
     }},
    {"dsa", &kDsa, [](Resolution& r) { return r.model().hf_config["index_topk"].is_none(); }},
    {"dual_chunk_flash_attn", &kDualChunk,
     [](Resolution& r) { return r.model().hf_config["dual_chunk_attention_config"].is_none(); }},
};

}  // namespace

void attention_kernels_load(Resolution& r) {
  if (!r.since(Release::v0_5_16) || !r.model().known) return;
  const AttentionBackends used = attention_backends(r);
  Fix plain{{}, "attention runs on SGLang's default"};
  for (const auto& key :
       {f::attention_backend, f::prefill_attention_backend, f::decode_attention_backend})
    if (r.typed(key)) plain.edits.push_back(unset(key));
  // HybridAttnBackend makes the decode backend first.
  for (const auto& backend : {used.decode, used.prefill}) {
    for (const Row& row : kRows) {
      if (backend != row.backend || !row.rule->releases.contains(r.release()) || !row.broken(r))
        continue;
      std::vector<Fix> fixes{plain};
      if (row.rule == &kTritonFp8)
        fixes = {{{set(f::kv_cache_dtype, "fp8_e5m2")}, "less precise than fp8_e4m3"},
                 {{set(f::attention_backend, "flashinfer")}, "attention runs on FlashInfer"}};
      return r.note(*row.rule, {r.machine().sm_major, r.machine().sm_minor}, std::move(fixes),
                    {f::attention_backend.id, f::kv_cache_dtype.id});  // SGLang stops at the first
    }
  }
}

RuleList attention_kernels_rules() {
  RuleList rules;
  for (const Row& row : kRows)
    if (rules.empty() || row.rule != rules.back()) rules.push_back(row.rule);
  return rules;
}

}  // namespace sglint
