#include "base/release.h"

namespace sglint {
namespace {
constexpr std::string_view kNames[kReleaseCount] = {"0.5.15.post1", "0.5.16", "0.5.17", "0.5.18"};
}

std::string_view release_name(Release release) { return kNames[static_cast<int>(release)]; }

std::optional<Release> parse_release(std::string_view name) {
  if (!name.empty() && (name[0] == 'v' || name[0] == 'V')) name.remove_prefix(1);
  for (int i = 0; i < kReleaseCount; ++i)
    if (kNames[i] == name) return static_cast<Release>(i);
  return std::nullopt;
}

}  // namespace sglint
