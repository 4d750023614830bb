#pragma once
// What fails only after the weights are loaded, and what really runs. It looks at a launch that
// argument resolution has accepted, and adds findings (Resolution::note); SGLang would stop at the
// first of them.

#include "base/rule.h"
#include "resolve/resolution.h"

namespace sglint {

// What Triton's compiler says of fp8_e4m3 on a GPU before Ada.
inline constexpr std::string_view kTritonHasNoFp8e4nv =
    "type fp8e4nv not supported in this architecture. The supported fp8 dtypes are "
    "('fp8e4b15', 'fp8e5')";

void load_stage(Resolution& r);
RuleList load_rules();

// attention_kernels.cpp
void attention_kernels_load(Resolution& r);
RuleList attention_kernels_rules();

// choices.cpp
void effective_choices(Resolution& r);
RuleList effective_choices_rules();

// linear_attention_kernels.cpp, with gdn_kernels.cpp and kda_kernels.cpp
void linear_attention_load(Resolution& r);
RuleList linear_attention_load_rules();

}  // namespace sglint
