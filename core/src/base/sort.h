#pragma once
// One stable sort for everything. std::sort and std::stable_sort are several KB of WebAssembly for
// each type and order they are used with; here that is one small function.

#include <cstddef>
#include <utility>
#include <vector>

namespace sglint {

// The places 0..count-1 in order; those that are equal stay as they stand. O(n log n).
std::vector<size_t> stable_order(size_t count, bool (*before)(const void* context, size_t, size_t),
                                 const void* context);

// `before(a, b)`: whether a comes before b.
template <class T, class Before>
void stable_sort(std::vector<T>& items, const Before& before) {
  const std::pair<const std::vector<T>&, const Before&> context(items, before);
  const std::vector<size_t> order = stable_order(
      items.size(),
      [](const void* c, size_t a, size_t b) {
        const auto& [all, is_before] = *static_cast<decltype(&context)>(c);
        return is_before(all[a], all[b]);
      },
      &context);
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (size_t place : order) sorted.push_back(std::move(items[place]));
  items.swap(sorted);
}

template <class T>
void stable_sort(std::vector<T>& items) {
  stable_sort(items, [](const T& a, const T& b) { return a < b; });
}

}  // namespace sglint
