#pragma once

#include "resolve/resolution.h"

namespace sglint {

// ModelConfig.from_server_args: fills `out` from the model's files and the arguments, or rejects.
void build_model_config(Resolution& r, ModelConfig& out);

}  // namespace sglint
