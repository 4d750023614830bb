#pragma once
// Which family a model belongs to, by its first architecture (configs/model_config.py: is_*).

#include "resolve/resolution.h"

namespace sglint {

inline bool is_deepseek_dsa(Release release, const ModelConfig& m) {
  const std::string_view arch = m.architecture();
  const bool known = one_of(arch, {"DeepseekV3ForCausalLM", "DeepseekV32ForCausalLM",
                                   "DeepseekV3ForCausalLMNextN", "MistralLarge3ForCausalLM",
                                   "PixtralForConditionalGeneration", "GlmMoeDsaForCausalLM"}) ||
                     (release >= Release::v0_5_16 &&
                      one_of(arch, {"GlmMoeDsaForCausalLMNextN", "LongcatFlashForCausalLM",
                                    "LongcatFlashForCausalLMNextN"}));
  return known && !m.hf_config["index_topk"].is_none();
}

inline bool is_deepseek_v4(Release release, const ModelConfig& m) {
  return one_of(m.architecture(), {"DeepseekV4ForCausalLM", "DeepseekV4ForCausalLMNextN"}) ||
         (release >= Release::v0_5_16 && m.architecture() == "DeepseekV4ForCausalLMDSpark");
}

inline bool is_minimax_sparse(const ModelConfig& m) {
  return one_of(m.architecture(),
                {"MiniMaxM3SparseForCausalLM", "MiniMaxM3SparseForConditionalGeneration"});
}

inline bool is_nemotron_h(const ModelConfig& m) {
  return one_of(m.architecture(),
                {"NemotronHForCausalLM", "NemotronHPuzzleForCausalLM", "NemotronHForCausalLMMTP"});
}

}  // namespace sglint
