// Strings of a report as a terminal may show them.
#include "report/text_parts.h"

namespace sglint {

std::string visible(std::string_view s) {
  std::string out;
  for (size_t i = 0; i < s.size();) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (c < 0x20 && c != '\n' && c != '\t') {
      out += "\xE2\x90";  // ␀ ␁ ␂…
      out += static_cast<char>(0x80 + c);
      ++i;
      continue;
    }
    if (c == 0x7F) {
      out += "\xE2\x90\xA1";
      ++i;
      continue;
    }
    size_t n = c < 0x80 ? 1 : c < 0xC2 || c >= 0xF5 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    bool good = n > 0 && i + n <= s.size();
    for (size_t k = 1; good && k < n; ++k)
      good = (static_cast<unsigned char>(s[i + k]) & 0xC0) == 0x80;
    if (!good) n = 1;
    const std::string_view letter = s.substr(i, n);
    const bool turns = (letter >= "\xE2\x80\xAA" && letter <= "\xE2\x80\xAE") ||
                       (letter >= "\xE2\x81\xA6" && letter <= "\xE2\x81\xA9");
    const bool control = c == 0xC2 && n == 2 && static_cast<unsigned char>(s[i + 1]) < 0xA0;
    out += good && !turns && !control ? letter : std::string_view("\xEF\xBF\xBD");
    i += n;
  }
  return out;
}

std::string cut(std::string s, size_t most) {
  if (s.size() <= most) return s;
  while (most > 0 && (s[most] & 0xC0) == 0x80) --most;
  s.resize(most);
  return s + "…";
}

std::string shortened(std::string s) {
  constexpr size_t kMost = 2000;
  const size_t all = s.size();
  s = cut(std::move(s), kMost);
  return all <= kMost ? s : s + fill(" ({} bytes)", {all});
}

std::string whole_command(const std::string& command) {
  return command.size() <= 8000
             ? command
             : fill("({} bytes, too long to show; --format json has it)", {command.size()});
}

}  // namespace sglint
