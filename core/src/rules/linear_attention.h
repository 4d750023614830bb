#pragma once
// ServerArgs._handle_linear_attn_backend is one long method; its guards of ReplaySSM stand in files
// of their own. `decode` is the decode backend that the step has come to.

#include <string_view>

#include "base/rule.h"
#include "resolve/resolution.h"

namespace sglint {

// replayssm.cpp: --enable-linear-replayssm
void replayssm_guards(Resolution& r, std::string_view decode);
RuleList replayssm_rules();
extern const Rule kReplayRingEmpty;

// replayssm_spec.cpp: --enable-linear-replayssm-spec
void replayssm_spec_guards(Resolution& r, std::string_view decode);
RuleList replayssm_spec_rules();
extern const Rule kReplaySpecAndPlain;
// False if drafts form a tree, which it rejects. Both names of the flag have this guard.
bool needs_linear_chain(Resolution& r, std::string_view flag, const Fix& drop);

// gdn_replayssm_spec.cpp: --enable-gdn-replayssm-spec, 0.5.16's name of it
void gdn_replayssm_spec_guards(Resolution& r, std::string_view decode);
RuleList gdn_replayssm_spec_rules();

}  // namespace sglint
