#pragma once
// CUDA graph settings, shared by the many steps that read or change them.
//
// SGLang keeps one mutable CudaGraphConfig in server_args.cuda_graph_config and a set of the
// settings that the user fixed (_cuda_graph_config_locked). Here the field holds {"decode": {...},
// "prefill":
// {...}}; before _handle_cuda_graph_config it holds what the user typed, or None.

#include <cstdint>
#include <string_view>

#include "resolve/resolution.h"

namespace sglint {

// self.cuda_graph_config.<phase>.<key>; `phase` is "decode" or "prefill", `key` "backend",
// "max_bs", "bs", "tc_compiler", "full_prefill_max_req", "full_prefill_prefix_chunk_tokens".
const Value& graph_setting(const Resolution& r, std::string_view phase, std::string_view key);
void set_graph_setting(Resolution& r, std::string_view phase, std::string_view key, Value v,
                       Because because);

// self.cuda_graph_config.<phase>.backend: "full", "breakable", "tc_piecewise", "disabled".
std::string_view graph_backend(const Resolution& r, std::string_view phase);
void set_graph_backend(Resolution& r, std::string_view phase, std::string_view backend,
                       Because because);
inline bool graph_disabled(const Resolution& r, std::string_view phase) {
  return graph_backend(r, phase) == "disabled";
}

// (phase, key) in self._cuda_graph_config_locked: the user fixed it, by whatever flag.
bool graph_locked(const Resolution& r, std::string_view phase, std::string_view key);

// _generate_decode_cuda_graph_batch_sizes and _generate_prefill_cuda_graph_batch_sizes.
Value::List decode_graph_batch_sizes(const Resolution& r, int64_t max_bs);
Value::List prefill_graph_batch_sizes(int64_t max_bs);

// parse_connector_type(model_path) == ConnectorType.INSTANCE: there is no model config to look at.
bool model_from_instance(const Resolution& r);

}  // namespace sglint
