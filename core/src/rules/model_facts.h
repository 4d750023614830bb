#pragma once
// Questions about a model's config that SGLang asks in several places (configs/model_config.py,
// utils/common.py, speculative/dspark_components). `config` is an hf_config as ModelConfig holds
// it.

#include <string_view>

#include "base/value.h"

namespace sglint {

std::string_view hf_arch(const Value& config);  // the first architecture, "" if there is none

bool is_deepseek_dsa(const Value& config);
bool is_deepseek_v4(const Value& config);
bool is_kimi_k3(const Value& config);
bool is_qwen3_5(const Value& config);
bool is_nemotron_h(const Value& config);
bool is_minimax_sparse(const Value& config);
int64_t get_dsa_index_topk(const Value& config);  // of a model that is_deepseek_dsa

// utils/common.py: get_quantization_config(hf_config): quantization_config's quant_method; None
// where there is no quantization_config or it names none.
const Value& get_quantization_method(const Value& config);

// overrides.py: _is_mxfp4_pack_quantized.
bool is_mxfp4_pack_quantized(const Value& config);

// dspark_config.py: checkpoint_bundles_dspark_draft.
bool checkpoint_bundles_dspark_draft(const Value& config);

// any(layer_type == "mamba" for layer_type in getattr(hf_config, "layer_types", []))
bool has_mamba_layer(const Value& config);

// getattr(hf_config, "mamba_chunk_size", FLA_CHUNK_SIZE)
int64_t mamba_chunk_size(const Value& config);

}  // namespace sglint
