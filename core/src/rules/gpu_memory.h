#pragma once
// How much memory a launch finds, and what SGLang sets aside of it.

#include <optional>

#include "resolve/resolution.h"

namespace sglint {

// get_device_memory_capacity(self.device), in MiB; nullopt where SGLang gets None.
std::optional<double> device_memory_capacity(const Resolution& r);
// get_npu_memory_capacity(); nullopt where torch_npu is missing.
std::optional<double> npu_memory_capacity(const Resolution& r);

// ServerArgs.max_prefill_buffer_tokens
int64_t max_prefill_buffer_tokens(const Resolution& r);

}  // namespace sglint
