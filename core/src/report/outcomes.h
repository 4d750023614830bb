#pragma once
// How a run ended, in the report's words.

#include <string>
#include <string_view>
#include <vector>

#include "resolve/resolution.h"
#include "sglint/sglint.h"

namespace sglint {

struct Ending {
  Outcome outcome = Outcome::ok;
  const Rule* rule = nullptr;
  std::string type, message;  // "" where nothing stopped
};

// `r` is null where the arguments were refused.
Ending stop_of(const Arguments& arguments, const Resolution* r);

std::string_view outcome_name(Outcome outcome);  // "usage_error"

// Integers beyond 64 bits are held at the bound; Python prints them whole.
void write_exactly(std::string& s, const std::vector<Token>& argv);

// The request as a value; on failure returns nullopt and says why.
std::optional<Value> parse_request(std::string_view json, std::string* why);

}  // namespace sglint
