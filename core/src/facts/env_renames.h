#pragma once
// Environment variables that SGLang renamed and still takes over when environ.py is imported.

#include <cstdint>
#include <span>
#include <string_view>

#include "base/release.h"

namespace sglint {

struct RenamedVariable {
  enum class Forward : uint8_t { as_is, inverted, ms_to_s };
  std::string_view old_name, new_name;
  Forward how;
  ReleaseRange releases;
};

// environ.py: _DEPRECATED_ENVS (before 0.5.18 _convert_SGL_to_SGLANG), in order. Besides, every
// name that starts with SGL_ is taken over as SGLANG_.
std::span<const RenamedVariable> renamed_variables();

}  // namespace sglint
