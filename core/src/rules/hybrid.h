#pragma once

#include "resolve/resolution.h"

namespace sglint {

// Whether the model keeps a recurrent state (GDN, KDA, Mamba-2, lightning, short conv): the models
// that SGLang sets uses_mamba_radix_cache for.
inline bool uses_linear_attention(const Resolution& r) { return r.get(f::uses_mamba_radix_cache); }

}  // namespace sglint
