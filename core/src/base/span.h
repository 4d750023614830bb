#pragma once

#include <cstdint>
#include <string>

namespace sglint {

// A half-open range of byte offsets in the user's text (the wasm package turns them to UTF-16).
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool empty() const { return begin == end; }
  friend bool operator==(Span a, Span b) { return a.begin == b.begin && a.end == b.end; }
};

// Replaces the bytes of `span` by `text`. An insertion has an empty span.
struct TextEdit {
  Span span;
  std::string text;
};

}  // namespace sglint
