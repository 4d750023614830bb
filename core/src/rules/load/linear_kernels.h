#pragma once
// Shared by the dispatchers of GDN and KDA (layers/attention/linear/*_backend.py).

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/rule.h"
#include "resolve/resolution.h"

namespace sglint {

// layers/attention/linear/utils.py: resolve_linear_attn_backends.
struct LinearBackends {
  std::string_view prefill, decode, verify;
};

// What runs in one phase: kept for the report as {"kernel", "because"} under
// linear_attn.<phase>_kernel.
void set_linear_kernel(Resolution& r, std::string_view phase, std::string_view kernel,
                       std::string because);

// Why a phase has the backend that it has: the flag that named it, or what a step said.
std::string linear_backend_reason(const Resolution& r, Key<std::optional<std::string_view>> phase);

// Enum members print with their class: "LinearAttnKernelBackend.PTX_KDA".
std::string backend_enum(std::string_view backend);

bool module_installed(Resolution& r,
                      std::string_view module);  // assumes it is not where nobody said

// The SSM state's type: mamba2_state_dtype (configs/mamba_utils.py).
std::string_view state_dtype(Resolution& r, const Value& config);

// measured_replay.cpp: what a self-test of the machine says to --enable-linear-replayssm.
// `value_heads` is the model's number of them.
void measured_replay(Resolution& r, std::string_view gate, const Value& config,
                     const Value& value_heads);
RuleList measured_replay_rules();

// One phase's kernel cannot be made. What the base flag asks for fails for every phase that it
// stands for: SGLang stops at the first, and one fix, Triton for all of them, helps.
void kernel_fails(Resolution& r, const Rule& rule, Key<std::optional<std::string_view>> phase,
                  std::initializer_list<Arg> args = {});

// gdn_kernels.cpp and kda_kernels.cpp
void gdn_kernels(Resolution& r, LinearBackends backends);
RuleList gdn_kernel_rules();
void kda_kernels(Resolution& r, LinearBackends backends);
RuleList kda_kernel_rules();

}  // namespace sglint
