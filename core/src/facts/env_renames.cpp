#include "facts/env_renames.h"

namespace sglint {
namespace {

using Forward = RenamedVariable::Forward;

constexpr RenamedVariable kRenamed[] = {
    {"SGLANG_GC_LOG", "SGLANG_LOG_GC", Forward::as_is, {}},
    {"SGLANG_CUTEDSL_MOE_NVFP4_DISPATCH", "SGLANG_MOE_NVFP4_DISPATCH", Forward::as_is, {}},
    // Forwarded as it is although the meaning is the opposite.
    {"SGL_DISABLE_TP_MEMORY_INBALANCE_CHECK",
     "SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK",
     Forward::as_is,
     {Release::v0_5_15_post1, Release::v0_5_17}},
    {"SGLANG_ENABLE_THINKING", "SGLANG_DEFAULT_THINKING", Forward::as_is, {}},
    {"SGLANG_REASONING_EFFORT", "SGLANG_DSV4_REASONING_EFFORT", Forward::as_is, {}},
    {"SGLANG_USE_JIT_ALL_REDUCE", "SGLANG_OPT_USE_CUSTOM_ALL_REDUCE_V2", Forward::as_is, {}},
    {"SGLANG_DISABLE_TP_MEMORY_INBALANCE_CHECK",
     "SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK",
     Forward::inverted,
     {Release::v0_5_18, Release::v0_5_18}},
    {"SGLANG_QUEUED_TIMEOUT_MS", "SGLANG_REQ_WAITING_TIMEOUT", Forward::ms_to_s, {}},
    {"SGLANG_FORWARD_TIMEOUT_MS", "SGLANG_REQ_RUNNING_TIMEOUT", Forward::ms_to_s, {}},
};

}  // namespace

std::span<const RenamedVariable> renamed_variables() { return kRenamed; }

}  // namespace sglint
