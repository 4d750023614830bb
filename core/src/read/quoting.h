#pragma once
// Words as each notation writes them.

#include <string>
#include <string_view>
#include <vector>

#include "read/launch.h"

namespace sglint {

std::string quote_shell(std::string_view word);  // 'a b'; bare where no quotes are needed
// A word with unresolved variables, so that a shell still expands them: $TP, "a b/$NAME".
std::string quote_expanding(std::string_view word);
std::string quote_powershell(std::string_view word);              // 'a b'
std::string quote_cmd(std::string_view word);                     // "a b"
std::string quote_json(std::string_view word);                    // "a b"
std::string quote_yaml(std::string_view word, bool string_only);  // plain where that stays a string

// The word as it must stand in the user's text in that context; `old` is the source it replaces, ""
// if it is new. Keeps the old quotes where they fit.
std::string encode(std::string_view word, const std::vector<Context>& contexts, uint16_t context,
                   std::string_view old);

}  // namespace sglint
