#include "rules/attention.h"
#include "rules/models/families.h"

namespace sglint {

// _inkling_overrides
void inkling_overrides(Resolution& r) {
  const std::vector<Value>& defaults = field_defaults(r.release());
  const auto is_default = [&](Field field) {
    return r.value(field) == defaults[static_cast<size_t>(field)];
  };
  if (is_default(Field::swa_full_tokens_ratio))
    r.declare(f::swa_full_tokens_ratio, 0.1,
              "Inkling's split between sliding window and full attention KV.");
  if (is_default(Field::mamba_full_memory_ratio))
    r.declare(f::mamba_full_memory_ratio, 0.1,
              "Inkling's split between convolution states and KV.");
  if (is_default(Field::mamba_radix_cache_strategy)) {
    r.declare(f::mamba_radix_cache_strategy, "extra_buffer",
              "Inkling requires extra_buffer, and `auto` would not choose it for this model.");
  }
  if (attention_backend_not_set(r)) {
    const char* backend = is_sm100_supported(r.machine()) ? "fa4" : "triton";
    r.declare(f::attention_backend, backend, "Inkling's attention runs on fa4 or triton only.");
    r.info("Use {} as the attention backend for Inkling (requires fa4 or triton).", {backend});
  }
  r.env().put("SGLANG_ENABLE_UNIFIED_RADIX_TREE", "True");
}

}  // namespace sglint
