#pragma once

#include "resolve/resolution.h"

namespace sglint {

// ModelConfig.nvfp4_moe_meta: FP8 outside, NVFP4 experts inside (nvidia/DeepSeek-V4-*-NVFP4).
bool has_hybrid_nvfp4_experts(Resolution& r);

}  // namespace sglint
