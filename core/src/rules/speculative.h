#pragma once
// Parts of handle_speculative_decoding (arg_groups/speculative_hook.py), one file an algorithm.

#include "resolve/resolution.h"

namespace sglint {

// SpeculativeAlgorithm.handle_server_args, by algorithm.
void speculative_eagle_family(Resolution& r);  // EAGLE, EAGLE3, STANDALONE
void speculative_frozen_kv_mtp(Resolution& r);
void speculative_ngram(Resolution& r);
void speculative_dflash(Resolution& r);
void speculative_dspark(Resolution& r);

// --speculative-adaptive: _maybe_disable_adaptive and _init_adaptive_speculative_params.
void speculative_adaptive(Resolution& r);
// max(candidate_steps) + 1 where --speculative-adaptive is on, else speculative_num_draft_tokens
// (ServerArgs.max_speculative_num_draft_tokens); nullopt without speculative decoding.
std::optional<int64_t> max_speculative_num_draft_tokens(const Resolution& r);

// read_ragged_verify_mode: "static", "cap-accept", "compact"; rejects anything else.
std::string_view ragged_verify_mode(Resolution& r);

// What several algorithms do alike.
void default_speculative_running_requests(Resolution& r);
void disable_mixed_chunk_for(Resolution& r, std::string_view algorithm);
void disable_overlap_schedule_for_cpu(Resolution& r);
// num_steps and eagle_topk do not exist for DFLASH and DSpark; both are made 1.
void force_single_chain(Resolution& r, std::string_view algorithm);

}  // namespace sglint
