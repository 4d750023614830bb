#pragma once
// JSON text <-> Value, on RapidJSON.

#include <optional>
#include <string>
#include <string_view>

#include "base/value.h"

namespace sglint {

struct JsonError {
  size_t offset = 0;  // byte offset in the text
  std::string what;   // one sentence, without a place
};

// Strict JSON plus Python's NaN, Infinity and -Infinity. Of duplicate keys the last one counts.
// Nesting deeper than 200 is refused. On failure returns nullopt and fills `error` if given.
std::optional<Value> parse_json(std::string_view text, JsonError* error = nullptr);

// Compact, one line, keys in order, non-ASCII text kept as UTF-8, invalid UTF-8 as U+FFFD,
// numbers that JSON lacks as Python's "nan", "inf", "-inf".
std::string to_json(const Value& v);
void append_json(std::string& out, const Value& v);
void append_json(std::string& out, std::string_view s);

}  // namespace sglint
