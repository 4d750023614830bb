#include <algorithm>

#include "rules/cuda_graph.h"

namespace sglint {
namespace {

// A command may ask for graphs up to any size; SGLang would build the whole list and run out of
// memory.
constexpr size_t kMostSizes = 1000000;

void append_range(Value::List& out, int64_t first, int64_t end, int64_t step) {
  for (int64_t i = first; i < end && out.size() < kMostSizes; i += step) out.emplace_back(i);
}

void keep_up_to(Value::List& sizes, int64_t max_bs) {
  sizes.erase(std::remove_if(sizes.begin(), sizes.end(),
                             [&](const Value& v) { return v.as_int() > max_bs; }),
              sizes.end());
}

}  // namespace

const Value& graph_setting(const Resolution& r, std::string_view phase, std::string_view key) {
  return r.value(f::cuda_graph_config)[phase][key];
}

void set_graph_setting(Resolution& r, std::string_view phase, std::string_view key, Value v,
                       Because because) {
  const Value& config = r.value(f::cuda_graph_config);
  if (config[phase][key] == v && config[phase].has(key)) return;
  r.set(f::cuda_graph_config, config.with(phase, config[phase].with(key, std::move(v))),
        std::move(because));
}

std::string_view graph_backend(const Resolution& r, std::string_view phase) {
  return graph_setting(r, phase, "backend").as_str();
}

void set_graph_backend(Resolution& r, std::string_view phase, std::string_view backend,
                       Because because) {
  set_graph_setting(r, phase, "backend", backend, std::move(because));
}

bool graph_locked(const Resolution& r, std::string_view phase, std::string_view key) {
  return r.attribute("cuda_graph_config_locked")[phase].has(key);
}

Value::List decode_graph_batch_sizes(const Resolution& r, int64_t max_bs) {
  Value::List sizes;
  if (r.get(f::disable_cuda_graph_padding)) {
    append_range(sizes, 1, max_bs + 1, 1);
  } else if (!r.get(f::speculative_algorithm)) {
    for (int bs : {1, 2, 4, 8, 12}) sizes.emplace_back(bs);
    append_range(sizes, 16, 257, 8);
    append_range(sizes, 272, 512, 16);
    append_range(sizes, 512, max_bs + 1, 32);
  } else {
    append_range(sizes, 1, 9, 1);
    append_range(sizes, 10, 33, 2);
    append_range(sizes, 40, 65, 4);
    append_range(sizes, 72, 257, 8);
    append_range(sizes, 272, max_bs + 1, 16);
  }
  keep_up_to(sizes, max_bs);
  if (std::find(sizes.begin(), sizes.end(), Value(max_bs)) == sizes.end())
    sizes.emplace_back(max_bs);
  return sizes;
}

Value::List prefill_graph_batch_sizes(int64_t max_bs) {
  Value::List sizes;
  append_range(sizes, 4, 33, 4);
  append_range(sizes, 48, 257, 16);
  append_range(sizes, 288, 513, 32);
  append_range(sizes, 576, 1025, 64);
  append_range(sizes, 1280, 4097, 256);
  append_range(sizes, 4608, max_bs + 1, 512);
  keep_up_to(sizes, max_bs);
  return sizes;
}

bool model_from_instance(const Resolution& r) {
  return starts_with(r.get(f::model_path), "instance://");
}

}  // namespace sglint
