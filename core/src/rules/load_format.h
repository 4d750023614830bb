#pragma once
// What a model path says about how the weights are read.

#include "resolve/resolution.h"

namespace sglint {

// utils/runai_utils.py: is_runai_obj_uri
bool is_runai_object_uri(std::string_view path);

// utils/hf_transformers/common.py: check_gguf_file, by name: the file itself is not at hand.
bool is_gguf_file(const Resolution& r, std::string_view path);

}  // namespace sglint
