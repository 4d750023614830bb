#pragma once
// SGLang's ModelConfig (configs/model_config.py): what the rules may ask of the model.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"

namespace sglint {

struct ModelConfig {
  Value hf_config;       // with the defaults of the model's config class filled in
  Value hf_text_config;  // the text part (hf_config itself where there is none)
  std::vector<std::string> architectures;
  std::string model_type;
  std::string quantization;  // resolved, "" for None
  std::string dtype;         // "bfloat16"
  std::string attention_arch = "MHA";  // "MHA" or "MLA"
  int64_t context_len = 0;
  int64_t head_dim = 0, v_head_dim = 0;
  int64_t num_attention_heads = 0, num_key_value_heads = 0;
  int64_t hidden_size = 0, num_hidden_layers = 0, vocab_size = 0;
  bool enable_multimodal = false;  // what ModelConfig makes of --enable-multimodal
  bool is_multimodal = false;
  bool is_multimodal_chunked_prefill_supported = true;
  bool is_generation = true;
  bool is_hybrid_swa = false;
  bool is_encoder_decoder = false;
  bool has_attention_sinks = false;
  bool has_asymmetric_kv = false;

  std::string_view architecture() const {
    return architectures.empty() ? std::string_view() : std::string_view(architectures.front());
  }
  bool use_mla() const { return attention_arch == "MLA"; }
  int64_t num_kv_heads(int64_t tp_size) const;  // ModelConfig.get_num_kv_heads
};

}  // namespace sglint
