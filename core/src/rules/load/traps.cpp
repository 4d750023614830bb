#include "rules/load/traps.h"

#include "base/text.h"
#include "rules/attention.h"
#include "rules/load/layout.h"

namespace sglint {
namespace {

constexpr ReleaseRange kSince0516{Release::v0_5_16, Release::v0_5_18};

constexpr Rule kDoubleReduce{
    .id = "traps/moe-output-summed-twice",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message =
        "Wrong output: with --enable-dp-attention, --tp-size {} = --dp-size = --ep-size and no "
        "all-to-all backend, this model sums its experts' outputs twice.",
    .why =
        "In just this layout SGLang replaces the sum over ranks behind the experts by a "
        "reduce-scatter, and the model's MoE layer must leave its own sum out; that of GPT-OSS "
        "(and Step3-VL) does not. The server starts and answers nonsense. Reported as "
        "github.com/sgl-project/sglang/issues/37187, corrected after 0.5.18 by pull request 37199; "
        "issue 23729 is the same fault of Qwen3-MoE before 0.5.16.",
    .source =
        "models/gpt_oss.py: GptOssSparseMoeBlock.forward_normal; layers/moe/utils.py: "
        "should_use_dp_reduce_scatterv",
    .bad = {"--model-path openai/gpt-oss-120b --tp-size 4 --dp-size 4 --ep-size 4 "
            "--enable-dp-attention"},
    .good = {"--model-path openai/gpt-oss-120b --tp-size 4 --ep-size 4"},
    .releases = kSince0516,
};

constexpr Rule kSharedExpert{
    .id = "traps/shared-expert-summed-again",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message =
        "Wrong output: SGLANG_SHARED_EXPERT_TP1 makes every rank add the whole shared expert, and "
        "this layout sums that over {} ranks.",
    .why =
        "With dp-attention, --tp-size = --dp-size = --ep-size and no all-to-all backend, outputs "
        "are summed over the ranks behind the shared expert too. Reported as "
        "github.com/sgl-project/sglang/issues/31475.",
    .source = "models/deepseek_v2.py: DeepseekV2MoE.__init__",
    .bad =
        {"SGLANG_SHARED_EXPERT_TP1=1 sglang serve --model-path deepseek-ai/DeepSeek-V3 --tp-size "
         "8 --dp-size 8 --ep-size 8 --enable-dp-attention",
         "h200"},
    .good = {"SGLANG_SHARED_EXPERT_TP1=1 sglang serve --model-path deepseek-ai/DeepSeek-V3 "
             "--tp-size 8 --ep-size 8",
             "h200"},
    .releases = kSince0516,
};

constexpr Rule kE5m2{
    .id = "traps/fp8-e5m2-drops-fa3",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message = "--kv-cache-dtype fp8_e5m2 moves attention from fa3 to triton; fp8_e4m3 keeps fa3.",
    .why =
        "FlashAttention 3 has no kernel for fp8_e5m2. SGLang says so in one log line and goes on "
        "with Triton, which is slower on Hopper. Reported as "
        "github.com/sgl-project/sglang/issues/18550.",
    .source = "arg_groups/overrides.py: the pass over attention_backend and kv_cache_dtype",
    .bad = {"--model-path Qwen/Qwen3-8B --attention-backend fa3 --kv-cache-dtype fp8_e5m2"},
    .good = {"--model-path Qwen/Qwen3-8B --attention-backend fa3 --kv-cache-dtype fp8_e4m3"},
    .releases = kSince0516,
};

constexpr Rule kLegacyDtype{
    .id = "devices/bfloat16-becomes-float16",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message = "Compute capability below sm80. Use float16 due to lack of bfloat16 support.",
    .why =
        "A log line of the worker says so. Models trained in bfloat16 can overflow in float16 and "
        "then answer nonsense.",
    .source =
        "model_executor/model_runner_components/load_model_utils.py: "
        "maybe_downgrade_dtype_for_legacy_gpu",
    .bad = {"--model-path Qwen/Qwen3-0.6B", "t4"},
    .good = {"--model-path Qwen/Qwen3-0.6B --dtype float16", "t4"},
    .releases = kSince0516,
};

constexpr Rule kVolta{
    .id = "devices/gpu-too-old",
    .stage = Stage::load,
    .exception = "RuntimeError",
    .message = "SGLang only supports sm75 and above.",
    .why = "ServerArgs does not look at how old the GPU is.",
    .source =
        "model_executor/model_runner_components/load_model_utils.py: "
        "maybe_downgrade_dtype_for_legacy_gpu",
    .bad = {"--model-path Qwen/Qwen3-0.6B", "v100"},
    .good = {"--model-path Qwen/Qwen3-0.6B --dtype float16", "t4"},
    .releases = kSince0516,
};

// should_use_dp_reduce_scatterv (layers/moe/utils.py).
bool reduce_scatter(const Resolution& r) {
  const Layout l = layout_of(r);
  return l.dp_attention && l.dp > 1 && l.tp == l.dp && l.ep == l.dp &&
         r.get(f::moe_a2a_backend) == "none";
}

bool shared_expert_family(std::string_view arch) {
  return one_of(arch, {"DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM", "DeepseekV32ForCausalLM",
                       "KimiK25ForConditionalGeneration", "GlmMoeDsaForCausalLM"});
}

}  // namespace

void traps(Resolution& r) {
  if (!r.since(Release::v0_5_16)) return;
  const Fix split{{unset(f::enable_dp_attention), unset(f::dp_size)}, "attention over all ranks"};
  const Fix whole{{unset(f::ep_size)}, "every GPU holds a part of every expert"};
  if (r.model_known() && reduce_scatter(r)) {
    const std::string_view arch = r.model().architecture();
    if (one_of(arch, {"GptOssForCausalLM", "Step3VLForConditionalGeneration"}))
      r.note(kDoubleReduce, {r.get(f::tp_size)}, {whole, split},
             {f::ep_size.id, f::enable_dp_attention.id, f::dp_size.id});
    if (shared_expert_family(arch) && r.env().flag("SGLANG_SHARED_EXPERT_TP1"))
      r.note(
          kSharedExpert, {r.get(f::tp_size)},
          {{{unset_env("SGLANG_SHARED_EXPERT_TP1")}, "the shared expert is split over the ranks"},
           whole},
          {f::ep_size.id});
  }
  if (r.get(f::kv_cache_dtype) == "fp8_e5m2") {
    for (const Change& change : r.changes())
      if (change.field == Field::attention_backend && change.before == Value("fa3") &&
          change.value == Value("triton"))
        return r.note(
            kE5m2, {},
            {{{set(f::kv_cache_dtype, "fp8_e4m3")}, "another 8-bit format for the KV cache"}},
            {f::kv_cache_dtype.id, f::attention_backend.id});
  }
  const Machine& m = r.machine();
  if (!is_cuda(m) || m.sm_major >= 8 || m.sm_major == 0) return;
  if (m.sm_minor < 5) return r.note(kVolta);
  if (r.model_known() && r.model().dtype == "bfloat16")
    r.note(kLegacyDtype, {}, {{{set(f::dtype, "float16")}, "the same, on purpose"}}, {f::dtype.id});
}

RuleList traps_rules() { return {&kDoubleReduce, &kSharedExpert, &kE5m2, &kLegacyDtype, &kVolta}; }

}  // namespace sglint
