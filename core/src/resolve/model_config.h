#pragma once
// SGLang's ModelConfig (configs/model_config.py): what the rules may ask of the model.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"

namespace sglint {

struct ModelConfig {
  // Whether the model's config.json is known. If not, every fact below is that of a plain decoder
  // without quantization, and architectures is empty.
  bool known = false;

  // As SGLang sees it: with the defaults of the model's config class for the keys that argument
  // resolution reads, dtype instead of torch_dtype, rope_parameters (SGLang's rope_scaling is the
  // same thing), and the text part's keys where the config class does not keep them apart.
  // getattr(config, "x", None) reads hf_config["x"], hasattr(config, "x") reads hf_config.has("x").
  Value hf_config;
  Value hf_text_config;  // the text part (hf_config itself where there is none)
  std::vector<std::string> architectures;
  std::string model_type;
  std::string quantization;            // resolved, "" for None
  std::string dtype;                   // "bfloat16"
  std::string attention_arch = "MHA";  // "MHA" or "MLA"
  int64_t context_len = 0;
  int64_t head_dim = 0, v_head_dim = 0, swa_head_dim = 0, swa_v_head_dim = 0;
  int64_t num_attention_heads = 0, num_key_value_heads = 0;
  int64_t hidden_size = 0, num_hidden_layers = 0, vocab_size = 0;
  Value sliding_window_size;       // None where the model has none
  Value num_nextn_predict_layers;  // None where config.json does not say
  bool is_draft_model = false;
  bool is_lm_only = false;         // the checkpoint is the language model alone
  bool enable_multimodal = false;  // what ModelConfig makes of --enable-multimodal
  bool is_multimodal = false;
  bool is_audio_model = false;
  bool is_image_understandable_model = false;
  bool is_multimodal_chunked_prefill_supported = true;
  bool is_multimodal_piecewise_cuda_graph_supported = false;
  bool is_multimodal_breakable_cuda_graph_supported = false;
  bool is_mla_breakable_cuda_graph_supported = false;  // 0.5.17 only
  bool is_piecewise_cuda_graph_disabled_model = false;
  bool is_generation = true;
  bool is_hybrid_swa = false;
  bool is_encoder_decoder = false;
  bool is_fp4_experts = false;  // DeepSeek V4's routed experts are mxfp4
  bool has_nvfp4_moe = false;   // nvfp4_moe_meta is not None: FP8 checkpoint with NVFP4 experts
  bool has_attention_sinks = false;
  bool has_asymmetric_kv = false;

  std::string_view architecture() const {
    return architectures.empty() ? std::string_view() : std::string_view(architectures.front());
  }
  bool has_architecture(std::string_view name) const;  // name in hf_config.architectures
  bool use_mla() const { return attention_arch == "MLA"; }
  int64_t total_num_kv_heads() const;                                 // get_total_num_kv_heads
  int64_t num_kv_heads(int64_t tp_size, int64_t dcp_size = 1) const;  // get_num_kv_heads
  int64_t num_attention_heads_of(int64_t tp_size) const;              // get_num_attention_heads
};

}  // namespace sglint
