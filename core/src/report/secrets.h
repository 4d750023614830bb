#pragma once
// Values that no output may show: API keys, tokens, passwords.

#include <string>
#include <string_view>
#include <vector>

#include "read/launch.h"
#include "sglint/sglint.h"

namespace sglint {

// What the text and its launches hold of them: what the reader marked, what names or looks say, and
// the value of any flag, however misspelt, whose name speaks of a key, token, secret or password.
std::vector<std::string> secrets_of(std::string_view text, const std::vector<Launch>& launches);

// Where they stand in the text, in order, so that a caller can leave them out of what it passes on.
std::vector<SourceSpan> secret_spans(std::string_view text, const std::vector<Launch>& launches,
                                     const std::vector<std::string>& secrets);

void hide_secrets(std::string& s, const std::vector<std::string>& secrets);

// Every string of the report with the secrets replaced by ***.
void hide_secrets(Report& report);

// The text with stars over the spans, or over what the secrets and names tell, so that offsets
// stay.
std::string masked(std::string_view text, const std::vector<SourceSpan>& spans);
std::string masked(std::string_view text, const std::vector<std::string>& secrets);

}  // namespace sglint
