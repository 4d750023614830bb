#include "facts/machine.h"

#include <cstdlib>

#include "base/text.h"

namespace sglint {
namespace {

struct PlatformName {
  Platform platform;
  std::string_view name;
};
constexpr PlatformName kPlatforms[] = {
    {Platform::cuda, "cuda"}, {Platform::hip, "hip"}, {Platform::cpu, "cpu"},
    {Platform::npu, "npu"},   {Platform::xpu, "xpu"}, {Platform::mps, "mps"},
    {Platform::musa, "musa"}, {Platform::hpu, "hpu"}, {Platform::none, "none"},
};

bool major_with_cuda(const Machine& m, std::initializer_list<int> majors, int cuda_maj,
                     int cuda_min) {
  if (!is_cuda(m)) return false;
  for (int major : majors)
    if (m.sm_major == major) return cuda_at_least(m, cuda_maj, cuda_min);
  return false;
}

}  // namespace

std::optional<Machine> machine_from_facts(const Value& facts, std::string* why) {
  const auto fail = [&](std::string text) -> std::optional<Machine> {
    if (why) *why = std::move(text);
    return std::nullopt;
  };
  if (!facts.is_dict()) return fail("Machine facts must be a JSON object.");
  Machine m;
  const std::string_view platform = facts["platform"].as_str("cuda");
  bool known = false;
  for (const PlatformName& p : kPlatforms) {
    if (p.name != platform) continue;
    m.platform = p.platform;
    known = true;
  }
  if (!known) return fail(fill("Unknown platform {}.", {repr(platform)}));
  const Value::List& sm = facts["sm"].as_list();
  if (sm.size() == 2) {
    m.sm_major = static_cast<int>(sm[0].as_int());
    m.sm_minor = static_cast<int>(sm[1].as_int());
  } else if (facts.has("sm")) {
    return fail("\"sm\" must be [major, minor], such as [9, 0].");
  }
  const auto text = [&](std::string_view key) -> std::optional<std::string> {
    if (!facts[key].is_str()) return std::nullopt;
    return std::string(facts[key].as_str());
  };
  const auto number = [&](std::string_view key, int64_t otherwise) {
    return facts[key].as_int(otherwise);
  };
  for (const char* key : {"num_gpus", "gpu_mem_mib", "sm_count", "cpu_mem_mib", "numa_nodes"}) {
    const Value& v = facts[key];
    if (v.is_none() || (v.is_int() && v.as_int() >= 0 && v.as_int() < (int64_t{1} << 31))) continue;
    return fail(fill("\"{}\" must be a whole number, not {}.", {key, repr(v)}));
  }
  // What facts leave out is taken from an 8 x H100 machine with the newest SGLang release.
  const bool cuda = m.platform == Platform::cuda;
  const auto assumed = [&](std::string_view key, std::string_view what, const std::string& value) {
    if (!facts.has(key))
      m.assumed.push_back(fill("{}: {}, because the machine's facts do not say.", {what, value}));
  };
  m.gpu_name = text("gpu_name").value_or("");
  m.num_gpus = static_cast<int>(
      number("num_gpus", m.platform == Platform::cpu || m.platform == Platform::none ? 0 : 8));
  m.gpu_mem_mib = number("gpu_mem_mib", cuda ? 81559 : 0);
  m.cuda = cuda && !facts.has("cuda") ? "13.0" : text("cuda");
  m.hip = m.platform == Platform::hip && !facts.has("hip") ? "7.0.51831" : text("hip");
  m.gfx = text("gfx").value_or("");
  m.flashinfer = cuda && !facts.has("flashinfer") ? "0.6.17" : text("flashinfer");
  if (m.platform != Platform::cpu && m.platform != Platform::none)
    assumed("num_gpus", "Number of GPUs", std::to_string(m.num_gpus));
  if (cuda) {
    assumed("sm", "Compute capability", "9.0");
    assumed("gpu_mem_mib", "Memory of a GPU in MiB", "81559");
    assumed("cuda", "CUDA of PyTorch", "13.0");
    assumed("flashinfer", "FlashInfer", "0.6.17");
  }
  m.driver = text("driver").value_or("580.95.05");
  m.torch = text("torch").value_or("");
  m.arch = text("arch").value_or("x86_64");
  m.sm_count = static_cast<int>(number("sm_count", 132));
  m.cpu_mem_mib = number("cpu_mem_mib", 2 * 1024 * 1024);
  m.numa_nodes = static_cast<int>(number("numa_nodes", 2));
  m.amx = facts.has("amx") ? facts["amx"].truthy() : m.platform == Platform::cpu;
  for (const Value& d : facts["ib_devices"].as_list()) m.ib_devices.emplace_back(d.as_str());
  m.replayssm = facts["replayssm"];
  for (const Value::Item& p : facts["packages"].as_dict())
    m.packages[p.first] =
        p.second.is_str() ? std::optional<std::string>(p.second.as_str()) : std::nullopt;
  return m;
}

// torch.cuda.is_available() and torch.version.cuda is not None
bool is_cuda(const Machine& m) { return m.platform == Platform::cuda && m.num_gpus > 0 && m.cuda; }
bool is_hip(const Machine& m) { return m.platform == Platform::hip; }
bool is_cpu(const Machine& m) { return m.platform == Platform::cpu; }
bool is_npu(const Machine& m) { return m.platform == Platform::npu; }
bool is_xpu(const Machine& m) { return m.platform == Platform::xpu; }
bool is_mps(const Machine& m) { return m.platform == Platform::mps; }
bool is_musa(const Machine& m) { return m.platform == Platform::musa; }
bool is_hpu(const Machine& m) { return m.platform == Platform::hpu; }

int cuda_major(const Machine& m) { return m.cuda ? atoi(m.cuda->c_str()) : 0; }

bool cuda_at_least(const Machine& m, int major, int minor) {
  if (!m.cuda) return false;
  const size_t dot = m.cuda->find('.');
  const int have_minor = dot == std::string::npos ? 0 : atoi(m.cuda->c_str() + dot + 1);
  const int have_major = cuda_major(m);
  return have_major > major || (have_major == major && have_minor >= minor);
}

bool is_sm90_supported(const Machine& m) { return major_with_cuda(m, {9}, 12, 3); }
bool is_sm100_supported(const Machine& m) { return major_with_cuda(m, {10}, 12, 8); }
bool is_sm120_supported(const Machine& m) { return major_with_cuda(m, {12}, 12, 8); }
bool is_blackwell_supported(const Machine& m) { return major_with_cuda(m, {10, 11, 12}, 12, 8); }
bool is_hopper_with_cuda_12_3(const Machine& m) { return major_with_cuda(m, {9}, 12, 3); }
bool is_gfx95_supported(const Machine& m) { return is_hip(m) && contains(m.gfx, "gfx95"); }
bool is_flashinfer_available(const Machine& m) {
  // SGLANG_IS_FLASHINFER_AVAILABLE=0 hides the package (launch_facts.cpp marks it as not
  // installed).
  const auto hidden = m.packages.find("flashinfer");
  return is_cuda(m) && m.flashinfer && (hidden == m.packages.end() || hidden->second);
}
bool is_triton_kernels_available(const Machine& m) { return has_package(m, "triton_kernels"); }
bool cpu_has_amx_support(const Machine& m) { return m.amx; }

// Packages by import name that an installed SGLang brings along (python/pyproject.toml of the
// releases), where rules ask for them.
bool has_package(const Machine& m, std::string_view name) {
  const auto it = m.packages.find(name);
  if (it != m.packages.end()) return it->second.has_value();
  if (name == "flashinfer") return m.flashinfer.has_value();
  if (one_of(name, {"cuda", "cutlass", "deep_ep", "deep_gemm", "flash_attn", "humming", "quack",
                    "tokenspeed_mla"}))
    return m.platform == Platform::cuda;
  if (name == "tilelang") return m.platform == Platform::cuda || m.platform == Platform::hip;
  if (name == "aiter") return m.platform == Platform::hip;
  if (one_of(name, {"torch_npu", "sgl_kernel_npu"})) return m.platform == Platform::npu;
  return one_of(
      name, {"compressed_tensors", "datasets", "gguf", "kernels", "llguidance", "mistral_common",
             "modelscope", "openai_harmony", "outlines", "sgl_kernel", "smg_grpc_servicer", "timm",
             "torch", "torch_memory_saver", "torchvision", "transformers", "triton", "xgrammar"});
}

bool is_mnnvl_fabric_device(const Machine& m) {
  if (!is_cuda(m) && !is_hip(m)) return false;
  const std::string name = upper(m.gpu_name);
  return contains(name, "GB200") || contains(name, "GB300");
}

int device_sm(const Machine& m) {
  const bool available =
      m.num_gpus > 0 && (m.platform == Platform::cuda || m.platform == Platform::hip);
  return available ? m.sm_major * 10 + m.sm_minor : 0;
}

}  // namespace sglint
