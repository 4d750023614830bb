#pragma once
// What SGLang decides by the model's architecture: one family a file.
//
// `x_overrides` mirrors the providers of arg_groups/overrides.py: it reads the fields as the user
// left them (r.get) and declares. `x_adjustments` mirrors the family's branch of
// ServerArgs._handle_model_specific_adjustments, which runs after all declarations are in: it sees
// them through r.view.

#include "base/rule.h"
#include "resolve/resolution.h"
#include "rules/model_facts.h"

namespace sglint {

// collect_model_override_declarations: runs the providers of the model's architecture.
void declare_model_overrides(Resolution& r);

// get_quantization_config(hf_config): the quant_method of the checkpoint, None if it has none.
const Value& checkpoint_quant_method(const Value& hf_config);

// Several families on SM100 take the checkpoint's method as if --quantization had been given, so
// that the choice of a MoE runner can look at it. Returns the method in force.
Value adopt_checkpoint_quantization(Resolution& r);

void warn_if_replaced(Resolution& r, Field field, const Value& v);

// Declares what the model needs, and warns where the user had written something else.
template <class T>
void replace(Resolution& r, Key<T> key, Value v, const char* because) {
  warn_if_replaced(r, key.id, v);
  r.declare(key, std::move(v), because);
}
RuleList override_rules();

// deepseek.cpp: DeepSeek V3 / V3.2, GLM-5, Kimi K2.5, Mistral Large 3, LongCat
void deepseek_family_overrides(Resolution& r);
void deepseek_family_adjustments(Resolution& r);
void validate_dsa_cache_layer_split_model(Resolution& r);
RuleList deepseek_family_rules();

// deepseek_dsa.cpp: the DSA arm
void deepseek_dsa_overrides(Resolution& r);
void deepseek_dsa_adjustments(Resolution& r);
RuleList deepseek_dsa_rules();

// deepseek_v4.cpp
void deepseek_v4_overrides(Resolution& r);
void deepseek_v4_defaults(Resolution& r);
void deepseek_v4_adjustments(Resolution& r);
RuleList deepseek_v4_rules();

// kimi.cpp: Kimi Linear, Kimi K3
void kimi_k3_overrides(Resolution& r);
void kimi_hybrid_defaults(Resolution& r);
RuleList kimi_rules();

// qwen.cpp
void qwen3_5_hybrid_overrides(Resolution& r);
void qwen3_moe_family_overrides(Resolution& r);
void qwen3vl_overrides(Resolution& r);

// intern.cpp
void interns2_mobius_overrides(Resolution& r);
void validate_interns2_mobius(Resolution& r);
RuleList intern_rules();

// nemotron_h.cpp
void nemotron_h_overrides(Resolution& r);
void nemotron_h_adjustments(Resolution& r);
RuleList nemotron_h_rules();

// hybrid_mamba.cpp: Falcon H1, Jet-Nemotron, MiniCPM-V 4.6, Granite 4, LFM2
void triton_on_sm100_overrides(Resolution& r);
void granite_moe_hybrid_overrides(Resolution& r);
void lfm2_overrides(Resolution& r);
void lfm2_adjustments(Resolution& r);
RuleList hybrid_mamba_rules();

// gpt_oss.cpp
void gpt_oss_overrides(Resolution& r);
void gpt_oss_adjustments(Resolution& r);
RuleList gpt_oss_rules();

// llama4.cpp
void llama4_overrides(Resolution& r);
void llama4_adjustments(Resolution& r);
RuleList llama4_rules();

// gemma.cpp
void gemma2_gemma3_overrides(Resolution& r);
void gemma4_overrides(Resolution& r);
void gemma4_adjustments(Resolution& r);
RuleList gemma_rules();

// minimax.cpp
void minimax_m2_overrides(Resolution& r);
void minimax_m3_overrides(Resolution& r);

// mimo.cpp
void mimo_v2_overrides(Resolution& r);
void mimo_v2_adjustments(Resolution& r);
RuleList mimo_rules();

// glm4.cpp, step3p.cpp, inkling.cpp
void glm4_moe_overrides(Resolution& r);
void step3p_overrides(Resolution& r);
void inkling_overrides(Resolution& r);

// sliding_window.cpp: EXAONE 4, OLMo 2
void exaone_overrides(Resolution& r);
void exaone_adjustments(Resolution& r);
void olmo2_overrides(Resolution& r);
void olmo2_adjustments(Resolution& r);
RuleList sliding_window_rules();

// multimodal.cpp: Moss-VL, Muse Glimmer
void moss_vl_overrides(Resolution& r);
void muse_glimmer_overrides(Resolution& r);
RuleList multimodal_families_rules();

// capabilities.cpp: the parts of _handle_model_capability_adjustments
void force_hrm_text(Resolution& r);
void enable_embedding_models(Resolution& r);

// hisparse.cpp: the pass _hisparse_validation, which ServerArgs.check_server_args runs
void validate_hisparse(Resolution& r);
std::string_view hisparse_default_backend(const Resolution& r, std::string_view kv_cache_dtype);
RuleList hisparse_rules();

}  // namespace sglint
