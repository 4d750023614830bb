// What detection found on a host, and what is wrong with it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "native/gpu/detect/providers.h"

namespace sglint::gpu {

// What the default builds of all releases known need (torch 2.11 for CUDA 13).
inline constexpr int kReleaseCuda = 13000;

struct GpuFacts {
  int index = 0;
  std::string name, uuid, pci_bus, compute_mode;
  int major = 0, minor = 0;
  MemoryInfo memory;
  int clock_mhz = 0, max_clock_mhz = 0, memory_clock_mhz = 0, max_memory_clock_mhz = 0;
  double power_watts = 0, power_limit_watts = 0;
  std::optional<bool> ecc, mig;
  std::vector<GpuProcess> processes;
  PcieLink pcie;
  int nvlinks = 0;
  int numa_node = -1;
  int multiprocessors = 0;
  uint64_t l2_bytes = 0;
  std::string denied;             // why the driver tells nothing of it; empty: it does
  bool visible = true;            // to CUDA: CUDA_VISIBLE_DEVICES, the container
  std::vector<bool> peers;        // by index
  std::vector<std::string> gaps;  // "power: Insufficient Permissions": asked and not answered
};

struct DriverFacts {
  std::string version;
  int cuda = 0;          // that the driver supports, 13000 for 13.0
  int cuda_runtime = 0;  // of the plugin
  std::string problem;   // why there are no GPUs, in one sentence; empty when there are
};

struct HostFacts {
  std::string name, kernel, cpu, cuda_visible_devices;
  int cpus = 0;          // online
  double cpu_quota = 0;  // of the cgroup, in CPUs; 0: none
  uint64_t memory = 0, memory_available = 0,
           memory_limit = 0;  // bytes; limit of the cgroup, 0: none
  uint64_t shm_total = 0, shm_free = 0;
  uint64_t open_files = 0, locked_memory = 0;  // soft limits; UINT64_MAX: unlimited
  std::string container;                       // "docker", "kubernetes", …; empty: none seen
  // What the kernel shows of the NVIDIA driver, whatever this process may use of it.
  std::string nvidia_driver;  // version of the loaded module; empty: none
  int nvidia_gpus = 0;        // that the module drives
  enum class Node { kUsable, kMissing, kDenied } nvidia_control = Node::kMissing;  // /dev/nvidiactl
};

struct Detection {
  bool asked = false;  // the plugin was there and answered; with no GPU, driver.problem says why
  HostFacts host;
  DriverFacts driver;
  std::vector<GpuFacts> gpus;
  std::map<std::string, std::string> software;  // package -> version: torch, sglang, …
};

// Why no GPU answers, as far as the host shows it, from what the driver's library said.
std::string no_gpu_reason(const HostFacts& host, const std::string& error);

struct Finding {
  std::string rule, severity, message;  // "host/gpu-busy", error | warning | info
};

// Asks the providers everything; what one does not answer is a gap, never an end.
void collect_gpus(Nvml& nvml, Cuda& cuda, Detection& d);

// Reads /proc, /sys and limits under a root ("" on the host itself).
HostFacts collect_host(const std::string& root);
int numa_node(const std::string& root, const std::string& pci_bus);

// Versions from installed packages' metadata folders; nothing is imported.
std::map<std::string, std::string> collect_software(const std::vector<std::string>& site_folders);
// The folders that the host's Python installations use.
std::vector<std::string> site_folders(const std::string& root);

std::vector<Finding> host_findings(const Detection& d);

// {"schema": 1, "kind": "sglint-detect", "host", "driver", "gpus", "software", "findings",
// "machine"}; "machine" holds the facts that `sglint check --machine` takes.
std::string detection_json(const Detection& d);
std::string detection_text(const Detection& d);
// Of a torch that is installed: 13000 for "2.11.0+cu130", 0 where it does not say.
int torch_cuda(const std::string& torch_version);
// The facts that `sglint check` takes out of a whole detection; empty where it is none, or found no
// GPU.
std::string machine_of_detection(const std::string& json);
// This host, now. What cannot be asked is said in driver.problem.
Detection detect_here(const std::string& plugin_path);
// The part that the plugin finds ("driver", "gpus"), and back.
std::string gpus_json(const Detection& d);
bool read_gpus(const std::string& json, Detection& d);

}  // namespace sglint::gpu
