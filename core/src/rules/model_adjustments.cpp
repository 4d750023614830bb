#include "base/text.h"
#include "rules/cuda_graph.h"
#include "rules/mamba_radix_cache.h"
#include "rules/models/families.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kCpDecodeAttnTp{
    .id = "models/cp-decode-attn-tp",
    .exception = "ValueError",
    .message =
        "--enable-cp-decode-attn-tp is only supported for models whose attention linears are "
        "replicated across CP ranks (attn_tp_size=1). Got {}; supported: ['DeepseekV4ForCausalLM', "
        "'DeepseekV4ForCausalLMDSpark', 'DeepseekV4ForCausalLMNextN', 'GlmMoeDsaForCausalLM', "
        "'GlmMoeDsaForCausalLMNextN'].",
    .why =
        "The flag shares out attention weights that every context parallel rank holds whole; this "
        "model's are split already.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path Qwen/Qwen3-8B --enable-cp-decode-attn-tp", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B", "h100"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

void validate_cp_decode_attn_tp(Resolution& r) {
  if (!r.since(Release::v0_5_17) || !r.get(f::enable_cp_decode_attn_tp)) return;
  const std::string_view arch = r.model().architecture();
  if (one_of(arch,
             {"DeepseekV4ForCausalLM", "DeepseekV4ForCausalLMNextN", "DeepseekV4ForCausalLMDSpark",
              "GlmMoeDsaForCausalLM", "GlmMoeDsaForCausalLMNextN"})) {
    return;
  }
  r.reject(kCpDecodeAttnTp, {arch}, {{{unset(f::enable_cp_decode_attn_tp)}, ""}},
           {f::enable_cp_decode_attn_tp.id});
}

// The branches by architecture of _handle_model_specific_adjustments; at most one runs.
void adjust_family(Resolution& r, std::string_view arch) {
  const bool longcat = arch == "LongcatFlashForCausalLM" && r.since(Release::v0_5_16);
  if (longcat || one_of(arch, {"DeepseekV3ForCausalLM", "DeepseekV32ForCausalLM",
                               "KimiK25ForConditionalGeneration", "MistralLarge3ForCausalLM",
                               "PixtralForConditionalGeneration", "GlmMoeDsaForCausalLM"})) {
    deepseek_family_adjustments(r);
  } else if (arch == "DeepseekV4ForCausalLM") {
    deepseek_v4_adjustments(r);
  } else if (arch == "GptOssForCausalLM") {
    gpt_oss_adjustments(r);
  } else if (one_of(arch, {"MiMoV2ForCausalLM", "MiMoV2FlashForCausalLM"})) {
    mimo_v2_adjustments(r);
  } else if (one_of(arch, {"Llama4ForConditionalGeneration", "Llama4ForCausalLM"})) {
    llama4_adjustments(r);
  } else if (one_of(arch, {"Gemma4ForConditionalGeneration", "Gemma4ForCausalLM",
                           "Gemma4UnifiedForConditionalGeneration"})) {
    gemma4_adjustments(r);
  } else if (one_of(arch, {"Exaone4ForCausalLM", "ExaoneMoEForCausalLM"})) {
    exaone_adjustments(r);
  } else if (arch == "Olmo2ForCausalLM") {
    olmo2_adjustments(r);
  } else if (one_of(arch, {"NemotronHForCausalLM", "NemotronHPuzzleForCausalLM"})) {
    nemotron_h_adjustments(r);
  } else if (arch == "Lfm2ForCausalLM" ||
             (arch == "Lfm2MoeForCausalLM" && r.since(Release::v0_5_17))) {
    lfm2_adjustments(r);
  }
}

// _sparse_head_overlap_disable
void disable_overlap_for_sparse_head(Resolution& r) {
  if (!r.env().is_set("SGLANG_EMBEDDINGS_SPARSE_HEAD")) return;
  r.warn("Overlap scheduler is disabled when using sparse head for embedding model.");
  r.declare(f::disable_overlap_schedule, true, "SGLANG_EMBEDDINGS_SPARSE_HEAD is set.");
}

bool has_fused_allreduce(const Resolution& r, std::string_view arch) {
  if (arch == "DeepseekV4ForCausalLM") return r.since(Release::v0_5_18);
  return one_of(arch, {"DeepseekV3ForCausalLM", "DeepseekV32ForCausalLM", "GptOssForCausalLM",
                       "GlmMoeDsaForCausalLM", "Glm4MoeForCausalLM", "Glm4MoeLiteForCausalLM",
                       "MistralLarge3ForCausalLM", "Qwen3MoeForCausalLM",
                       "Qwen3VLMoeForConditionalGeneration", "Qwen3NextForCausalLM",
                       "KimiK25ForConditionalGeneration", "Qwen3_5MoeForConditionalGeneration",
                       "InternS2PreviewForConditionalGeneration", "Qwen3_5ForConditionalGeneration",
                       "NemotronHForCausalLM", "NemotronHPuzzleForCausalLM"});
}

// _flashinfer_allreduce_fusion_auto_enable, _enforce_disable_allreduce_fusion
void choose_allreduce_fusion(Resolution& r, std::string_view arch) {
  const bool sm90 = is_sm90_supported(r.machine()), sm100 = is_sm100_supported(r.machine());
  if (!r.view(f::flashinfer_allreduce_fusion_backend) && has_fused_allreduce(r, arch) &&
      (sm90 || sm100) && r.view(f::tp_size) > 1 && !r.view(f::enable_dp_attention) &&
      (r.view(f::nnodes) == 1 || sm100) && r.view(f::moe_a2a_backend) == "none") {
    r.info("Auto-enabling FlashInfer AllReduce Fusion on SM90/SM10X for {}", {arch});
    r.declare(f::flashinfer_allreduce_fusion_backend, "auto",
              "Tensor parallel layers of this model can fuse the all-reduce with what follows it.");
  }
  if (!r.view(f::enforce_disable_flashinfer_allreduce_fusion)) return;
  r.info(
      "FlashInfer allreduce fusion is forcibly disabled via "
      "--enforce-disable-flashinfer-allreduce-fusion.");
  r.declare(f::flashinfer_allreduce_fusion_backend, kNone,
            "--enforce-disable-flashinfer-allreduce-fusion is in force.");
}

}  // namespace

void model_specific_adjustments(Resolution& r) {
  if (r.get(f::enable_deterministic_inference)) {
    r.set(f::enforce_disable_flashinfer_allreduce_fusion, true,
          "A fused all-reduce adds in an order that varies.");
  }
  r.set(f::uses_mamba_radix_cache, false,
        "The model keeps no recurrent states, or its prefix cache is off.");
  r.clear_declarations();
  if (model_from_instance(r)) return;

  const std::string arch(r.model().architecture());
  if (r.stopped()) return;
  if (arch == "InternS2MobiusForConditionalGeneration" && r.since(Release::v0_5_18))
    validate_interns2_mobius(r);
  validate_dsa_cache_layer_split_model(r);
  validate_cp_decode_attn_tp(r);
  // SGLang resolves the mamba radix cache here too, for models that outside packages registered.
  declare_model_overrides(r);
  if (r.stopped()) return;

  if (r.since(Release::v0_5_17) &&
      one_of(arch, {"KimiLinearForCausalLM", "KimiK3ForConditionalGeneration"}))
    kimi_hybrid_defaults(r);
  if (arch == "DeepseekV4ForCausalLM") deepseek_v4_defaults(r);
  if (r.stopped()) return;
  adjust_family(r, arch);
  handle_mamba_radix_cache(r);
  disable_overlap_for_sparse_head(r);
  choose_allreduce_fusion(r, arch);
}

void model_capability_adjustments(Resolution& r) {
  if (model_from_instance(r)) return;
  const ModelConfig& model = r.model();
  force_hrm_text(r);
  enable_embedding_models(r);
  if (model.is_multimodal && !model.is_multimodal_chunked_prefill_supported) {
    r.set(f::chunked_prefill_size, -1, "This multimodal model's prompts must be computed whole.");
    r.info("Automatically turn off --chunked-prefill-size as it is not supported for {}",
           {model.hf_config["model_type"]});
  }
}

RuleList model_adjustments_rules() {
  RuleList all = override_rules();
  all.push_back(&kCpDecodeAttnTp);
  for (RuleList (*list)() :
       {deepseek_family_rules, deepseek_dsa_rules, deepseek_v4_rules, kimi_rules, intern_rules,
        nemotron_h_rules, hybrid_mamba_rules, gpt_oss_rules, llama4_rules, gemma_rules, mimo_rules,
        sliding_window_rules, multimodal_families_rules, hisparse_rules}) {
    const RuleList rules = list();
    all.insert(all.end(), rules.begin(), rules.end());
  }
  return all;
}

}  // namespace sglint
