// What detection asks of the driver. NVML and the CUDA runtime stand behind these two; tests put
// fakes there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sglint::gpu {

// A value, or why there is none ("Not Supported", "Insufficient Permissions", …).
template <typename T>
struct Asked {
  std::optional<T> value;
  std::string error;
  static Asked of(T v) { return {std::move(v), {}}; }
  static Asked failed(std::string why) { return {std::nullopt, std::move(why)}; }
};

struct MemoryInfo {
  uint64_t total = 0, free = 0, used = 0;  // bytes
};

struct PcieLink {
  int generation = 0, width = 0, max_generation = 0, max_width = 0;
};

struct GpuProcess {
  unsigned pid = 0;
  uint64_t memory = 0;  // bytes; 0 where the driver does not say
};

// NVML, one method a question, so that each can fail by itself.
class Nvml {
 public:
  virtual ~Nvml() = default;
  virtual Asked<bool> start() = 0;  // library found, initialised
  virtual Asked<std::string> driver_version() = 0;
  virtual Asked<int> cuda_version() = 0;  // 13000 for 13.0: what the driver supports
  virtual Asked<int> count() = 0;
  virtual Asked<std::string> name(int gpu) = 0;
  virtual Asked<std::string> uuid(int gpu) = 0;
  virtual Asked<std::string> pci_bus(int gpu) = 0;
  virtual Asked<MemoryInfo> memory(int gpu) = 0;
  virtual Asked<std::pair<int, int>> compute_capability(int gpu) = 0;
  virtual Asked<int> clock_mhz(int gpu, bool memory, bool maximum) = 0;
  virtual Asked<double> power_watts(int gpu) = 0;
  virtual Asked<double> power_limit_watts(int gpu) = 0;
  virtual Asked<bool> ecc(int gpu) = 0;
  virtual Asked<bool> mig(int gpu) = 0;
  virtual Asked<std::string> compute_mode(
      int gpu) = 0;  // "default", "exclusive-process", "prohibited"
  virtual Asked<std::vector<GpuProcess>> processes(int gpu) = 0;
  virtual Asked<PcieLink> pcie(int gpu) = 0;
  virtual Asked<int> nvlinks(int gpu) = 0;           // active links
  virtual Asked<bool> peer(int gpu, int other) = 0;  // peer reads over NVLink or PCIe
};

struct CudaDevice {
  std::string uuid, pci_bus;
  int multiprocessors = 0;
  uint64_t l2_bytes = 0;
};

class Cuda {
 public:
  virtual ~Cuda() = default;
  virtual Asked<int> runtime_version() = 0;
  virtual Asked<std::vector<CudaDevice>> devices() = 0;  // the visible ones
};

}  // namespace sglint::gpu
