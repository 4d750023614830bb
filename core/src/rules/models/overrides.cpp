#include "base/text.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kReplaced{
    .id = "models/flag-replaced",
    .severity = Severity::warning,
    .message = "{} {} is replaced by {} for this model.",
    .why =
        "SGLang sets this value for the model's architecture without looking at the command, and "
        "often without a log line. The flag has no effect.",
    .source = "arg_groups/overrides.py: collect_model_override_declarations",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --page-size 64", "b200"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct", "b200"},
};

// MODEL_OVERRIDES
void mistral_large_overrides(Resolution& r) {
  replace(r, f::dtype, "bfloat16", "This model runs in bfloat16 whatever --dtype says.");
}

struct Provider {
  void (*declare)(Resolution& r);
  std::initializer_list<const char*> architectures;
  ReleaseRange releases = {};
};

constexpr Release k16 = Release::v0_5_16, k17 = Release::v0_5_17, k18 = Release::v0_5_18;

// In SGLang's order of registration, which is the order of its log lines. All that match run.
const Provider* providers(size_t* count) {
  static const Provider kProviders[] = {
      {mistral_large_overrides, {"MistralLarge3ForCausalLM", "PixtralForConditionalGeneration"}},
      {kimi_k3_overrides, {"KimiK3ForConditionalGeneration"}, {k17, k18}},
      {deepseek_family_overrides,
       {"DeepseekV3ForCausalLM", "DeepseekV32ForCausalLM", "KimiK25ForConditionalGeneration",
        "MistralLarge3ForCausalLM", "PixtralForConditionalGeneration", "GlmMoeDsaForCausalLM"}},
      {deepseek_family_overrides,
       {"LongcatFlashForCausalLM", "LongcatFlashForCausalLMNextN"},
       {k16, k18}},
      {mimo_v2_overrides, {"MiMoV2ForCausalLM", "MiMoV2FlashForCausalLM"}},
      {minimax_m2_overrides, {"MiniMaxM2ForCausalLM"}},
      {minimax_m3_overrides,
       {"MiniMaxM3SparseForCausalLM", "MiniMaxM3SparseForConditionalGeneration"},
       {k16, k18}},
      {gemma2_gemma3_overrides,
       {"Gemma2ForCausalLM", "Gemma3ForCausalLM", "Gemma3ForConditionalGeneration",
        "Gemma3nForCausalLM", "Gemma3nForConditionalGeneration"}},
      {exaone_overrides, {"Exaone4ForCausalLM", "ExaoneMoEForCausalLM"}},
      {gpt_oss_overrides, {"GptOssForCausalLM"}},
      {llama4_overrides, {"Llama4ForConditionalGeneration", "Llama4ForCausalLM"}},
      {gemma4_overrides,
       {"Gemma4ForConditionalGeneration", "Gemma4ForCausalLM",
        "Gemma4UnifiedForConditionalGeneration"}},
      {moss_vl_overrides, {"MossVLForConditionalGeneration"}},
      {triton_on_sm100_overrides,
       {"MiniCPMV4_6ForConditionalGeneration", "FalconH1ForCausalLM", "JetNemotronForCausalLM",
        "JetVLMForConditionalGeneration"}},
      {granite_moe_hybrid_overrides, {"GraniteMoeHybridForCausalLM"}},
      {lfm2_overrides, {"Lfm2ForCausalLM"}},
      {lfm2_overrides, {"Lfm2MoeForCausalLM"}, {k17, k18}},
      {deepseek_v4_overrides, {"DeepseekV4ForCausalLM"}},
      {inkling_overrides,
       {"InklingForConditionalGeneration", "InklingForConditionalGenerationMTP"},
       {k16, k18}},
      {nemotron_h_overrides, {"NemotronHForCausalLM", "NemotronHPuzzleForCausalLM"}},
      {qwen3_5_hybrid_overrides,
       {"Qwen3NextForCausalLM", "Qwen3_5MoeForConditionalGeneration",
        "InternS2PreviewForConditionalGeneration", "Qwen3_5ForConditionalGeneration"}},
      {qwen3_5_hybrid_overrides, {"InternS2MobiusForConditionalGeneration"}, {k18, k18}},
      {interns2_mobius_overrides, {"InternS2MobiusForConditionalGeneration"}, {k18, k18}},
      {qwen3vl_overrides, {"Qwen3VLForConditionalGeneration"}},
      {qwen3_moe_family_overrides,
       {"Qwen3MoeForCausalLM", "Qwen3VLMoeForConditionalGeneration", "Qwen3NextForCausalLM",
        "Qwen3_5MoeForConditionalGeneration", "InternS2PreviewForConditionalGeneration",
        "Qwen3_5ForConditionalGeneration"}},
      {glm4_moe_overrides, {"Glm4MoeForCausalLM"}},
      {olmo2_overrides, {"Olmo2ForCausalLM"}},
      {muse_glimmer_overrides,
       {"MuseGlimmerForConditionalGeneration", "MuseGlimmerForCausalLM"},
       {k18, k18}},
  };
  *count = sizeof kProviders / sizeof kProviders[0];
  return kProviders;
}

}  // namespace

void warn_if_replaced(Resolution& r, Field field, const Value& v) {
  if (!r.typed(field) || r.value(field) == v || one_of(r.value(field).as_str(), {"auto"})) return;
  const Option* option = option_of(r.release(), field);
  if (option == nullptr || option->names.empty()) return;
  const Fix drop{{Edit{Edit::Kind::unset_flag, field, {}, {}}}, ""};
  r.note(kReplaced, {*option->names.begin(), r.value(field), v}, {drop}, {field});
}

RuleList override_rules() { return {&kReplaced}; }

const Value& checkpoint_quant_method(const Value& hf_config) {
  return hf_config["quantization_config"]["quant_method"];
}

Value adopt_checkpoint_quantization(Resolution& r) {
  const Value& given = r.value(f::quantization);
  if (!given.is_none() || r.attribute("quantization_explicitly_unset").truthy()) return given;
  const Value& method = checkpoint_quant_method(r.model().hf_config);
  if (!method.is_none())
    r.declare(f::quantization, method, "The checkpoint says that it is quantized this way.");
  return method;
}

void declare_model_overrides(Resolution& r) {
  const std::string_view arch = r.model().architecture();
  size_t count = 0;
  const Provider* all = providers(&count);
  for (size_t i = 0; i < count && !r.stopped(); ++i) {
    if (all[i].releases.contains(r.release()) && one_of(arch, all[i].architectures))
      all[i].declare(r);
  }
  // register_model_override_predicate: after the exact names.
  if (contains(arch, "Step3p5ForCausalLM") || contains(arch, "Step3p7ForConditionalGeneration"))
    step3p_overrides(r);
}

}  // namespace sglint
