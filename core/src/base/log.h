#pragma once

#include <string>
#include <string_view>

namespace sglint {

// A line that SGLang's logger prints while it resolves, in order.
enum class Level : unsigned char { debug, info, warning, error };

struct Log {
  Level level = Level::info;
  std::string message;
};

inline std::string_view level_name(Level level) {
  constexpr std::string_view kNames[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
  return kNames[static_cast<int>(level)];
}

}  // namespace sglint
