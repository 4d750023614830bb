// The page size where nothing has asked for one yet: ServerArgs._handle_page_size.

#include "base/text.h"
#include "rules/steps.h"

namespace sglint {

void page_size(Resolution& r) {
  if (!r.view_value(f::page_size).is_none()) return;
  if (is_hip(r.machine()) &&
      lower(r.env().get("SGLANG_AITER_KV_CACHE_LAYOUT").as_str()) == "vectorized_5d") {
    r.info("Setting page_size=64 as default for SGLANG_AITER_KV_CACHE_LAYOUT=vectorized_5d.");
    r.declare(f::page_size, 64, "AITER's vectorized KV layout is made for pages of 64 tokens.");
  } else if (is_musa(r.machine())) {
    r.declare(f::page_size, 64, "The default on Moore Threads GPUs.");
  } else {
    r.declare(f::page_size, 1, "The default: no backend asked for larger pages.");
  }
}

RuleList page_size_rules() { return {}; }

}  // namespace sglint
