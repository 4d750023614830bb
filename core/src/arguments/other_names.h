#pragma once
// Names that flags and values have or had elsewhere: in other releases of SGLang and in other
// servers.

#include <span>
#include <string_view>

namespace sglint {

// What to write for a name that this release does not know. `here` is a flag that takes the same
// value, a flag with its value ("--disable-cuda-graph", "--chunked-prefill-size=-1"), or empty
// where SGLang needs nothing or has nothing.
struct OtherName {
  std::string_view there;
  std::string_view here;
};

std::span<const OtherName> renamed_flags();       // within SGLang, both ways
std::span<const OtherName> other_server_flags();  // vLLM, TensorRT-LLM, TGI

struct OtherValue {
  std::string_view field;  // "tool_call_parser"
  std::string_view there, here;
};
std::span<const OtherValue> other_server_values();

}  // namespace sglint
