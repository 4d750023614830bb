#pragma once
// Where a text holds what no output may show.

#include <string_view>
#include <vector>

#include "base/span.h"

namespace sglint {

// Whether the flag, "--name" or "--name=value", takes a secret; also where it is cut short or
// unknown.
bool is_secret_flag(std::string_view word);

// Values of names such as HF_TOKEN, --api-key or "token", passwords in URLs, bearer tokens, and
// words that are tokens by their look. In order, without overlap; linear in the text.
std::vector<Span> secrets_in(std::string_view text);

}  // namespace sglint
