#include "rules/model_architectures.h"

#include <algorithm>

#include "base/text.h"

namespace sglint {
namespace {

constexpr std::string_view kMultimodal[] = {
    "CLIPModel",
    "Cohere2VisionForConditionalGeneration",
    "DeepseekOCRForCausalLM",
    "DeepseekVL2ForCausalLM",
    "DotsOCRForCausalLM",
    "DotsVLMForCausalLM",
    "Ernie4_5_VLMoeForConditionalGeneration",
    "Gemma3ForConditionalGeneration",
    "Gemma3nForConditionalGeneration",
    "Gemma4ForConditionalGeneration",
    "Gemma4UnifiedForConditionalGeneration",
    "Glm4vForConditionalGeneration",
    "Glm4vMoeForConditionalGeneration",
    "GlmAsrForConditionalGeneration",
    "GlmOcrForConditionalGeneration",
    "Grok1AForCausalLM",
    "Grok1VForCausalLM",
    "InternS1ForConditionalGeneration",
    "InternS1ProForConditionalGeneration",
    "InternS2PreviewForConditionalGeneration",
    "InternVLChatModel",
    "JetVLMForConditionalGeneration",
    "KimiK25ForConditionalGeneration",
    "KimiVLForConditionalGeneration",
    "Lfm2VlForConditionalGeneration",
    "LightOnOCRForConditionalGeneration",
    "Llama4ForConditionalGeneration",
    "LlavaForConditionalGeneration",
    "LlavaLlamaForCausalLM",
    "LlavaMistralForCausalLM",
    "LlavaQwenForCausalLM",
    "LlavaVidForCausalLM",
    "LocateAnythingForConditionalGeneration",
    "MiDashengLMModel",
    "MiMoV2ASRForCausalLM",
    "MiMoV2ForCausalLM",
    "MiniCPMO",
    "MiniCPMV",
    "MiniMaxM3SparseForConditionalGeneration",
    "Mistral3ForConditionalGeneration",
    "MllamaForConditionalGeneration",
    "MossVLForConditionalGeneration",
    "MultiModalityCausalLM",
    "NVILAForConditionalGeneration",
    "NVILALiteForConditionalGeneration",
    "NemotronH_Nano_Omni_Reasoning_V3",
    "NemotronH_Nano_VL_V2",
    "POINTSV15ChatModel",
    "PaddleOCRVLForConditionalGeneration",
    "Phi4MMForCausalLM",
    "PixtralForConditionalGeneration",
    "Qwen2AudioForConditionalGeneration",
    "Qwen2VLForConditionalGeneration",
    "Qwen2_5_VLForConditionalGeneration",
    "Qwen3ASRForConditionalGeneration",
    "Qwen3OmniMoeForConditionalGeneration",
    "Qwen3VLForConditionalGeneration",
    "Qwen3VLMoeForConditionalGeneration",
    "Qwen3_5ForConditionalGeneration",
    "Qwen3_5MoeForConditionalGeneration",
    "Sarashina2VisionForCausalLM",
    "Step3VLForConditionalGeneration",
    "Step3p7ForConditionalGeneration",
    "StepVLForConditionalGeneration",
    "UnlimitedOCRForCausalLM",
    "VoxtralForConditionalGeneration",
    "WhisperForConditionalGeneration",
};

// Architectures that later releases added to a list.
struct Since {
  std::string_view name;
  Release since;
};
constexpr Since kMultimodalSince[] = {
    {"GlmImageForConditionalGeneration", Release::v0_5_16},
    {"InternS2MobiusForConditionalGeneration", Release::v0_5_18},
    {"MuseGlimmerForConditionalGeneration", Release::v0_5_18},
};
constexpr Since kMultimodalBreakable[] = {
    {"Qwen3_5ForConditionalGeneration", Release::v0_5_15_post1},
    {"Qwen3_5MoeForConditionalGeneration", Release::v0_5_15_post1},
    {"InternS2MobiusForConditionalGeneration", Release::v0_5_18},
    {"KimiK25ForConditionalGeneration", Release::v0_5_18},
    {"KimiK3ForConditionalGeneration", Release::v0_5_18},
    {"MuseGlimmerForConditionalGeneration", Release::v0_5_18},
};
constexpr Since kHybridSwa[] = {
    {"DeepseekV4ForCausalLM", Release::v0_5_15_post1},
    {"DeepseekV4ForCausalLMNextN", Release::v0_5_15_post1},
    {"Gemma4ForCausalLM", Release::v0_5_15_post1},
    {"Gemma4ForConditionalGeneration", Release::v0_5_15_post1},
    {"Gemma4UnifiedForConditionalGeneration", Release::v0_5_15_post1},
    {"GptOssForCausalLM", Release::v0_5_15_post1},
    {"LagunaForCausalLM", Release::v0_5_15_post1},
    {"Llama4ForConditionalGeneration", Release::v0_5_15_post1},
    {"MiMoV2FlashForCausalLM", Release::v0_5_15_post1},
    {"MiMoV2ForCausalLM", Release::v0_5_15_post1},
    {"MiMoV2MTP", Release::v0_5_15_post1},
    {"Step3p5ForCausalLM", Release::v0_5_15_post1},
    {"Step3p5MTP", Release::v0_5_15_post1},
    {"Step3p7ForConditionalGeneration", Release::v0_5_15_post1},
    {"UnlimitedOCRForCausalLM", Release::v0_5_15_post1},
    {"DeepseekV4ForCausalLMDSpark", Release::v0_5_16},
    {"InklingForConditionalGeneration", Release::v0_5_16},
    {"InklingForConditionalGenerationMTP", Release::v0_5_16},
    {"MellumForCausalLM", Release::v0_5_16},
    {"MuseGlimmerForCausalLM", Release::v0_5_18},
    {"MuseGlimmerForConditionalGeneration", Release::v0_5_18},
};

// Architectures that embed or score and never generate.
constexpr Since kNotGenerating[] = {
    {"BertForSequenceClassification", Release::v0_5_15_post1},
    {"BertModel", Release::v0_5_15_post1},
    {"CLIPModel", Release::v0_5_15_post1},
    {"Contriever", Release::v0_5_15_post1},
    {"Gemma2ForSequenceClassification", Release::v0_5_15_post1},
    {"InternLM2ForRewardModel", Release::v0_5_15_post1},
    {"LlamaEmbeddingModel", Release::v0_5_15_post1},
    {"LlamaForSequenceClassification", Release::v0_5_15_post1},
    {"LlamaForSequenceClassificationWithNormal_Weights", Release::v0_5_15_post1},
    {"MistralModel", Release::v0_5_15_post1},
    {"Qwen2ForRewardModel", Release::v0_5_15_post1},
    {"Qwen2ForSequenceClassification", Release::v0_5_15_post1},
    {"Qwen3ForRewardModel", Release::v0_5_15_post1},
    {"Qwen3ForSequenceClassification", Release::v0_5_15_post1},
    {"XLMRobertaForSequenceClassification", Release::v0_5_15_post1},
    {"XLMRobertaModel", Release::v0_5_15_post1},
    {"Lfm2BidirectionalModel", Release::v0_5_17},
    {"Qwen3Model", Release::v0_5_17},
};

constexpr DraftArchitecture kDrafts[] = {
    {"BailingMoeForCausalLM", "BailingMoeForCausalLMNextN"},
    {"BailingMoeV2ForCausalLM", "BailingMoeForCausalLMNextN"},
    {"BailingMoeV2_5ForCausalLM", "BailingMoeForCausalLMNextN"},
    {"DeepseekV32ForCausalLM", "DeepseekV3ForCausalLMNextN"},
    {"DeepseekV3ForCausalLM", "DeepseekV3ForCausalLMNextN"},
    {"DeepseekV4ForCausalLM", "DeepseekV4ForCausalLMNextN", true},
    {"Ernie4_5_MoeForCausalLM", "Ernie4_5_MoeForCausalLMMTP"},
    {"ExaoneMoEForCausalLM", "ExaoneMoEForCausalLMMTP", true},
    {"Glm4MoeForCausalLM", "Glm4MoeForCausalLMNextN"},
    {"Glm4MoeLiteForCausalLM", "Glm4MoeLiteForCausalLMNextN"},
    {"GlmMoeDsaForCausalLM", "GlmMoeDsaForCausalLMNextN"},
    {"GlmOcrForConditionalGeneration", "GlmOcrForConditionalGenerationNextN"},
    {"HYV3ForCausalLM", "HYV3ForCausalLMNextN", true},
    {"InklingForConditionalGeneration", "InklingForConditionalGenerationMTP", false, false,
     Release::v0_5_16},
    {"InternS2MobiusForConditionalGeneration", "Qwen3_5ForCausalLMMTP", true, false,
     Release::v0_5_18},
    {"InternS2PreviewForConditionalGeneration", "Qwen3_5ForCausalLMMTP", true},
    {"LongcatFlashForCausalLM", "LongcatFlashForCausalLMNextN"},
    {"MiMoForCausalLM", "MiMoMTP"},
    {"MiMoV2FlashForCausalLM", "MiMoV2MTP"},
    {"MiMoV2ForCausalLM", "MiMoV2MTP"},
    {"NemotronHForCausalLM", "NemotronHForCausalLMMTP", true},
    {"NemotronHPuzzleForCausalLM", "NemotronHForCausalLMMTP", true},
    {"Qwen3MoeForCausalLM", "Qwen3MoeForCausalLMMTP", true},
    {"Qwen3NextForCausalLM", "Qwen3NextForCausalLMMTP", true},
    {"Qwen3_5ForCausalLM", "Qwen3_5ForCausalLMMTP", true, false, Release::v0_5_17},
    {"Qwen3_5ForConditionalGeneration", "Qwen3_5ForCausalLMMTP", true},
    {"Qwen3_5MoeForCausalLM", "Qwen3_5ForCausalLMMTP", true, false, Release::v0_5_17},
    {"Qwen3_5MoeForConditionalGeneration", "Qwen3_5ForCausalLMMTP", true},
    {"Step3p5ForCausalLM", "Step3p5MTP"},
    {"Step3p7ForConditionalGeneration", "Step3p5MTP", false, true},
};

template <size_t N>
bool any_since(const ModelConfig& m, const Since (&list)[N], Release release) {
  for (const Since& entry : list)
    if (release >= entry.since && m.has_architecture(entry.name)) return true;
  return false;
}

}  // namespace

bool is_multimodal_model(const ModelConfig& m, Release release) {
  for (std::string_view name : kMultimodal)
    if (m.has_architecture(name)) return true;
  return any_since(m, kMultimodalSince, release);
}

bool is_generation_model(const ModelConfig& m, bool is_embedding, Release release) {
  return !is_embedding && !any_since(m, kNotGenerating, release);
}

bool is_hybrid_swa_model(const ModelConfig& m, const ConfigObject& text, Release release) {
  if (any_since(m, kHybridSwa, release))
    return !m.has_architecture("LagunaForCausalLM") || text["sliding_window"].truthy();
  return text["is_hybrid_swa"].truthy();
}

bool is_piecewise_disabled_model(const ModelConfig& m, Release) {
  for (const char* name :
       {"DeepseekV4ForCausalLM", "DeepseekV4ForCausalLMNextN", "DeepseekV4ForCausalLMDSpark",
        "Qwen3NextForCausalLM", "BailingMoeV2_5ForCausalLM", "LLaDAModelLM"})
    if (m.has_architecture(name)) return true;
  return false;
}

bool is_multimodal_piecewise_supported(const ModelConfig& m, Release) {
  for (const char* name :
       {"Cohere2VisionForConditionalGeneration", "KimiK25ForConditionalGeneration",
        "MiniMaxM3SparseForCausalLM", "MiniMaxM3SparseForConditionalGeneration"})
    if (m.has_architecture(name)) return true;
  return false;
}

bool is_multimodal_breakable_supported(const ModelConfig& m, Release release) {
  return any_since(m, kMultimodalBreakable, release);
}

const DraftArchitecture* find_draft_architecture(std::string_view target, Release release) {
  for (const DraftArchitecture& draft : kDrafts)
    if (draft.target == target && release >= draft.since) return &draft;
  return nullptr;
}

bool ModelConfig::has_architecture(std::string_view name) const {
  for (const std::string& architecture : architectures)
    if (architecture == name) return true;
  return false;
}

int64_t ModelConfig::total_num_kv_heads() const {
  const bool new_falcon = one_of(model_type, {"falcon", "RefinedWeb", "RefinedWebModel"}) &&
                          hf_config["new_decoder_architecture"].truthy();
  if (!new_falcon && hf_text_config["multi_query"].truthy()) return 1;
  if (one_of(model_type, {"mpt", "dbrx"}))
    return hf_config["attn_config"]["kv_n_heads"].as_int(num_attention_heads);
  for (const char* key : {"n_head_kv", "num_kv_heads", "num_key_value_heads",
                          "multi_query_group_num", "num_attention_groups"})
    if (!hf_text_config[key].is_none()) return hf_text_config[key].as_int();
  return num_attention_heads;
}

int64_t ModelConfig::num_kv_heads(int64_t tp_size, int64_t dcp_size) const {
  const int64_t groups = tp_size / (is_draft_model || dcp_size < 1 ? 1 : dcp_size);
  return groups < 1 ? total_num_kv_heads() : std::max<int64_t>(1, total_num_kv_heads() / groups);
}

int64_t ModelConfig::num_attention_heads_of(int64_t tp_size) const {
  return tp_size < 1 ? num_attention_heads : std::max<int64_t>(1, num_attention_heads / tp_size);
}

}  // namespace sglint
