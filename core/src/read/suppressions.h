#pragma once
// `# sglint: ignore RULE[, RULE] reason`: comments of the user's text that speak to the checker.

#include <string>
#include <string_view>
#include <vector>

#include "base/span.h"

namespace sglint {

struct Suppression {
  struct Named {
    std::string rule;
    Span span;
  };
  std::vector<Named> rules;
  std::string reason;
  Span span;     // from the # to the end of the line
  Span removal;  // what to delete to be rid of it
  Span covers;   // the line that it speaks of, and the lines below that are indented more
};

// In whatever form the text is: a comment begins with # in all that have comments.
std::vector<Suppression> find_suppressions(std::string_view text);

}  // namespace sglint
