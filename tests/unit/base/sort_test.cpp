#include "base/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace sglint {
namespace {

TEST(Sort, IsThatOfTheStandardLibraryForEverySize) {
  uint32_t random = 1;
  for (size_t size = 0; size < 130; ++size) {
    std::vector<std::pair<int, size_t>> ours, theirs;
    for (size_t i = 0; i < size; ++i) {
      random = random * 1664525 + 1013904223;
      ours.emplace_back(static_cast<int>(random >> 24) % 16, i);
    }
    theirs = ours;
    const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
    stable_sort(ours, before);
    std::stable_sort(theirs.begin(), theirs.end(), before);
    ASSERT_EQ(ours, theirs) << size;
  }
}

TEST(Sort, MovesWhatItSorts) {
  std::vector<std::string> words{"b", std::string(100, 'c'), "", "a"};
  stable_sort(words);
  EXPECT_EQ(words, (std::vector<std::string>{"", "a", "b", std::string(100, 'c')}));
}

}  // namespace
}  // namespace sglint
