#pragma once
// The SGLang releases that the checker knows.

#include <cstdint>
#include <optional>
#include <string_view>

namespace sglint {

// In order of publication, so that `r.release() >= Release::v0_5_17` reads as in a changelog.
enum class Release : uint8_t { v0_5_15_post1, v0_5_16, v0_5_17, v0_5_18 };
inline constexpr int kReleaseCount = 4;
inline constexpr Release kReferenceRelease = Release::v0_5_18;

std::string_view release_name(Release release);  // "0.5.18"

// "0.5.18", "v0.5.18"; nullopt for anything that is not a known release.
std::optional<Release> parse_release(std::string_view name);

// For a version that is none of them, such as "v0.5.17.post2" or "0.4.9": the last known one before
// it, the first known one if all are later. nullopt if it is no version.
std::optional<Release> nearest_release(std::string_view version);

// What `Make` gives for a release, made when it is first asked for and kept.
template <auto Make, int R>
const auto& made_once() {
  static const auto kMade = Make(static_cast<Release>(R));
  return kMade;
}
template <auto Make>
const auto& of_release(Release release) {
  static_assert(kReleaseCount == 4);
  switch (static_cast<int>(release)) {
    case 0:
      return made_once<Make, 0>();
    case 1:
      return made_once<Make, 1>();
    case 2:
      return made_once<Make, 2>();
    default:
      return made_once<Make, 3>();
  }
}

struct ReleaseRange {
  Release since = Release::v0_5_15_post1;
  Release until = kReferenceRelease;  // inclusive
  constexpr bool contains(Release r) const { return since <= r && r <= until; }
};

}  // namespace sglint
