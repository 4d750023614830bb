#include "report/lines.h"

#include <algorithm>

namespace sglint {

Lines::Lines(std::string_view text)
    : text_(text), begins_{text.substr(0, 3) == "\xEF\xBB\xBF" ? 3u : 0u} {
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') begins_.push_back(i + 1);
}

size_t Lines::number(size_t offset) const {
  const auto next =
      std::upper_bound(begins_.begin(), begins_.end(), std::min(offset, text_.size()));
  return std::max<size_t>(static_cast<size_t>(next - begins_.begin()), 1);
}

std::string_view Lines::line(size_t number) const {
  const size_t first = begin(number);
  const size_t end = number < begins_.size() ? begins_[number] - 1 : text_.size();
  return text_.substr(first, end - first);
}

}  // namespace sglint
