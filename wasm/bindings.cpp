// The whole interface to JavaScript: one call with text in and text out. The answer is a view of a
// kept buffer, which the package decodes at once: a returned std::string costs tens of
// microseconds.
#include <emscripten/bind.h>

#include <string>
#include <string_view>

#include "sglint/sglint.h"

namespace {

std::string answer;  // of the last call; valid until the next

// By name, and not one after the other in `call`, where all of them would be compiled before the
// first.
struct Function {
  std::string_view name;
  std::string (*run)(std::string_view input);
};
constexpr Function kFunctions[] = {
    {"check", sglint::check_json},
    {"matrix", sglint::matrix_json},
    {"upgrade", sglint::upgrade_json},
    {"batch", sglint::check_batch_line},
    {"explain", sglint::explain},
    {"rules", [](std::string_view) { return sglint::rules_json(); }},
    {"catalogue", [](std::string_view) { return sglint::catalogue_json(); }},
};

emscripten::val call(const std::string& function, const std::string& input) {
  answer.clear();
  for (const Function& f : kFunctions)
    if (f.name == function) answer = f.run(input);
  return emscripten::val(emscripten::typed_memory_view(
      answer.size(), reinterpret_cast<const unsigned char*>(answer.data())));
}

}  // namespace

EMSCRIPTEN_BINDINGS(sglint) { emscripten::function("call", &call); }
