#include "rules/model_facts.h"

#include "base/text.h"

namespace sglint {

std::string_view hf_arch(const Value& config) {
  const Value::List& architectures = config["architectures"].as_list();
  return architectures.empty() ? std::string_view() : architectures.front().as_str();
}

bool is_deepseek_dsa(const Value& config) {
  return !config["index_topk"].is_none() &&
         one_of(hf_arch(config),
                {"DeepseekV3ForCausalLM", "DeepseekV32ForCausalLM", "DeepseekV3ForCausalLMNextN",
                 "MistralLarge3ForCausalLM", "PixtralForConditionalGeneration",
                 "GlmMoeDsaForCausalLM", "GlmMoeDsaForCausalLMNextN", "LongcatFlashForCausalLM",
                 "LongcatFlashForCausalLMNextN"});
}

bool is_deepseek_v4(const Value& config) {
  return one_of(hf_arch(config), {"DeepseekV4ForCausalLM", "DeepseekV4ForCausalLMNextN",
                                  "DeepseekV4ForCausalLMDSpark"});
}

bool is_kimi_k3(const Value& config) { return hf_arch(config) == "KimiK3ForConditionalGeneration"; }

bool is_qwen3_5(const Value& config) {
  return one_of(hf_arch(config),
                {"Qwen3_5ForConditionalGeneration", "Qwen3_5MoeForConditionalGeneration",
                 "Qwen3_5ForCausalLM", "Qwen3_5MoeForCausalLM"});
}

bool is_nemotron_h(const Value& config) {
  return one_of(hf_arch(config),
                {"NemotronHForCausalLM", "NemotronHPuzzleForCausalLM", "NemotronHForCausalLMMTP"});
}

bool is_minimax_sparse(const Value& config) {
  return one_of(hf_arch(config),
                {"MiniMaxM3SparseForCausalLM", "MiniMaxM3SparseForConditionalGeneration"});
}

int64_t get_dsa_index_topk(const Value& config) { return config["index_topk"].as_int(); }

const Value& get_quantization_method(const Value& config) {
  return config["quantization_config"]["quant_method"];
}

bool is_mxfp4_pack_quantized(const Value& config) {
  const Value& text = config.has("text_config") ? config["text_config"] : config;
  for (const Value::Item& group : text["quantization_config"]["config_groups"].as_dict())
    if (group.second.is_dict() && contains(str(group.second["format"]), "mxfp4")) return true;
  return false;
}

bool checkpoint_bundles_dspark_draft(const Value& config) {
  for (const char* key : {"dspark_block_size", "dspark_markov_rank", "dspark_noise_token_id",
                          "dspark_target_layer_ids"})
    if (!config[key].is_none()) return true;
  return false;
}

bool has_mamba_layer(const Value& config) {
  for (const Value& type : config["layer_types"].as_list())
    if (type.as_str() == "mamba") return true;
  return false;
}

int64_t mamba_chunk_size(const Value& config) {
  constexpr int64_t kFlaChunkSize = 64;  // kernels/ops/attention/fla/chunk_delta_h.py: CHUNK_SIZE
  return config["mamba_chunk_size"].as_int(kFlaChunkSize);
}

}  // namespace sglint
