#include "base/python_json.h"

#include "base/text.h"

namespace sglint {
namespace {

// Follows CPython's scanner (Modules/_json.c): the same places, the same words.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool document() {
    space();
    if (!value()) return false;
    space();
    return at_ == text_.size() || fail("Extra data", at_);
  }

  std::string error() const {
    if (!what_) return {};
    int64_t line = 1, column = 1, characters = 0;
    for (size_t i = 0; i < where_ && i < text_.size(); ++i) {
      if ((static_cast<unsigned char>(text_[i]) & 0xC0) == 0x80)
        continue;  // inside a UTF-8 sequence
      ++characters;
      ++column;
      if (text_[i] == '\n') {
        ++line;
        column = 1;
      }
    }
    return fill("{}: line {} column {} (char {})", {what_, line, column, characters});
  }

 private:
  static constexpr int kDeepest =
      900;  // far more than any sane text; Python gives up at about 1000

  bool fail(const char* what, size_t where) {
    if (!what_) {
      what_ = what;
      where_ = where;
    }
    return false;
  }
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool digit() const { return here() >= '0' && here() <= '9'; }
  void space() {
    while (at_ < text_.size() &&
           (here() == ' ' || here() == '\t' || here() == '\n' || here() == '\r'))
      ++at_;
  }
  bool word(std::string_view w) {
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }

  bool number() {
    const size_t start = at_;
    if (here() == '-') ++at_;
    if (!digit()) {
      at_ = start;
      return false;
    }
    if (here() == '0') {
      ++at_;
    } else {
      while (digit()) ++at_;
    }
    const size_t whole = at_;
    if (here() == '.') {
      ++at_;
      if (!digit()) {
        at_ = whole;
        return true;
      }
      while (digit()) ++at_;
    }
    const size_t fraction = at_;
    if (here() == 'e' || here() == 'E') {
      ++at_;
      if (here() == '+' || here() == '-') ++at_;
      if (!digit()) at_ = fraction;
      while (digit()) ++at_;
    }
    return true;
  }

  bool string() {
    const size_t begin = at_++;
    for (;;) {
      if (at_ >= text_.size()) return fail("Unterminated string starting at", begin);
      const unsigned char c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c < 0x20) return fail("Invalid control character at", at_);
      ++at_;
      if (c != '\\') continue;
      if (at_ >= text_.size()) return fail("Unterminated string starting at", begin);
      const char escape = text_[at_++];
      if (escape == 'u') {
        for (int i = 0; i < 4; ++i, ++at_) {
          const char h = here();
          const bool hex =
              (h >= '0' && h <= '9') || (h >= 'a' && h <= 'f') || (h >= 'A' && h <= 'F');
          if (!hex) return fail("Invalid \\uXXXX escape", at_ - static_cast<size_t>(i));
        }
      } else if (std::string_view("\"\\/bfnrt").find(escape) == std::string_view::npos) {
        return fail("Invalid \\escape", at_ - 2);
      }
    }
  }

  bool container(char close) {
    const bool object = close == '}';
    ++at_;
    space();
    if (here() == close && at_ < text_.size()) {
      ++at_;
      return true;
    }
    for (;;) {
      if (object) {
        if (here() != '"') return fail("Expecting property name enclosed in double quotes", at_);
        if (!string()) return false;
        space();
        if (here() != ':') return fail("Expecting ':' delimiter", at_);
        ++at_;
        space();
      }
      if (!value()) return false;
      space();
      if (at_ < text_.size() && here() == close) {
        ++at_;
        return true;
      }
      if (here() != ',') return fail("Expecting ',' delimiter", at_);
      ++at_;
      space();
    }
  }

  bool value() {
    if (++depth_ > kDeepest) return true;
    const bool ok = plain_value();
    --depth_;
    return ok;
  }
  bool plain_value() {
    switch (here()) {
      case '"':
        return string();
      case '{':
        return container('}');
      case '[':
        return container(']');
      default:
        break;
    }
    for (std::string_view w : {"null", "true", "false", "NaN", "Infinity", "-Infinity"})
      if (word(w)) return true;
    return number() || fail("Expecting value", at_);
  }

  std::string_view text_;
  size_t at_ = 0;
  const char* what_ = nullptr;
  size_t where_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string python_json_error(std::string_view text) {
  Scanner scanner(text);
  scanner.document();
  return scanner.error();
}

}  // namespace sglint
