#pragma once
// What SGLang knows of architectures by their names (configs/model_config.py, the lists at its
// end).

#include <string_view>

#include "base/release.h"
#include "resolve/model_config.h"
#include "rules/config_object.h"

namespace sglint {

bool is_multimodal_model(const ModelConfig& m, Release release);
bool is_generation_model(const ModelConfig& m, bool is_embedding, Release release);
bool is_hybrid_swa_model(const ModelConfig& m, const ConfigObject& text, Release release);
bool is_piecewise_disabled_model(const ModelConfig& m, Release release);
bool is_multimodal_piecewise_supported(const ModelConfig& m, Release release);
bool is_multimodal_breakable_supported(const ModelConfig& m, Release release);

// ModelConfig._config_draft_model: the architecture of the draft head inside a checkpoint.
struct DraftArchitecture {
  std::string_view target, draft;
  bool one_nextn_layer = false;  // sets num_nextn_predict_layers to 1
  bool text_only = false;        // goes on with the text config alone
  Release since = Release::v0_5_15_post1;
};
const DraftArchitecture* find_draft_architecture(std::string_view target, Release release);

}  // namespace sglint
