#pragma once
// Python's own readings of text: what str.strip(), int() and float() accept.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/value.h"

namespace sglint {

// type(v).__name__
std::string_view python_type(const Value& v);

// str.strip(): takes Unicode white space off both ends, no-break spaces included.
std::string_view python_strip(std::string_view s);

// int(s) in base 10: white space around, a sign, single underscores between digits. Numbers that do
// not fit are the nearest that does.
std::optional<int64_t> python_int(std::string_view s);

// float(s): also inf, infinity and nan in any case.
std::optional<double> python_float(std::string_view s);

// Takes "79.65" of "79.65 GiB" off the front; nullopt, and nothing taken, where none is.
std::optional<double> leading_number(std::string_view& s);

// json.loads(s): the value, or the text of the JSONDecodeError in `error`.
std::optional<Value> python_json_loads(std::string_view s, std::string* error);

// json.dumps(v) with its defaults: ", " and ": " between, non-ASCII escaped.
std::string python_json_dumps(const Value& v);

}  // namespace sglint
