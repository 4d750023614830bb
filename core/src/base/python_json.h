#pragma once
// What Python's json.loads says of text that is not JSON. SGLang lets these errors through.

#include <string>
#include <string_view>

namespace sglint {

// The text of json.JSONDecodeError ("Expecting value: line 1 column 1 (char 0)"); "" if Python
// reads it.
std::string python_json_error(std::string_view text);

}  // namespace sglint
