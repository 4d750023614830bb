// The self-test of all visible GPUs of this host at once: one process each, so that a GPU that
// faults or hangs stops neither the others nor the caller.
#pragma once

#include <functional>
#include <string>

namespace sglint::gpu {

struct FleetAnswer {
  int status;  // SGLINT_GPU_OK, …
  std::string json;
};

// Request, all optional: {"mode": "quick"|"normal"|"full", "model":
// {"name","kda","k_heads","v_heads","head_k","head_v", "safe_gate","layers"}, "state":
// "f32"|"bf16"|"f16", "ring_length", "batches": [..], "timeout_s", "fault": name}.
FleetAnswer selftest_all_gpus(const std::string& request,
                              const std::function<void(const std::string&)>& progress);

}  // namespace sglint::gpu
