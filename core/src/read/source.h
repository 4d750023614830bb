#pragma once
// A stretch of text to read, of which every byte knows its place in what the user pasted.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "read/launch.h"

namespace sglint {

// Text after a layer of quoting was taken off, with the origin of each byte.
struct Decoded {
  std::string text;
  std::vector<Span> at;  // one per byte

  void add(char c, Span origin) {
    text += c;
    at.push_back(origin);
  }
  void add(std::string_view s, Span origin) {
    text += s;
    at.insert(at.end(), s.size(), origin);
  }
};

// A view: of the pasted text itself (base), or of a Decoded.
class Source {
 public:
  Source(std::string_view text, uint32_t base) : text_(text), base_(base) {}
  Source(const Decoded& decoded, uint16_t outer)
      : text_(decoded.text), at_(decoded.at.data()), outer_(outer), nested_(true) {}
  Source(std::string_view text, const Span* at, uint16_t outer)
      : text_(text), at_(at), outer_(outer), nested_(true) {}

  std::string_view text() const { return text_; }
  size_t size() const { return text_.size(); }
  char operator[](size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  bool nested() const { return nested_; }
  uint16_t outer() const { return outer_; }  // the layer that this text is wrapped in

  Span span(size_t begin, size_t end) const {
    if (!at_) return {base_ + static_cast<uint32_t>(begin), base_ + static_cast<uint32_t>(end)};
    if (text_.empty()) return {};
    if (begin >= text_.size()) return {at_[text_.size() - 1].end, at_[text_.size() - 1].end};
    if (end <= begin) return {at_[begin].begin, at_[begin].begin};
    return {at_[begin].begin, std::max(at_[begin].begin, at_[end - 1].end)};
  }
  // Appends these bytes and the origin of each.
  void copy(size_t begin, size_t end, std::string* text, std::vector<Span>* at) const {
    *text += text_.substr(begin, end - begin);
    if (at_) {
      at->insert(at->end(), at_ + begin, at_ + end);
      return;
    }
    for (size_t k = at->size(), i = (at->resize(k + end - begin), begin); i < end; ++i)
      (*at)[k++] = span(i, i + 1);
  }
  // The same place, of which a reader is shown other words.
  Source with(const Decoded& shown) const {
    Source out = *this;
    out.text_ = shown.text;
    out.at_ = shown.at.data();
    return out;
  }
  // The same with other characters in some places, byte for byte.
  Source with(std::string_view same_length) const {
    Source out = *this;
    out.text_ = same_length;
    return out;
  }
  Source part(size_t begin, size_t end) const {
    Source out = *this;
    out.text_ = text_.substr(begin, end - begin);
    if (at_)
      out.at_ = at_ + begin;
    else
      out.base_ = base_ + static_cast<uint32_t>(begin);
    return out;
  }

 private:
  std::string_view text_;
  uint32_t base_ = 0;
  const Span* at_ = nullptr;
  uint16_t outer_ = 0;
  bool nested_ = false;
};

// A word of a command in any form, before it is known what it means.
struct Word {
  std::string text;
  Span span;
  std::vector<Span> at;  // origin per byte; filled where the word may hold a command of its own
  uint16_t context = 0;  // the layer that separates it from its neighbours
  uint16_t inside = 0;   // the layer for what is written inside it
  // Where in the text an unknown value stands: it is not known whether it has spaces in it.
  std::vector<Span> holes;
  bool unknown = false;
  bool quoted = false;
};

}  // namespace sglint
