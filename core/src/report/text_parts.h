#pragma once
// What the reports for people share.

#include <string>
#include <string_view>

#include "base/text.h"
#include "report/lines.h"
#include "sglint/sglint.h"

namespace sglint {

class Painter {
 public:
  explicit Painter(bool color) : color_(color) {}
  std::string red(std::string_view s) const { return paint("31;1", s); }
  std::string yellow(std::string_view s) const { return paint("33;1", s); }
  std::string green(std::string_view s) const { return paint("32;1", s); }
  std::string cyan(std::string_view s) const { return paint("36", s); }
  std::string bold(std::string_view s) const { return paint("1", s); }
  std::string dim(std::string_view s) const { return paint("2", s); }

 private:
  std::string paint(const char* code, std::string_view s) const {
    return color_ ? fill("\x1b[{}m{}\x1b[0m", {code, s}) : std::string(s);
  }
  bool color_;
};

inline constexpr size_t kWidth = 100;

// Wraps at spaces and at line breaks; continuation lines start with `indent` spaces.
std::string wrap(std::string_view text, size_t indent);

// What a terminal would obey is shown instead: escape sequences, line breaks within a line, marks
// that turn the direction of writing, bytes that are no UTF-8.
std::string visible(std::string_view s);

// What is longer than `most` bytes ends with …, within no letter.
std::string cut(std::string s, size_t most);

// A message may repeat a whole argument list.
std::string shortened(std::string s);

// The columns of a terminal that a visible text takes.
size_t columns(std::string_view s);

// A command to copy: whole, or where it can be had.
std::string whole_command(const std::string& command);

// A finding with its excerpts, reason and fixes; `message` in place of its own.
void append_finding(std::string& out, const Diagnostic& d, const std::string& message,
                    const Lines& source, const TextStyle& style, const Painter& paint);

// excerpt.cpp: the line of the span with carets under it, by the columns of a terminal; long lines
// are cut around the span. The column in line:column counts letters (code points) from 1.
void append_excerpt(std::string& out, const Lines& lines, SourceSpan span, const TextStyle& style,
                    const Painter& paint);
// The lines that the edits change, before and after.
void append_diff(std::string& out, const Lines& lines, const std::vector<SourceEdit>& edits,
                 const Painter& paint);

}  // namespace sglint
