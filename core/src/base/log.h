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
  switch (level) {
    case Level::debug: return "DEBUG";
    case Level::info: return "INFO";
    case Level::warning: return "WARNING";
    case Level::error: return "ERROR";
  }
  return "";
}

}  // namespace sglint
