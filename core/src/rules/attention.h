#pragma once
// Which attention backends a launch has come to, as ServerArgs and arg_groups/overrides.py ask for
// them.

#include <optional>
#include <string_view>

#include "resolve/resolution.h"

namespace sglint {

// The split flags fall back to --attention-backend; nullopt where nothing is chosen yet.
struct AttentionBackends {
  std::optional<std::string_view> prefill, decode;

  bool either_is(std::string_view backend) const { return prefill == backend || decode == backend; }
};

namespace attention_detail {
// Python's `a or b`: an empty string counts as not given.
inline std::optional<std::string_view> first_given(std::optional<std::string_view> a,
                                                   std::optional<std::string_view> b) {
  return a && !a->empty() ? a : b;
}
}  // namespace attention_detail

// self.get_attention_backends(): the fields alone, without what passes have declared.
inline AttentionBackends attention_backends(const Resolution& r) {
  const auto base = r.get(f::attention_backend);
  return {attention_detail::first_given(r.get(f::prefill_attention_backend), base),
          attention_detail::first_given(r.get(f::decode_attention_backend), base)};
}

// self._resolved_attention_backends(), and attention_backends_of(view) in a pass.
inline AttentionBackends resolved_attention_backends(const Resolution& r) {
  const auto base = r.view(f::attention_backend);
  return {attention_detail::first_given(r.view(f::prefill_attention_backend), base),
          attention_detail::first_given(r.view(f::decode_attention_backend), base)};
}

// self.is_attention_backend_not_set(): reads the fields even when a view is asked.
inline bool attention_backend_not_set(const Resolution& r) {
  return r.value(f::attention_backend).is_none() &&
         r.value(f::prefill_attention_backend).is_none() &&
         r.value(f::decode_attention_backend).is_none();
}

// self.use_mla_backend(). Builds the model config, which may reject: test r.stopped() after it.
inline bool use_mla_backend(Resolution& r) { return r.model().use_mla(); }

}  // namespace sglint
