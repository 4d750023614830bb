#pragma once
// Python's integer division, which rounds down where C++ rounds towards zero. Python raises for a
// divisor of 0: whoever may see one rejects before; here the result is 0.

#include <cstdint>

namespace sglint {

constexpr int64_t floor_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

constexpr int64_t floor_mod(int64_t a, int64_t b) { return b == 0 ? 0 : a - floor_div(a, b) * b; }

}  // namespace sglint
