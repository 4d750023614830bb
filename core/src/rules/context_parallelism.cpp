// Context parallelism: prefill CP (old and new flags) and decode CP.
#include "rules/cuda_graph.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kDcpSize{.id = "context-parallelism/dcp-size",
                        .exception = "ValueError",
                        .message =
                            "Decode context parallel size (--dcp-size / "
                            "--decode-context-parallel-size) must be >= 1, but got "
                            "dcp_size={}.",
                        .why = "It is a number of ranks; 1 turns decode context parallelism off.",
                        .source = "server_args.py: ServerArgs._handle_dcp_validation",
                        .bad = {"--model-path Qwen/Qwen3-8B --dcp-size 0", "h100"},
                        .good = {"--model-path Qwen/Qwen3-8B --dcp-size 1", "h100"}};

constexpr Rule kDcpSpeculative{
    .id = "context-parallelism/dcp-with-speculative",
    .exception = "ValueError",
    .message =
        "Decode context parallel (--dcp-size / --decode-context-parallel-size > 1) on CUDA "
        "platform does not support any speculative algorithm, but got dcp_size={} on a CUDA "
        "platform with speculative decoding enabled.",
    .why =
        "Up to 0.5.16 the CUDA attention kernels cannot verify draft tokens over a KV cache that "
        "is split over ranks.",
    .source = "server_args.py: ServerArgs._handle_dcp_validation",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 4 --speculative-algorithm "
            "EAGLE",
            "h200", "0.5.16"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 4", "h200", "0.5.16"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_16}};

constexpr Rule kDcpPlatform{
    .id = "context-parallelism/dcp-platform",
    .exception = "ValueError",
    .message =
        "Decode context parallel (--dcp-size / --decode-context-parallel-size > 1) is currently "
        "only supported on the AMD HIP platform, but got dcp_size={} on a non-HIP platform.",
    .why = "It runs on AMD and on NVIDIA GPUs (which the message forgets), and nowhere else.",
    .source = "server_args.py: ServerArgs._handle_dcp_validation",
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size 2 --dcp-size 2", "cpu", "0.5.16"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2", "cpu", "0.5.16"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_16}};

constexpr Rule kDcpCommWithoutDcp{
    .id = "context-parallelism/dcp-comm-without-dcp",
    .exception = "ValueError",
    .message =
        "--dcp-comm-backend {} only affects the decode context-parallel attention reduction and "
        "therefore requires --dcp-size / --decode-context-parallel-size > 1, but got dcp_size={}.",
    .why = "It chooses how decode CP ranks exchange partial attention, and there is one rank.",
    .source = "server_args.py: ServerArgs._handle_dcp_validation",
    .bad = {"--model-path Qwen/Qwen3-8B --dcp-comm-backend a2a", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B", "h100"},
    .releases = {Release::v0_5_17, Release::v0_5_18}};

constexpr Rule kDcpFiA2aPlatform{
    .id = "context-parallelism/dcp-fi-a2a-needs-cuda",
    .exception = "ValueError",
    .message =
        "--dcp-comm-backend fi_a2a delegates the exchange to FlashInfer's MNNVL All-to-All kernel, "
        "which requires an NVIDIA CUDA platform with SM90+ and MNNVL fabric memory (e.g. GB200 "
        "NVL72). The authoritative fabric probe runs at model-runner init; use 'a2a' or 'ag_rs' on "
        "clusters without MNNVL.",
    .why = "The exchange runs in a FlashInfer kernel, which exists for CUDA only.",
    .source = "server_args.py: ServerArgs._handle_dcp_validation",
    .bad =
        {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 4 --dcp-comm-backend fi_a2a",
         "mi300x"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 4 --dcp-comm-backend a2a",
             "mi300x"},
    .releases = {Release::v0_5_17, Release::v0_5_18}};

constexpr Rule kDcpReplicateWithoutDcp{
    .id = "context-parallelism/dcp-replicate-q-without-dcp",
    .exception = "ValueError",
    .message = "--dcp-replicate-q-proj requires --dcp-size > 1.",
    .why = "It saves a gather between decode CP ranks, and there is one rank.",
    .source = "server_args.py: ServerArgs._handle_dcp_validation",
    .bad = {"--model-path Qwen/Qwen3-8B --dcp-replicate-q-proj", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B", "h100"},
    .releases = {Release::v0_5_17, Release::v0_5_18}};

constexpr Rule kDcpReplicateBackend{
    .id = "context-parallelism/dcp-replicate-q-needs-a2a",
    .exception = "ValueError",
    .message =
        "--dcp-replicate-q-proj only applies to the a2a/fi_a2a DCP communication backend (it "
        "removes the head-dim Q all-gather); got --dcp-comm-backend={}.",
    .why = "The default exchange, ag_rs, gathers Q in another way and has nothing to replicate.",
    .source = "server_args.py: ServerArgs._handle_dcp_validation",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 4 --dcp-replicate-q-proj",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 4 --dcp-replicate-q-proj "
             "--dcp-comm-backend a2a",
             "h200"},
    .releases = {Release::v0_5_17, Release::v0_5_18}};

constexpr Rule kMimoZigzag{.id = "context-parallelism/mimo-v2-needs-zigzag",
                           .exception = "ValueError",
                           .message = "MiMo V2 CP-v2 only supports --cp-strategy zigzag.",
                           .why = "MiMo V2's sliding-window layers are split in zigzag order only.",
                           .source = "server_args.py: ServerArgs._handle_context_parallelism",
                           .bad = {"--model-path XiaomiMiMo/MiMo-V2-Flash --trust-remote-code "
                                   "--tp-size 8 --attn-cp-size 2 --enable-prefill-cp "
                                   "--cp-strategy interleave",
                                   "h200"},
                           .good = {"--model-path XiaomiMiMo/MiMo-V2-Flash --trust-remote-code "
                                    "--tp-size 8 --attn-cp-size 2 --enable-prefill-cp "
                                    "--cp-strategy zigzag",
                                    "h200"},
                           .releases = {Release::v0_5_16, Release::v0_5_18}};

constexpr Rule kMimoText{
    .id = "context-parallelism/mimo-v2-text-only",
    .exception = "ValueError",
    .message = "MiMo V2 CP-v2 only supports text inference; add --language-only.",
    .why = "Prefill context parallelism splits text only, and this MiMo V2 takes images.",
    .source = "server_args.py: ServerArgs._handle_context_parallelism",
    // No example: no model of the catalogue is a multimodal MiMo V2.
    .bad = {},
    .good = {},
    .releases = {Release::v0_5_16, Release::v0_5_18}};

constexpr Rule kStrategyMissing{
    .id = "context-parallelism/strategy-missing",
    .exception = "ValueError",
    .message = "--cp-strategy must be set when --enable-prefill-cp is enabled.",
    .why =
        "There is no default: zigzag balances causal attention over MHA and MLA models, interleave "
        "is for sparse attention (DeepSeek V3.2 and relatives).",
    .source = "server_args.py: ServerArgs._handle_context_parallelism",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --attn-cp-size 2 --enable-prefill-cp",
            "h200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --attn-cp-size 2 --enable-prefill-cp "
             "--cp-strategy zigzag",
             "h200"}};

constexpr Rule kTwoLegacyFlags{
    .id = "context-parallelism/two-legacy-flags",
    .exception = "ValueError",
    .message =
        "--enable-prefill-context-parallel and --enable-nsa-prefill-context-parallel are mutually "
        "exclusive. Use --enable-nsa-prefill-context-parallel for DeepSeek V3.2 (NSA) models and "
        "--enable-prefill-context-parallel for MLA-based models (DeepSeek V3/R1, Kimi K2.5) or "
        "MHA/GQA-based models.",
    .why =
        "Both are old names of --enable-prefill-cp, for different models: use --enable-prefill-cp "
        "with --cp-strategy.",
    .source = "server_args.py: ServerArgs._handle_context_parallelism",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --attn-cp-size 2 "
            "--enable-prefill-context-parallel --enable-dsa-prefill-context-parallel",
            "h200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --attn-cp-size 2 "
             "--enable-prefill-context-parallel",
             "h200"}};

constexpr Rule kTpByCp{
    .id = "context-parallelism/tp-not-divisible-by-attn-cp",
    .exception = "AssertionError",
    .message = "tp_size must be divisible by attn_cp_size",
    .why = "--tp-size counts all ranks, which --attn-cp-size splits into groups of equal size.",
    .source = "server_args.py: ServerArgs._handle_context_parallelism",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --attn-cp-size 3", "h200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --attn-cp-size 2", "h200"}};

constexpr Rule kTpByDpCp{.id = "context-parallelism/tp-not-divisible-by-dp-and-attn-cp",
                         .exception = "AssertionError",
                         .message = "tp_size must be divisible by dp_size * attn_cp_size",
                         .why =
                             "--tp-size counts all ranks: those of one attention tensor-parallel "
                             "group times --dp-size times --attn-cp-size.",
                         .source = "server_args.py: ServerArgs._handle_context_parallelism",
                         .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --attn-cp-size 4 "
                                 "--dp-size 2 --enable-dp-attention",
                                 "h200"},
                         .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --attn-cp-size 4 "
                                  "--dp-size 2 --enable-dp-attention",
                                  "h200"}};

constexpr Rule kAiterFusion{
    .id = "context-parallelism/aiter-allreduce-fusion",
    .exception = "AssertionError",
    .message = "Aiter allreduce fusion is not supported with context parallelism",
    .why = "The fused all-reduce spans all ranks, but here attention reduces over a part of them.",
    .source = "server_args.py: ServerArgs._handle_context_parallelism",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --attn-cp-size 2 "
            "--enable-aiter-allreduce-fusion",
            "mi300x"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --attn-cp-size 2", "mi300x"}};

constexpr Rule kTpByMoeDp{
    .id = "context-parallelism/tp-not-divisible-by-moe-dp",
    .exception = "AssertionError",
    .message = "tp_size must be divisible by moe_dp_size",
    .why = "--tp-size counts all ranks, which --moe-dp-size splits into groups of equal size.",
    .source = "server_args.py: ServerArgs._handle_context_parallelism",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --moe-dp-size 3", "h200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --moe-dp-size 2 --attn-cp-size 2",
             "h200"}};

constexpr Rule kEpMoeDpTooLarge{
    .id = "context-parallelism/ep-and-moe-dp-exceed-tp",
    .exception = "AssertionError",
    .message = "ep_size * moe_dp_size must be less than or equal to tp_size",
    .why =
        "--tp-size counts all ranks, and the experts of each MoE data-parallel group need "
        "--ep-size of them.",
    .source = "server_args.py: ServerArgs._handle_context_parallelism",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --moe-dp-size 2 --ep-size 4", "h200"},
    .good = {
        "--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --moe-dp-size 2 --ep-size 4 --attn-cp-size 2",
        "h200"}};

constexpr Rule kPipeline{
    .id = "context-parallelism/moe-dp-with-pipeline",
    .exception = "AssertionError",
    .message = "PP is not supported with context parallelism",
    .why = "MoE data parallelism and pipeline stages cannot be combined.",
    .source = "server_args.py: ServerArgs._handle_context_parallelism",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --moe-dp-size 2 --pp-size 2", "h200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --moe-dp-size 2 --attn-cp-size 2",
             "h200"}};

constexpr Rule kEpMoeDpNotTp{
    .id = "context-parallelism/ep-and-moe-dp-below-tp",
    .exception = "AssertionError",
    .message = "ep_size * moe_dp_size must be equal to tp_size",
    .why = "With expert parallelism no rank may be left without experts.",
    .source = "server_args.py: ServerArgs._handle_context_parallelism",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --moe-dp-size 2 --ep-size 2", "h200"},
    .good = {
        "--model-path Qwen/Qwen3-30B-A3B --tp-size 8 --moe-dp-size 2 --ep-size 4 --attn-cp-size 2",
        "h200"}};

constexpr Rule kCpNotMoeDp{
    .id = "context-parallelism/attn-cp-differs-from-moe-dp",
    .exception = "AssertionError",
    .message = "attn_cp_size != moe_dp_size is only supported when moe_dp_size == 1",
    .why = "The token split of attention must be kept for the MoE layers, or be undone altogether.",
    .source = "server_args.py: ServerArgs._handle_context_parallelism",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --moe-dp-size 2", "h200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 4 --moe-dp-size 2 --attn-cp-size 2",
             "h200"}};

// configs/model_config.py: is_deepseek_dsa
bool is_deepseek_dsa(const ModelConfig& model) {
  return one_of(model.architecture(),
                {"DeepseekV3ForCausalLM", "DeepseekV32ForCausalLM", "DeepseekV3ForCausalLMNextN",
                 "MistralLarge3ForCausalLM", "PixtralForConditionalGeneration",
                 "GlmMoeDsaForCausalLM", "GlmMoeDsaForCausalLMNextN", "LongcatFlashForCausalLM",
                 "LongcatFlashForCausalLMNextN"}) &&
         !model.hf_config["index_topk"].is_none();
}

// layers/cp/utils.py: CP_V2_DEFAULT_MODEL_CLASSES
bool uses_cp_v2_by_default(const Resolution& r, std::string_view architecture) {
  if (architecture == "Qwen3MoeForCausalLM") return true;
  if (one_of(architecture, {"DeepseekV3ForCausalLM", "GptOssForCausalLM", "MiMoV2FlashForCausalLM",
                            "MiMoV2ForCausalLM"}))
    return r.since(Release::v0_5_16);
  return r.since(Release::v0_5_17) &&
         one_of(architecture, {"DeepseekV32ForCausalLM", "GlmMoeDsaForCausalLM"});
}

void cp_v2(Resolution& r) {
  const ModelConfig& model = r.model();
  if (r.stopped()) return;
  constexpr std::string_view kCpV2 = "SGLANG_ENABLE_CP_V2";
  const std::string_view architecture = model.architecture();
  const bool prefill_cp = r.get(f::enable_prefill_cp);
  if (uses_cp_v2_by_default(r, architecture) && !r.env().is_set(kCpV2)) {
    const bool dsa = r.since(Release::v0_5_17) && is_deepseek_dsa(model);
    if (!dsa || (prefill_cp && r.get(f::cp_strategy) == "interleave"))
      r.env().put(std::string(kCpV2), "True");
  }
  if (!r.since(Release::v0_5_16) || !prefill_cp || !r.env().flag(kCpV2)) return;
  if (!one_of(architecture, {"MiMoV2ForCausalLM", "MiMoV2FlashForCausalLM"})) return;
  if (r.get(f::cp_strategy) != "zigzag")
    return r.reject(kMimoZigzag, {}, {{{set(f::cp_strategy, "zigzag")}, ""}});
  const bool text_only =
      r.get(f::language_only) || (r.since(Release::v0_5_18) && r.get(f::language_model_only));
  if (model.is_multimodal && !text_only)
    r.reject(kMimoText, {}, {{{set(f::language_only)}, "images go to a separate encoder server"}});
}

void group_sizes(Resolution& r) {
  const int64_t tp = r.get(f::tp_size), dp = r.get(f::dp_size), moe_dp = r.get(f::moe_dp_size);
  const int64_t cp = r.view(f::attn_cp_size), ep = r.view(f::ep_size);
  const bool aiter = r.get(f::enable_aiter_allreduce_fusion);
  const Fix no_cp{{unset(f::attn_cp_size)}, "attention is not split over the context"};
  const Fix no_moe_dp{{unset(f::moe_dp_size)}, "MoE layers see all tokens on every rank"};
  const Fix no_aiter{{unset(f::enable_aiter_allreduce_fusion)},
                     "all-reduce and normalization run one after the other"};
  if (cp > 1) {
    if (tp % cp != 0) return r.reject(kTpByCp, {}, {no_cp}, {Field::tp_size});
    if (dp != 0 && tp % (dp * cp) != 0)
      return r.reject(kTpByDpCp, {}, {no_cp}, {Field::tp_size, Field::dp_size});
    if (aiter) return r.reject(kAiterFusion, {}, {no_aiter}, {Field::attn_cp_size});
  }
  if (moe_dp > 1) {
    if (tp % moe_dp != 0) return r.reject(kTpByMoeDp, {}, {no_moe_dp}, {Field::tp_size});
    if (ep * moe_dp > tp)
      return r.reject(kEpMoeDpTooLarge, {}, {no_moe_dp}, {Field::ep_size, Field::tp_size});
    if (r.get(f::pp_size) != 1) return r.reject(kPipeline, {}, {no_moe_dp}, {Field::pp_size});
    if (ep > 1 && ep * moe_dp != tp)
      return r.reject(kEpMoeDpNotTp, {}, {no_moe_dp}, {Field::ep_size, Field::tp_size});
    if (aiter) return r.reject(kAiterFusion, {}, {no_aiter}, {Field::moe_dp_size});
  }
  if (cp != moe_dp && moe_dp != 1)
    r.reject(kCpNotMoeDp, {},
             {no_moe_dp,
              {{set(f::attn_cp_size, std::to_string(moe_dp))},
               "attention is split over the context too"}});
}

}  // namespace

// Runs twice: before the CUDA graph settings, and again once the attention backend is known.
void legacy_cp_arguments(Resolution& r) {
  const bool old_flag = r.get(f::enable_prefill_context_parallel);
  const bool old_dsa_flag = r.get(f::enable_dsa_prefill_context_parallel);
  const auto strategy_of = [](std::string_view mode) {
    return mode == "in-seq-split" ? "zigzag" : "interleave";
  };
  if ((old_flag || old_dsa_flag) && !r.get(f::enable_prefill_cp))
    r.set(f::enable_prefill_cp, true,
          "The old flags of prefill context parallelism turn on --enable-prefill-cp.");
  if (old_flag && !r.get(f::cp_strategy))
    r.set(f::cp_strategy, strategy_of(r.get(f::prefill_cp_mode)), "What --prefill-cp-mode means.");
  if (old_dsa_flag && !r.get(f::cp_strategy))
    r.set(f::cp_strategy, strategy_of(r.get(f::dsa_prefill_cp_mode)),
          "What --dsa-prefill-cp-mode means.");
  if (old_flag && old_dsa_flag) return;
  const auto strategy = r.get(f::cp_strategy);
  if (!r.get(f::enable_prefill_cp) || !strategy) return;

  const char* mode = strategy == "zigzag" ? "in-seq-split" : "round-robin-split";
  const char* because = "SGLang mirrors --enable-prefill-cp and --cp-strategy into the old flags.";
  const auto backend = r.view(f::attention_backend);
  if (old_dsa_flag || backend == "dsa" || backend == "dsv4") {
    r.set(f::enable_dsa_prefill_context_parallel, true, because);
    r.set(f::enable_prefill_context_parallel, false, because);
  } else {
    r.set(f::enable_prefill_context_parallel, true, because);
  }
  r.set(f::dsa_prefill_cp_mode, mode, because);
  r.set(f::prefill_cp_mode, mode, because);
}

void dcp_validation(Resolution& r) {
  const int64_t size = r.get(f::dcp_size);
  const Fix no_dcp{{unset(f::dcp_size)}, "each rank holds the whole KV cache of its heads"};
  if (size < 1) return r.reject(kDcpSize, {size}, {no_dcp});
  const Machine& m = r.machine();
  if (!r.since(Release::v0_5_17)) {
    if (size == 1 || is_hip(m)) return;
    if (!is_cuda(m)) return r.reject(kDcpPlatform, {size}, {no_dcp});
    if (r.get(f::speculative_algorithm))
      r.reject(kDcpSpeculative, {size},
               {no_dcp, {{unset(f::speculative_algorithm)}, "no speculative decoding"}});
    return;
  }
  const std::string_view comm = r.get(f::dcp_comm_backend);
  const bool all_to_all = comm == "a2a" || comm == "fi_a2a";
  if (all_to_all && size <= 1)
    return r.reject(kDcpCommWithoutDcp, {comm, size}, {{{unset(f::dcp_comm_backend)}, ""}},
                    {Field::dcp_size});
  if (comm == "fi_a2a" && !is_cuda(m))
    return r.reject(kDcpFiA2aPlatform, {}, {{{set(f::dcp_comm_backend, "a2a")}, ""}});
  if (!r.get(f::dcp_replicate_q_proj).value_or(false)) return;
  const Fix no_replica{{unset(f::dcp_replicate_q_proj)}, "decode CP ranks gather Q"};
  if (size <= 1) return r.reject(kDcpReplicateWithoutDcp, {}, {no_replica}, {Field::dcp_size});
  if (!all_to_all)
    r.reject(kDcpReplicateBackend, {comm},
             {{{set(f::dcp_comm_backend, "a2a")}, "partial attention is exchanged all-to-all"},
              no_replica});
}

void context_parallelism(Resolution& r) {
  if (!model_from_instance(r)) cp_v2(r);
  if (r.stopped()) return;
  const Fix no_prefill_cp{{unset(f::enable_prefill_cp)}, "prefill is not split over the context"};
  if (r.get(f::enable_prefill_cp) && !r.get(f::cp_strategy))
    return r.reject(kStrategyMissing, {}, {{{set(f::cp_strategy, "zigzag")}, ""}, no_prefill_cp});
  if (r.get(f::enable_prefill_context_parallel) && r.get(f::enable_dsa_prefill_context_parallel))
    return r.reject(kTwoLegacyFlags, {},
                    {{{unset(f::enable_dsa_prefill_context_parallel)}, ""},
                     {{unset(f::enable_prefill_context_parallel)}, ""}});
  group_sizes(r);
}

RuleList context_parallelism_rules() {
  return {&kDcpSize,
          &kDcpSpeculative,
          &kDcpPlatform,
          &kDcpCommWithoutDcp,
          &kDcpFiA2aPlatform,
          &kDcpReplicateWithoutDcp,
          &kDcpReplicateBackend,
          &kMimoZigzag,
          &kMimoText,
          &kStrategyMissing,
          &kTwoLegacyFlags,
          &kTpByCp,
          &kTpByDpCp,
          &kAiterFusion,
          &kTpByMoeDp,
          &kEpMoeDpTooLarge,
          &kPipeline,
          &kEpMoeDpNotTp,
          &kCpNotMoeDp};
}

}  // namespace sglint
