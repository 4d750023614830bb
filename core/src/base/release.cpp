#include "base/release.h"

#include <array>

namespace sglint {
namespace {

// 0.5.15.post1 -> {0, 5, 15, 1}; a version has at least two numbers.
std::optional<std::array<int, 4>> numbers_of(std::string_view name) {
  if (!name.empty() && (name[0] == 'v' || name[0] == 'V')) name.remove_prefix(1);
  std::array<int, 4> out{};
  size_t count = 0, i = 0;
  while (count < out.size() && i < name.size()) {
    if (name.substr(i, 4) == "post") i += 4;
    const size_t begin = i;
    while (i < name.size() && i - begin < 6 && name[i] >= '0' && name[i] <= '9')
      out[count] = out[count] * 10 + (name[i++] - '0');
    if (i == begin) break;
    ++count;
    if (i < name.size() && name[i] == '.') ++i;
  }
  if (count < 2) return std::nullopt;
  return out;
}

constexpr std::string_view kNames[kReleaseCount] = {"0.5.15.post1", "0.5.16", "0.5.17", "0.5.18"};
}  // namespace

std::string_view release_name(Release release) { return kNames[static_cast<int>(release)]; }

std::optional<Release> parse_release(std::string_view name) {
  if (!name.empty() && (name[0] == 'v' || name[0] == 'V')) name.remove_prefix(1);
  for (int i = 0; i < kReleaseCount; ++i)
    if (kNames[i] == name) return static_cast<Release>(i);
  return std::nullopt;
}

std::optional<Release> nearest_release(std::string_view version) {
  const auto wanted = numbers_of(version);
  if (!wanted) return std::nullopt;
  int found = 0;
  for (int i = 1; i < kReleaseCount; ++i)
    if (*numbers_of(kNames[i]) <= *wanted) found = i;
  return static_cast<Release>(found);
}

}  // namespace sglint
