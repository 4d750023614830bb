#pragma once
// What the checker knows of the machine, and the questions that SGLang asks it.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"

namespace sglint {

enum class Platform : uint8_t { cuda, hip, cpu, npu, xpu, mps, musa, hpu, none };

struct Machine {
  std::string name;  // catalogue name, "" for facts from elsewhere
  Platform platform = Platform::cuda;
  int sm_major = 9, sm_minor = 0;
  std::string gpu_name;
  int num_gpus = 8;
  int64_t gpu_mem_mib = 0;                // per GPU, as nvidia-smi prints it
  std::optional<std::string> cuda;        // "13.0": torch.version.cuda
  std::optional<std::string> hip;         // "7.0.51831"
  std::string gfx;                        // "gfx950"
  std::optional<std::string> flashinfer;  // version of the installed package, nullopt if absent
  std::string driver;
  std::string torch;
  std::string arch = "x86_64";
  int sm_count = 0;
  int64_t cpu_mem_mib = 0;
  int numa_nodes = 0;
  bool amx = false;
  std::vector<std::string> ib_devices;
  // Versions of Python packages; nullopt: not installed.
  std::map<std::string, std::optional<std::string>, std::less<>> packages;
  // What `sglint selftest` measured there, a dict for each gate and state type: {"gate": "gdn",
  // "state": "float32", "v_heads": 32 (of one GPU), "speedups": [[batch, plain over replay]…]}.
  Value replayssm;
  std::vector<std::string> assumed;  // facts that nobody stated
};

// A machine of the catalogue ("h200x8", "b200"); nullopt if there is none.
std::optional<Machine> find_machine(std::string_view name);
std::vector<std::string_view> machine_names();

// Facts as in tests/golden/machines.json. On bad facts returns nullopt and says why.
std::optional<Machine> machine_from_facts(const Value& facts, std::string* why);

// SGLang's probes (utils/common.py), by the same names.
bool is_cuda(const Machine& m);
bool is_hip(const Machine& m);
bool is_cpu(const Machine& m);
bool is_npu(const Machine& m);
bool is_xpu(const Machine& m);
bool is_mps(const Machine& m);
bool is_musa(const Machine& m);
bool is_hpu(const Machine& m);
int cuda_major(const Machine& m);  // 0 if there is no CUDA
bool cuda_at_least(const Machine& m, int major, int minor);
bool is_sm90_supported(const Machine& m);
bool is_sm100_supported(const Machine& m);
bool is_sm120_supported(const Machine& m);
bool is_blackwell_supported(const Machine& m);
bool is_hopper_with_cuda_12_3(const Machine& m);
bool is_gfx95_supported(const Machine& m);
bool is_flashinfer_available(const Machine& m);
bool is_triton_kernels_available(const Machine& m);
bool cpu_has_amx_support(const Machine& m);
bool is_mnnvl_fabric_device(const Machine& m);  // GB200, GB300: NVLink between nodes
// An importable Python package. Unless the machine says otherwise: those that SGLang depends on.
bool has_package(const Machine& m, std::string_view name);
int device_sm(const Machine& m);  // 90 for 9.0, 0 without CUDA

}  // namespace sglint
