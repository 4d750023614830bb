#pragma once
// Generated tables are text: one row a line, cells between tabs, empty cells at the end left out.
// Text compresses several times better than arrays of structs with their pointers, and the tables
// are a large part of the WebAssembly file.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/value.h"

namespace sglint {

// Takes the part of `rest` before `separator`, and the separator, off its front.
std::string_view take_until(std::string_view& rest, char separator);

int64_t cell_number(std::string_view cell);  // decimal; "" is 0

// The words of a cell, between blanks, read as one goes: a table of hundreds of cells allocates
// nothing.
class Words {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::string_view*;
    using reference = std::string_view;
    explicit Iterator(const char* at, const char* end) : at_(at), end_(end) {}
    std::string_view operator*() const { return first_word(at_, end_); }
    Iterator& operator++() {
      at_ += first_word(at_, end_).size();
      at_ += at_ != end_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const char* at_;
    const char* end_;
  };

  Words(std::string_view cell = {}) : cell_(cell) {}  // NOLINT(google-explicit-constructor)
  bool empty() const { return cell_.empty(); }
  std::string_view front() const { return *begin(); }
  Iterator begin() const { return Iterator(cell_.data(), cell_.data() + cell_.size()); }
  Iterator end() const {
    return Iterator(cell_.data() + cell_.size(), cell_.data() + cell_.size());
  }

 private:
  static std::string_view first_word(const char* at, const char* end);
  std::string_view cell_;
};

// Rows that are sorted by their first cell, where every cell's characters come after the
// separators. Only the places of the rows are kept.
class SortedRows {
 public:
  explicit SortedRows(std::string_view rows);
  // The rest from the first row on whose first cell is not before `key`.
  std::string_view from(std::string_view key) const;

 private:
  std::string_view rows_;
  std::vector<uint32_t> starts_;
};

// A constant: "" None, "t", "f", "i-1", "r0.5", "sauto", "j[]" (JSON).
Value cell_value(std::string_view cell);

}  // namespace sglint
