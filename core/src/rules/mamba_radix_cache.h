#pragma once
// How recurrent (Mamba, linear attention) states are kept for prefix caching.
//
// A recurrent state cannot be cut back to an earlier token as a KV cache can, so a prefix is only
// reusable where a copy of the state was kept. Three strategies: `extra_buffer` (spare state slots
// that decode and extend write snapshots into, works with overlap scheduling and pages), its
// `_lazy` variant (slots taken when first needed), and `no_buffer` (states are copied at the end of
// a request; page size 1, no overlap scheduling).

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

// supports_mamba_cache_extra_buffer(view, arch): models whose kernels write state snapshots, and
// those only through the triton linear attention backend.
bool supports_mamba_extra_buffer(const Resolution& r, std::string_view architecture);

// self.mamba_cache_chunk_size: the distance between places where a prefix can be cached. Needs a
// page size; may reject. SGLang computes it once.
int64_t mamba_cache_chunk_size(Resolution& r);

// self._handle_mamba_radix_cache(): chooses the strategy for --mamba-radix-cache-strategy auto,
// then validates it.
void handle_mamba_radix_cache(Resolution& r);

}  // namespace sglint
