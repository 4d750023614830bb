#pragma once
// How recurrent (Mamba, linear attention) states are kept for prefix caching.

#include <string_view>

#include "base/text.h"
#include "resolve/resolution.h"

namespace sglint {

// mamba_extra_buffer_of(resolved_view(self)): whether states are snapshotted into extra slots.
inline bool mamba_extra_buffer_of(const Resolution& r) {
  return !r.view(f::disable_radix_cache) &&
         one_of(r.view(f::mamba_radix_cache_strategy), {"extra_buffer", "extra_buffer_lazy"});
}

// self.enable_mamba_extra_buffer(): the same of the fields alone, without declarations.
inline bool enable_mamba_extra_buffer(const Resolution& r) {
  return !r.get(f::disable_radix_cache) &&
         one_of(r.get(f::mamba_radix_cache_strategy), {"extra_buffer", "extra_buffer_lazy"});
}

}  // namespace sglint
