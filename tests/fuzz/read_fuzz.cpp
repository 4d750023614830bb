// libFuzzer: no text makes the reader crash, hang or give a span outside the text.
//   cmake --preset fuzz … (clang 14); run: read_fuzz -max_len=4096 CORPUS
#include <cstdlib>
#include <string_view>

#include "read/edit_source.h"
#include "read/launch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const sglint::ReadResult result = sglint::read(text);
  for (const sglint::Launch& launch : result.launches) {
    for (const sglint::Token& token : launch.argv)
      if (token.span.begin > token.span.end || token.span.end > size) abort();
    // Without its last argument the launch is edited in place, or the edit is refused.
    std::vector<sglint::Token> after = launch.argv;
    if (!after.empty()) after.pop_back();
    const auto edits = sglint::edit_source(text, launch, after, {{"A", "1"}});
    if (!edits) continue;
    uint32_t end = 0;
    for (const sglint::TextEdit& edit : *edits) {
      if (edit.span.begin < end || edit.span.end > size || edit.span.begin > edit.span.end) abort();
      end = edit.span.end;
    }
  }
  for (const sglint::ReadFinding& finding : result.findings)
    if (finding.span.begin > finding.span.end || finding.span.end > size) abort();
  return 0;
}
