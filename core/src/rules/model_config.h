#pragma once

#include <optional>
#include <string_view>

#include "resolve/resolution.h"

namespace sglint {

// ModelConfig.from_server_args(self): fills `out` from the model's files and the arguments, or
// rejects. `again`: for another part of SGLang, which logs its lines once more.
void build_model_config(Resolution& r, ModelConfig& out, bool again = false);

// ModelConfig.from_server_args(self, model_path=path, is_draft_model=True): the same of a draft
// model. `context_length` as in SGLang: None takes --context-length.
void build_draft_model_config(Resolution& r, std::string_view path,
                              std::optional<int64_t> context_length, ModelConfig& out);

// ModelConfig._verify_quantization (model_quantization.cpp). `path` is the model's, `given` the
// value of
// --quantization or --speculative-draft-model-quantization.
void verify_quantization(Resolution& r, std::string_view path, const Value& given,
                         ModelConfig& out);

}  // namespace sglint
