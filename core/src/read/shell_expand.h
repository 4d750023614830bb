#pragma once
// Words of a shell line -> what the program gets, with the variables that the same paste defines.

#include <vector>

#include "read/shell_lexer.h"

namespace sglint {

// Appends the words that `word` expands to: none, one, or several.
void expand(Reader& reader, ShellLexer& lexer, const Source& source, const ShellWord& word,
            const ShellState& state, std::vector<Word>& out);

// The value of NAME=value from byte `skip` of the word on, as one word without field splitting.
Word expand_value(Reader& reader, ShellLexer& lexer, const Source& source, const ShellWord& word,
                  size_t skip, const ShellState& state);

// The unknown parts of a word whose text is about to be put behind another's.
void add_holes(const Word& from, Word* to);

}  // namespace sglint
