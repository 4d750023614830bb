#pragma once
// Values that no output may show: API keys, tokens, passwords.

#include <string>
#include <string_view>
#include <vector>

#include "read/launch.h"
#include "sglint/sglint.h"

namespace sglint {

// What the launches hold of them: words and variables that the reader marked, and the value of any
// flag, however misspelt, whose name speaks of a key, token, secret or password.
std::vector<std::string> secrets_of(const std::vector<Launch>& launches);

// Where they stand in the text, in order, so that a caller can leave them out of what it passes on.
std::vector<SourceSpan> secret_spans(std::string_view text, const std::vector<Launch>& launches,
                                     const std::vector<std::string>& secrets);

void hide_secrets(std::string& s, const std::vector<std::string>& secrets);

// Every string of the report with the secrets replaced by ***.
void hide_secrets(Report& report);

// The text with each secret overwritten by stars of the same length, so that offsets stay.
std::string masked(std::string_view text, const std::vector<std::string>& secrets);

}  // namespace sglint
