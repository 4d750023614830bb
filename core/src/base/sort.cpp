#include "base/sort.h"

namespace sglint {

std::vector<size_t> stable_order(size_t count, bool (*before)(const void* context, size_t, size_t),
                                 const void* context) {
  std::vector<size_t> order(count), merged(count);
  for (size_t i = 0; i < count; ++i) order[i] = i;
  // Merges neighbouring runs of 1, 2, 4, … until one is left.
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * run) {
      size_t left = begin, right = begin + run;
      const size_t middle = right < count ? right : count;
      const size_t end = middle + run < count ? middle + run : count;
      for (size_t out = begin; out < end; ++out) {
        const bool take_right =
            right < end && (left == middle || before(context, order[right], order[left]));
        merged[out] = take_right ? order[right++] : order[left++];
      }
    }
    order.swap(merged);
  }
  return order;
}

}  // namespace sglint
