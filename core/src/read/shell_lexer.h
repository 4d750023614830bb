#pragma once
// POSIX shell (and bash's arrays): text -> words and operators.

#include <string>
#include <string_view>
#include <vector>

#include "read/reader.h"

namespace sglint {

// A part of a word that is treated alike.
struct ShellPiece {
  enum class Kind : uint8_t { text, escape, value, variable, unknown };
  Kind kind = Kind::text;
  bool quoted = false;
  uint32_t begin = 0, end = 0;  // in the source
  std::string value;            // value: what it stands for; variable: its name
  char op = 0;                  // variable: - = + ? of ${x:-y}, [ of ${x[@]}, 0
  uint32_t arg_begin = 0, arg_end = 0;
};

struct ShellWord {
  std::vector<ShellPiece> pieces;
  uint32_t begin = 0, end = 0;
  bool quoted = false;
};

struct ShellItem {
  enum class Kind : uint8_t { word, array, op, newline, heredoc, end };
  Kind kind = Kind::end;
  ShellWord word;                // of an array: its NAME= part
  std::vector<ShellWord> items;  // of an array
  std::string_view op;           // ; & && || | ( ) ;;
  uint32_t begin = 0, end = 0;
};

class ShellLexer {
 public:
  ShellLexer(Reader& reader, const Source& source) : reader_(reader), source_(source) {}

  // With `idle`, no command is begun: lines that cannot matter are passed over at once.
  // The item is filled anew; its storage stays.
  void next(ShellItem& item, bool idle = false);
  // After a newline: the next line that is neither blank nor a comment begins with a flag.
  bool flag_follows(size_t* at) const;
  size_t position() const { return i_; }
  // Pieces of a part of the source, for the word of ${x:-word}.
  ShellWord word_of(size_t begin, size_t end);
  uint32_t last_word_end() const { return last_word_end_; }
  bool body_pending() const { return !heredocs_.empty(); }

 private:
  struct Heredoc {
    std::string delimiter;
    bool strip_tabs = false;
  };

  bool blank(char c) const { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
  bool skip_blanks();  // and continuations; false at the end
  void skip_prompt();
  void skip_inert_lines();
  bool inert(std::string_view line) const;
  void skip_continuation();
  void redirection();
  void word(ShellWord& out, size_t limit, bool inside_default = false);
  bool backslash(ShellWord& out, size_t limit);
  void single_quoted(ShellWord& out, size_t limit);
  void double_quoted(ShellWord& out, size_t limit);
  void ansi_quoted(ShellWord& out, size_t limit);
  void dollar(ShellWord& out, size_t limit, bool quoted);
  ShellPiece& piece(ShellWord& out, ShellPiece::Kind kind, size_t begin, bool quoted = true);
  void heredoc_body(ShellItem& item);
  void array_items(ShellItem& item);
  void text(ShellWord& out, size_t begin, size_t end, bool quoted);
  size_t closing(size_t i, size_t limit, char open, char close) const;
  bool comment_to_end();
  bool apostrophe(const ShellWord& so_far, size_t limit) const;

  Reader& reader_;
  Source source_;
  size_t i_ = 0;
  bool line_start_ = true;
  uint32_t last_word_end_ = 0;
  std::vector<Heredoc> heredocs_;
  size_t sglang_ = 0, server_ = 0;  // the next mention of either from here on
  mutable size_t wasted_ = 0;       // bytes looked through for a closing bracket in vain
};

}  // namespace sglint
