#include "rules/gpu_memory.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/python_text.h"
#include "facts/model_types.h"
#include "rules/cuda_graph.h"
#include "rules/model_kinds.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kEmptyDecodeSizes{
    .id = "cuda-graph/empty-size-list",
    .exception = "ValueError",
    .message = "max() arg is an empty sequence",
    .why =
        "\"bs\": [] in --cuda-graph-config names no batch size at all; SGLang takes the largest of "
        "none. To switch the graphs off, set the backend to disabled.",
    .source = "server_args.py: ServerArgs._handle_gpu_memory_settings",
    .bad = {R"(--model-path Qwen/Qwen3-8B --cuda-graph-config '{"decode": {"bs": []}}')"},
    .good = {R"(--model-path Qwen/Qwen3-8B --cuda-graph-config '{"decode": {"bs": [1, 2]}}')"},
};
constexpr Rule kSizeNotANumber{
    .id = "cuda-graph/size-not-a-number",
    .exception = "TypeError",
    .message = "{}",
    .why =
        "--cuda-graph-config does not check the types in its JSON: \"max_bs\" must be a whole "
        "number and \"bs\" a list of them. SGLang only notices when it calculates with the value.",
    .source = "server_args.py: ServerArgs._generate_prefill_cuda_graph_batch_sizes",
    .bad = {R"(--model-path Qwen/Qwen3-8B --cuda-graph-config '{"prefill": {"max_bs": "64"}}')"},
    .good = {R"(--model-path Qwen/Qwen3-8B --cuda-graph-config '{"prefill": {"max_bs": 64}}')"},
};
constexpr Rule kNoPositiveSize{
    .id = "cuda-graph/no-positive-size-on-cpu",
    .exception = "AssertionError",
    .message = "cuda_graph_config[decode].bs should contain positive batch sizes",
    .why =
        "On a CPU the batch sizes of the compiled decode graphs come from --torch-compile-max-bs "
        "or from the decode sizes, and the largest must be at least 1.",
    .source = "server_args.py: ServerArgs._handle_gpu_memory_settings",
    .bad = {"--model-path Qwen/Qwen3-8B --cuda-graph-bs-decode 0", "cpu"},
    .good = {"--model-path Qwen/Qwen3-8B --cuda-graph-bs-decode 1", "cpu"},
};

bool whole(const Value& v) { return v.is_int() || v.is_bool(); }

void reject_size(Resolution& r, std::string message) {
  r.reject_with(kSizeNotANumber, std::move(message),
                {{{unset(f::cuda_graph_config)}, "the other settings of that JSON are lost too"}});
}

// What Python says to range(1, max_bs + 1) when the JSON had no whole number there.
bool usable_max_bs(Resolution& r, const Value& v) {
  if (whole(v)) return true;
  const std::string_view type = python_type(v);
  if (v.is_str() || v.is_list()) {
    reject_size(r, fill("can only concatenate {} (not \"int\") to {}", {type, type}));
  } else if (v.is_real()) {
    reject_size(r, "'float' object cannot be interpreted as an integer");
  } else {
    reject_size(r, fill("unsupported operand type(s) for +: '{}' and 'int'", {type}));
  }
  return false;
}

// max(bs)
std::optional<int64_t> largest(Resolution& r, const Value& bs) {
  if (!bs.is_list()) {
    if (bs.is_number()) reject_size(r, fill("'{}' object is not iterable", {python_type(bs)}));
    return std::nullopt;
  }
  if (bs.as_list().empty()) {
    r.reject(kEmptyDecodeSizes, {}, {{{unset(f::cuda_graph_config)}, "SGLang chooses the sizes"}});
    return std::nullopt;
  }
  int64_t most = bs.as_list().front().as_int();
  for (const Value& v : bs.as_list()) most = std::max(most, v.as_int());
  return most;
}

struct MemoryDefaults {
  int64_t chunked_prefill_size, max_bs;
  const char* because;
};

// By memory in MiB; the second max_bs is for tp_size >= 4.
MemoryDefaults defaults_for(std::optional<double> memory, int64_t tp_size) {
  const bool small_tp = tp_size < 4;
  if (!memory) return {4096, 160, "The default where the device's memory is not known."};
  if (*memory < 20 * 1024) return {2048, 8, "The default for devices with less than 20 GB."};
  if (*memory < 35 * 1024)
    return {2048, small_tp ? 24 : 80, "The default for devices with 20 to 35 GB."};
  if (*memory < 60 * 1024)
    return {4096, small_tp ? 32 : 160, "The default for devices with 35 to 60 GB."};
  if (*memory < 160 * 1024)
    return {8192, small_tp ? 256 : 512, "The default for devices with 60 to 160 GB."};
  return {16384, 512, "The default for devices with 160 GB or more."};
}

// _generate_cpu_graph_batch_sizes
Value::List cpu_graph_batch_sizes(const Resolution& r) {
  const int64_t most = std::min<int64_t>(r.get(f::torch_compile_max_bs), 1000000);
  Value::List sizes;
  for (int64_t bs = 1; bs <= most; ++bs) {
    const bool regular = bs <= 16 || (bs <= 30 && bs % 2 == 0) ||
                         (bs >= 32 && bs <= 80 && bs % 4 == 0) || (bs >= 84 && (bs - 84) % 8 == 0);
    if (regular || bs == most || r.get(f::disable_cuda_graph_padding)) sizes.emplace_back(bs);
  }
  return sizes;
}

void set_decode_sizes(Resolution& r) {
  const Value bs = graph_setting(r, "decode", "bs");
  const Value max_bs = graph_setting(r, "decode", "max_bs");
  if (r.value(f::device) != "cpu") {
    if (bs.is_none()) {
      if (!usable_max_bs(r, max_bs)) return;
      set_graph_setting(r, "decode", "bs", Value(decode_graph_batch_sizes(r, max_bs.as_int())),
                        "Sizes up to the largest decode batch.");
    } else if (const auto most = largest(r, bs)) {
      set_graph_setting(r, "decode", "max_bs", *most, "The largest of the sizes given.");
    }
    return;
  }
  // The CPU graph rests on torch.compile, so its flag gives the limit.
  const char* why = "The CPU graph is compiled up to this batch size.";
  if (!bs.is_none()) {
    const auto most = largest(r, bs);
    if (!most) return;
    r.set(f::torch_compile_max_bs, *most, "The largest of the decode sizes given.");
  } else {
    if (!r.get(f::torch_compile_max_bs)) r.set(f::torch_compile_max_bs, max_bs, why);
    set_graph_setting(r, "decode", "bs", Value(cpu_graph_batch_sizes(r)), why);
  }
  if (r.get(f::torch_compile_max_bs) <= 0)
    return r.reject(kNoPositiveSize, {},
                    {{{unset(f::cuda_graph_bs_decode)}, "SGLang chooses the sizes"},
                     {{unset(f::torch_compile_max_bs)}, ""}});
  set_graph_setting(r, "decode", "max_bs", r.value(f::torch_compile_max_bs), why);
}

void set_prefill_sizes(Resolution& r) {
  if (graph_setting(r, "prefill", "max_bs").is_none()) {
    int64_t max_bs = r.get(f::chunked_prefill_size).value_or(0);
    const char* why = "As large as a prefill chunk.";
    if (r.model().use_mla()) {
      max_bs = 2048;
      why = "The default for MLA attention.";
    }
    if (const auto total = r.get(f::max_total_tokens); total && *total < max_bs) {
      max_bs = *total;
      why = "No larger than --max-total-tokens.";
    }
    if (contains(lower(r.get(f::model_path)), "llama-2") && max_bs > 4096) {
      max_bs = 4096;
      why = "SGLang limits it for Llama 2.";
    }
    set_graph_setting(r, "prefill", "max_bs", max_bs, why);
  }
  if (!r.since(Release::v0_5_17)) {
    const auto context = r.get(f::context_length);
    const Value max_bs = graph_setting(r, "prefill", "max_bs");
    if (context && !max_bs.is_number())
      return reject_size(
          r, fill("'<' not supported between instances of 'int' and '{}'", {python_type(max_bs)}));
    if (context && *context < max_bs.as_int())
      set_graph_setting(r, "prefill", "max_bs", *context, "No larger than --context-length.");
  }
  if (graph_setting(r, "prefill", "bs").is_none()) {
    const Value max_bs = graph_setting(r, "prefill", "max_bs");
    if (!usable_max_bs(r, max_bs)) return;
    set_graph_setting(r, "prefill", "bs", Value(prefill_graph_batch_sizes(max_bs.as_int())),
                      "Sizes up to the largest captured prefill.");
  }
}

// ServerArgs.post_capture_kv_sizing_planned
bool post_capture_kv_sizing_planned(Resolution& r) {
  if (!r.since(Release::v0_5_16)) return false;
  if (!r.env().flag("SGLANG_ENABLE_POST_CAPTURE_KV_SIZING") || r.value(f::device) != "cuda" ||
      r.get(f::dcp_size) != 1 || r.model().use_mla() || r.value(f::kv_cache_dtype) == "fp4_e2m1" ||
      r.get(f::prefill_only_disable_kv_cache) || r.get(f::enable_memory_saver) ||
      !r.env().get("SGLANG_MOONCAKE_CUSTOM_MEM_POOL").is_none())
    return false;
  const Value& mode = r.value(f::disaggregation_mode);
  if (mode != "prefill" && graph_disabled(r, "decode")) return false;
  if (!r.since(Release::v0_5_17)) {
    if (r.get(f::enable_dp_attention) || (mode != "decode" && graph_disabled(r, "prefill")))
      return false;
  } else if (mode != "decode") {
    int64_t captured = 0;
    const Value::List& sizes = graph_setting(r, "prefill", "bs").as_list();
    for (size_t i = 0; i < sizes.size(); ++i)
      captured = i ? std::max(captured, sizes[i].as_int()) : sizes[i].as_int();
    if (graph_disabled(r, "prefill") || r.get(f::chunked_prefill_size).value_or(0) <= 0 ||
        max_prefill_buffer_tokens(r) > captured)
      return false;
  }
  return !is_deepseek_v4(r.release(), r.model()) && !is_minimax_sparse(r.model());
}

// Tokens that the activations of the largest forward pass scale with.
int64_t activation_tokens(const Resolution& r) {
  if (r.value(f::disaggregation_mode) == "decode") {
    int64_t requests = r.get(f::max_running_requests).value_or(0);
    if (!requests) requests = graph_setting(r, "decode", "max_bs").as_int();
    if (!requests) requests = 1;
    int64_t draft = r.get(f::speculative_num_draft_tokens).value_or(0);
    return std::max<int64_t>(requests * (draft ? draft : 1), 2048);
  }
  const int64_t chunk = r.get(f::chunked_prefill_size).value_or(0);
  return std::max<int64_t>(chunk > 0 ? chunk : r.get(f::max_prefill_tokens), 2048);
}

// ServerArgs.reserve_for_graph_mb
double reserve_for_graphs(Resolution& r) {
  const Value& mode = r.value(f::disaggregation_mode);
  const int64_t decode_max_bs = graph_setting(r, "decode", "max_bs").as_int();
  double reserved = 0;
  if (mode != "prefill" && !graph_disabled(r, "decode"))
    reserved += static_cast<double>(decode_max_bs) * 2;
  if (r.view(f::enable_dp_attention) && mode != "prefill") {
    const double per_rank = static_cast<double>(decode_max_bs * r.get(f::dp_size));
    reserved += per_rank * 3;
    if (decode_max_bs > 300) reserved += per_rank * 1.5;
  }
  if (mode != "decode" && !graph_disabled(r, "prefill")) {
    if (!r.model().use_mla()) {
      reserved += static_cast<double>(graph_setting(r, "prefill", "bs").as_list().size()) * 8;
    } else {
      reserved += 1.5 * 1024;
    }
    if (r.since(Release::v0_5_17) && graph_backend(r, "prefill") == "breakable" &&
        r.view_value(f::moe_a2a_backend) == "deepep")
      reserved += 1024;
  }
  return reserved;
}

// ServerArgs.reserve_for_deepep_a2a_mb
double reserve_for_deepep(const Resolution& r) {
  return r.value(f::disaggregation_mode) != "prefill" && !graph_disabled(r, "decode") &&
                 r.view_value(f::moe_a2a_backend) == "deepep"
             ? 2 * 1024
             : 0;
}

// Python's round(x, 3), which rounds the exact binary value.
double round_to_thousandth(double x) {
  char text[400];
  snprintf(text, sizeof text, "%.3f", x);
  return python_float(text).value_or(x);
}

// ServerArgs.adjust_mem_fraction_for_vlm
void leave_room_for_vision(Resolution& r) {
  const Value& vision = r.model().hf_config["vision_config"];
  if (vision.is_none()) return;
  // Where the model's config class leaves vision_config a plain dict (unknown classes, MiniMax-M3
  // since SGLang has a class of its own for it), it has no attributes to read. Kimi's classes give
  // their vt_* settings these names too.
  const std::string_view type = r.model().hf_config["model_type"].as_str();
  const std::optional<ModelType> known = find_model_type(type, r.release());
  const bool has_attributes = known && (contains(known->nested, "vision_config") ||
                                        (type == "minimax_m3_vl" && !r.since(Release::v0_5_16)));
  const auto setting = [&](std::string_view name, double otherwise) {
    if (!has_attributes) return otherwise;
    if (vision.has(name)) return vision[name].as_real();
    return vision["vt_" + std::string(name)].as_real(otherwise);
  };
  const double layers = setting("num_hidden_layers", 24);
  const double hidden = setting("hidden_size", 1024);
  const double complexity = layers * (hidden * hidden) / (24.0 * (1024.0 * 1024.0));
  double factor = 1.0 - 0.1 * (complexity - 1.0);
  factor = std::max(0.8, std::min(1.05, factor));
  r.set(f::mem_fraction_static, r.value(f::mem_fraction_static).as_real() * (0.95 * factor),
        "Less than for a text model, to leave room for the vision encoder.");
}

void set_mem_fraction(Resolution& r, std::optional<double> memory) {
  const double parallel = static_cast<double>(r.get(f::tp_size) * r.get(f::pp_size)) / 8 * 1024;
  double reserved = 0;
  if (post_capture_kv_sizing_planned(r)) {
    reserved = (r.since(Release::v0_5_18) ? 1536 : 512) + parallel;
  } else {
    reserved =
        512 + static_cast<double>(activation_tokens(r)) * 1.5 + parallel + reserve_for_graphs(r);
    if (memory && *memory > 60 * 1024) reserved = std::max(reserved, 10.0 * 1024);
    reserved += reserve_for_deepep(r);
  }
  if (r.stopped()) return;
  if (memory) {
    r.set(f::mem_fraction_static, round_to_thousandth((*memory - reserved) / *memory),
          fill("{} MiB of {} are set aside for activations and CUDA graphs.",
               {std::llround(reserved), std::llround(*memory)}));
  } else {
    r.set(f::mem_fraction_static, 0.88, "The default where the device's memory is not known.");
  }
  const ModelConfig& m = r.model();
  if (r.stopped() || !m.is_multimodal || r.get(f::language_only)) return;
  if (r.since(Release::v0_5_17) && r.value(f::disaggregation_mode) == "decode") return;
  if (r.since(Release::v0_5_18) && r.get(f::language_model_only)) return;
  leave_room_for_vision(r);
}

}  // namespace

std::optional<double> npu_memory_capacity(const Resolution& r) {
  if (!is_npu(r.machine())) return std::nullopt;
  const int64_t fixed = r.env().get("SGLANG_ZBAL_LOCAL_MEM_SIZE").as_int();
  return static_cast<double>(fixed > 0 ? fixed : r.machine().gpu_mem_mib);
}

std::optional<double> device_memory_capacity(const Resolution& r) {
  const Machine& m = r.machine();
  const std::string_view device = r.value(f::device).as_str();
  if (is_cuda(m) || is_hip(m)) return static_cast<double>(m.gpu_mem_mib);
  if (device == "npu") return npu_memory_capacity(r);
  if (device == "cpu") {
    const auto bound = r.env().raw("SGLANG_CPU_OMP_THREADS_BIND");
    if (bound && !bound->empty()) return std::nullopt;
    return std::floor(static_cast<double>(m.cpu_mem_mib) / std::max(m.numa_nodes, 1));
  }
  if (one_of(device, {"hpu", "xpu", "musa"}) && m.gpu_mem_mib > 0)
    return static_cast<double>(m.gpu_mem_mib);
  return std::nullopt;
}

int64_t max_prefill_buffer_tokens(const Resolution& r) {
  const int64_t chunk = std::max<int64_t>(r.get(f::chunked_prefill_size).value_or(0), 0);
  if (!r.get(f::enable_dynamic_chunking) || r.get(f::pp_size) <= 1 || !chunk) return chunk;
  const int64_t grown = static_cast<int64_t>(std::ceil(static_cast<double>(chunk) * 1.25));
  return std::max({chunk, r.get(f::max_prefill_tokens), grown});
}

void gpu_memory_settings(Resolution& r) {
  const std::optional<double> memory = device_memory_capacity(r);
  const MemoryDefaults defaults = defaults_for(memory, r.get(f::tp_size));
  if (r.value(f::chunked_prefill_size).is_none())
    r.set(f::chunked_prefill_size, defaults.chunked_prefill_size, defaults.because);
  if (graph_setting(r, "decode", "max_bs").is_none())
    set_graph_setting(r, "decode", "max_bs", defaults.max_bs, defaults.because);
  set_decode_sizes(r);
  if (r.stopped()) return;
  set_prefill_sizes(r);
  if (r.stopped()) return;
  if (r.value(f::mem_fraction_static).is_none()) set_mem_fraction(r, memory);

  if (r.get(f::enable_symm_mem) && !r.env().is_set("SGLANG_SYMM_MEM_PREALLOC_GB_SIZE")) {
    r.env().put("SGLANG_SYMM_MEM_PREALLOC_GB_SIZE", "4");
    r.warn(
        "Symmetric memory is enabled, setting symmetric memory prealloc size to 4GB as default."
        "Use environment variable SGLANG_SYMM_MEM_PREALLOC_GB_SIZE to change the prealloc size.");
  }
}

RuleList gpu_memory_rules() { return {&kEmptyDecodeSizes, &kSizeNotANumber, &kNoPositiveSize}; }

}  // namespace sglint
