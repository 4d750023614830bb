// The whole interface to JavaScript: one call with text in and text out. The answer is a view of a kept
// buffer, which the package decodes at once: a returned std::string costs tens of microseconds.
#include <emscripten/bind.h>

#include <string>

#include "sglint/sglint.h"

namespace {

std::string answer;  // of the last call; valid until the next

emscripten::val call(const std::string& function, const std::string& input) {
  if (function == "check") {
    answer = sglint::check_json(input);
  } else if (function == "matrix") {
    answer = sglint::matrix_json(input);
  } else if (function == "upgrade") {
    answer = sglint::upgrade_json(input);
  } else if (function == "batch") {
    answer = sglint::check_batch_line(input);
  } else if (function == "explain") {
    answer = sglint::explain(input);
  } else if (function == "rules") {
    answer = sglint::rules_json();
  } else if (function == "catalogue") {
    answer = sglint::catalogue_json();
  } else {
    answer.clear();
  }
  return emscripten::val(emscripten::typed_memory_view(answer.size(), reinterpret_cast<const unsigned char*>(answer.data())));
}

}  // namespace

EMSCRIPTEN_BINDINGS(sglint) {
  emscripten::function("call", &call);
}
