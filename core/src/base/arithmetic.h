#pragma once
// Python's integer division, which rounds down where C++ rounds towards zero.

#include <cstdint>

namespace sglint {

constexpr int64_t floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

constexpr int64_t floor_mod(int64_t a, int64_t b) { return a - floor_div(a, b) * b; }

}  // namespace sglint
