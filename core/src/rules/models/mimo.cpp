#include "base/text.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kProjectionLayout{
    .id = "models/mimo-v2-projection-layout",
    .exception = "ValueError",
    .message =
        "MiMoV2 hf_config has unsupported attention_projection_layout={}; expected 'fused_qkv' or "
        "unset.",
    .why =
        "The checkpoint's config.json names a layout of the attention weights that SGLang cannot "
        "read.",
    .source = "configs/model_config.py: get_mimo_v2_fused_qkv_expected_tp_size",
    // No example: a property of the checkpoint.
};

constexpr Rule kProjectionHeads{
    .id = "models/mimo-v2-projection-heads",
    .exception = "ValueError",
    .message =
        "MiMoV2 hf_config has attention_projection_layout='fused_qkv' but num_key_value_heads is "
        "missing; this value is required to derive the fused qkv_proj TP size.",
    .why =
        "Fused weights are interleaved by KV head, and config.json does not say how many there "
        "are.",
    .source = "configs/model_config.py: get_mimo_v2_fused_qkv_expected_tp_size",
    // No example: a property of the checkpoint.
};

constexpr Rule kAttentionTp{
    .id = "models/mimo-v2-attention-tp-size",
    .exception = "ValueError",
    .message =
        "MiMoV2ForCausalLM requires effective attention TP size {} because its fused qkv_proj "
        "weights are TP={}-interleaved; got {} (tp_size={}, dp_size={}, enable_dp_attention={}, "
        "attn_cp_size={}). Set --tp, --dp, --enable-dp-attention, and "
        "--attention-context-parallel-size so the effective attention TP size is {}.",
    .why =
        "The checkpoint stores query, key and value weights interleaved for one tensor parallel "
        "size. From 0.5.17 on any divisor of that size works, which the message does not say.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    // No example: the catalogue's MiMo-V2-Flash has separate projections.
};

constexpr Rule kHierarchicalCache{
    .id = "models/mimo-v2-hierarchical-cache",
    .exception = "ValueError",
    .message =
        "Hierarchical cache for MiMoV2 requires the unified radix tree. Set "
        "SGLANG_ENABLE_UNIFIED_RADIX_TREE=1 to enable --enable-hierarchical-cache for this model.",
    .why =
        "Keys and values of MiMo-V2 have different widths, which only the unified radix tree's "
        "host pool takes.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path XiaomiMiMo/MiMo-V2-Flash --trust-remote-code --enable-hierarchical-cache",
            "h100"},
    .good = {"--model-path XiaomiMiMo/MiMo-V2-Flash --trust-remote-code", "h100"},
};

void validate_fused_projection(Resolution& r) {
  const Value& config = r.model().hf_config;
  const Value& layout = config["attention_projection_layout"];
  if (layout.is_none()) return;
  if (layout.as_str() != "fused_qkv") return r.reject(kProjectionLayout, {repr(layout)});
  const Value& own = config["num_key_value_heads"];
  const Value& heads = own.is_none() ? config["text_config"]["num_key_value_heads"] : own;
  if (heads.is_none()) return r.reject(kProjectionHeads);

  const bool dp_attention = r.view(f::enable_dp_attention);
  const int64_t tp = r.get(f::tp_size), dp = r.get(f::dp_size), cp = r.view(f::attn_cp_size);
  const int64_t expected = heads.as_int();
  const int64_t dp_ranks = dp_attention ? dp : 1;
  if (dp_ranks <= 0 || cp <= 0) return;
  const int64_t effective = tp / dp_ranks / cp;
  const bool fits = r.since(Release::v0_5_17) ? effective != 0 && expected % effective == 0
                                              : effective == expected;
  if (fits) return;
  const std::string e = str(Value(expected));
  r.reject(kAttentionTp, {e, e, effective, tp, dp, dp_attention, cp, e},
           {{{set(f::tp_size, str(Value(expected * dp_ranks * cp)))}, "another number of GPUs"}},
           {f::tp_size.id, f::dp_size.id, f::attn_cp_size.id});
}

}  // namespace

// _mimo_v2_overrides
void mimo_v2_overrides(Resolution& r) {
  if (r.get(f::speculative_algorithm) == "EAGLE") {
    r.info("Enable multi-layer EAGLE speculative decoding for MiMoV2 model.");
    r.declare(f::enable_multi_layer_eagle, true, "The model's draft has several layers.");
  }
  if (r.since(Release::v0_5_17) && is_sm100_supported(r.machine()) &&
      r.get(f::moe_runner_backend) == "auto" &&
      checkpoint_quant_method(r.model().hf_config).as_str() == "fp8") {
    r.declare(f::moe_runner_backend, "flashinfer_trtllm",
              "Faster than the triton runner for this model's FP8 on SM100.");
    r.info("MiMoV2 FP8 on SM100: moe_runner_backend=flashinfer_trtllm.");
  }
}

void mimo_v2_adjustments(Resolution& r) {
  if (r.model().architecture() == "MiMoV2ForCausalLM" && !r.get(f::encoder_only))
    validate_fused_projection(r);
  if (r.get(f::enable_hierarchical_cache) && !r.env().flag("SGLANG_ENABLE_UNIFIED_RADIX_TREE")) {
    r.reject(
        kHierarchicalCache, {},
        {{{set_env("SGLANG_ENABLE_UNIFIED_RADIX_TREE", "1")}, "another radix tree implementation"},
         {{unset(f::enable_hierarchical_cache)}, "no KV cache in host memory"}},
        {f::enable_hierarchical_cache.id});
  }
}

RuleList mimo_rules() {
  return {&kProjectionLayout, &kProjectionHeads, &kAttentionTp, &kHierarchicalCache};
}

}  // namespace sglint
