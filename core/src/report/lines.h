#pragma once
// Where the lines of a text begin, so that a report with many findings stays linear.

#include <string_view>
#include <vector>

namespace sglint {

class Lines {
 public:
  explicit Lines(std::string_view text);
  std::string_view text() const { return text_; }
  // The line, from 1, that holds the byte; the last one for what is behind the end.
  size_t number(size_t offset) const;
  // The first line begins behind a byte order mark, which no editor counts.
  size_t begin(size_t number) const { return begins_[number - 1]; }
  std::string_view line(size_t number) const;  // without its line feed

 private:
  std::string_view text_;
  std::vector<size_t> begins_;
};

}  // namespace sglint
