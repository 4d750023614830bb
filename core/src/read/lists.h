#pragma once
// Lists of strings as JSON and Python write them.

#include "read/reader.h"

namespace sglint {

// A string literal of JSON or Python in a source.
struct Literal {
  size_t begin = 0, end = 0;  // with prefix and quotes
  size_t inner = 0, inner_end = 0;
  char quote = 0;
  bool triple = false, raw = false, format = false;
};

// The literal that begins at i; false if there is none or it is not closed.
bool literal_at(std::string_view s, size_t i, Literal* out);
Decoded decode_literal(const Source& source, const Literal& literal);

// The items of the list that begins at `[` (or `(`) at `begin`. Items that are no literals, such as
// names and calls, are unknown. `end` is behind the closing bracket. False if it is not a list.
bool list_items(Reader& reader, const Source& source, size_t begin, Writing writing,
                std::vector<Word>* out, size_t* end);

// Engine(tp_size=2): the flag of a keyword, and back (python_call.cpp).
std::string call_flag(std::string_view keyword);
std::string call_keyword(std::string_view flag);

}  // namespace sglint
