// libFuzzer: no text makes the reader or the argument parser crash, hang or point outside the text.
//   cmake --preset fuzz && cmake --build --preset fuzz
//   python3 tests/fuzz/seeds.py build/fuzz/seeds
//   build/fuzz/tests/fuzz/read_fuzz -max_len=4096 -timeout=5 build/fuzz/seeds
#include <cstdlib>
#include <string_view>

#include "arguments/arguments.h"
#include "read/edit_source.h"
#include "read/launch.h"
#include "read/secrets.h"

namespace {

void expect(bool sound) {
  if (!sound) abort();
}

bool inside(sglint::Span span, size_t size) { return span.begin <= span.end && span.end <= size; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const sglint::ReadResult result = sglint::read(text);
  for (const sglint::Launch& launch : result.launches) {
    expect(inside(launch.span, size));
    for (const sglint::Token& token : launch.argv) expect(inside(token.span, size));
    for (const sglint::EnvSetting& e : launch.env) {
      expect(inside(e.span, size));
      expect(inside(e.value_span, size));
      expect(inside(e.removal, size));
    }
    // The text itself stands for a --config file.
    const sglint::Arguments arguments = sglint::parse_arguments(
        sglint::kReferenceRelease, launch.argv, {{"a.yaml", std::string(text)}});
    if (arguments.error) expect(arguments.error->token < static_cast<int>(launch.argv.size()));
    // Without its last argument the launch is edited in place, or the edit is refused.
    std::vector<sglint::Token> after = launch.argv;
    if (!after.empty()) after.pop_back();
    const auto edits = sglint::edit_source(text, launch, after, {{"A", "1"}});
    if (!edits) continue;
    uint32_t end = 0;
    for (const sglint::TextEdit& edit : *edits) {
      expect(inside(edit.span, size) && edit.span.begin >= end);
      end = edit.span.end;
    }
  }
  for (const sglint::ReadFinding& finding : result.findings) expect(inside(finding.span, size));
  uint32_t end = 0;
  for (const sglint::Span& span : sglint::secrets_in(text)) {
    expect(inside(span, size) && span.begin >= end);
    end = span.end;
  }
  return 0;
}
