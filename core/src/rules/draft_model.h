#pragma once
// The draft model of speculative decoding: what SGLang reads from its config.json while it
// resolves.

#include <cstdint>
#include <optional>
#include <string>

#include "resolve/resolution.h"

namespace sglint {

// get_config(speculative_draft_model_path, …): nullopt where nobody has told us that model's
// config.json (SGLang would have it, or fail to find the model); then an assumption is recorded.
// `with_overrides`: with --json-model-override-args laid over it, as DFLASH and DSpark read it.
std::optional<Value> draft_model_config(Resolution& r, bool with_overrides);

// What parse_dflash_draft_config and parse_dspark_draft_config find: the size, or why they raise.
// SGLang catches that and puts it in a log line.
struct DraftBlock {
  std::optional<int64_t> size;
  std::string error;
};
DraftBlock dflash_block_size(const Value& config, Release release);
DraftBlock dspark_gamma(const Value& config, Release release);

// checkpoint_bundles_dspark_draft: the target's own config.json describes a draft head.
bool bundles_dspark_draft(const Value& target_config);

}  // namespace sglint
