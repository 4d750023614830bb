#include "native/gpu/cuda/detect/nvml.h"

#include <dlfcn.h>

#include <cstring>

namespace sglint::gpu {
namespace {

// NVML's public C interface, as far as it is used here.
using Device = struct nvmlDevice_st*;
using Return = int;
constexpr Return kSuccess = 0, kInsufficientSize = 7, kLibraryNotFound = 12;
struct NvmlMemory {
  unsigned long long total, free, used;
};
struct NvmlPci {
  char bus_legacy[16];
  unsigned domain, bus, device, vendor, subsystem;
  char bus_id[32];
};
struct NvmlProcess {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
constexpr int kClockSm = 1, kClockMemory = 2;
constexpr int kMaxLinks = 18;
constexpr int kP2pRead = 0;

class Library : public Nvml {
 public:
  explicit Library(const char* file) : file_(file) {}
  ~Library() override {
    if (started_) function<Return()>("nvmlShutdown")();
    if (library_ != nullptr) dlclose(library_);
  }

  Asked<bool> start() override {
    library_ = dlopen(file_, RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr)
      return Asked<bool>::failed(
          "no NVIDIA driver is installed here (libnvidia-ml.so.1 is missing)");
    auto* init = function<Return()>("nvmlInit_v2");
    if (init == nullptr)
      return Asked<bool>::failed("the NVIDIA driver's library lacks nvmlInit_v2");
    const Return r = init();
    if (r == kLibraryNotFound)
      return Asked<bool>::failed("the NVIDIA driver's user and kernel parts do not match");
    if (r != kSuccess) return Asked<bool>::failed("the NVIDIA driver does not start: " + text(r));
    started_ = true;
    return Asked<bool>::of(true);
  }

  Asked<std::string> driver_version() override {
    char version[80] = "";
    return ask(
        "nvmlSystemGetDriverVersion", std::string(), [&] { return std::string(version); }, version,
        unsigned{80});
  }
  Asked<int> cuda_version() override {
    int v = 0;
    return ask(
        "nvmlSystemGetCudaDriverVersion_v2", 0, [&] { return v; }, &v);
  }
  Asked<int> count() override {
    unsigned n = 0;
    return ask(
        "nvmlDeviceGetCount_v2", 0, [&] { return static_cast<int>(n); }, &n);
  }
  Asked<std::string> name(int gpu) override {
    char name[96] = "";
    return of(
        gpu, "nvmlDeviceGetName", std::string(), [&] { return std::string(name); }, name,
        unsigned{96});
  }
  Asked<std::string> uuid(int gpu) override {
    char uuid[96] = "";
    return of(
        gpu, "nvmlDeviceGetUUID", std::string(), [&] { return std::string(uuid); }, uuid,
        unsigned{96});
  }
  Asked<std::string> pci_bus(int gpu) override {
    NvmlPci pci{};
    return of(
        gpu, "nvmlDeviceGetPciInfo_v3", std::string(), [&] { return std::string(pci.bus_id); },
        &pci);
  }
  Asked<MemoryInfo> memory(int gpu) override {
    NvmlMemory m{};
    return of(
        gpu, "nvmlDeviceGetMemoryInfo", MemoryInfo(),
        [&] {
          return MemoryInfo{m.total, m.free, m.used};
        },
        &m);
  }
  Asked<std::pair<int, int>> compute_capability(int gpu) override {
    int major = 0, minor = 0;
    return of(
        gpu, "nvmlDeviceGetCudaComputeCapability", std::pair<int, int>(),
        [&] { return std::make_pair(major, minor); }, &major, &minor);
  }
  Asked<int> clock_mhz(int gpu, bool memory, bool maximum) override {
    unsigned mhz = 0;
    return of(
        gpu, maximum ? "nvmlDeviceGetMaxClockInfo" : "nvmlDeviceGetClockInfo", 0,
        [&] { return static_cast<int>(mhz); }, memory ? kClockMemory : kClockSm, &mhz);
  }
  Asked<double> power_watts(int gpu) override {
    unsigned milliwatts = 0;
    return of(
        gpu, "nvmlDeviceGetPowerUsage", 0.0, [&] { return milliwatts / 1000.0; }, &milliwatts);
  }
  Asked<double> power_limit_watts(int gpu) override {
    unsigned milliwatts = 0;
    return of(
        gpu, "nvmlDeviceGetEnforcedPowerLimit", 0.0, [&] { return milliwatts / 1000.0; },
        &milliwatts);
  }
  Asked<bool> ecc(int gpu) override {
    int current = 0, pending = 0;
    return of(
        gpu, "nvmlDeviceGetEccMode", false, [&] { return current != 0; }, &current, &pending);
  }
  Asked<bool> mig(int gpu) override {
    unsigned current = 0, pending = 0;
    return of(
        gpu, "nvmlDeviceGetMigMode", false, [&] { return current != 0; }, &current, &pending);
  }
  Asked<std::string> compute_mode(int gpu) override {
    int mode = 0;
    return of(
        gpu, "nvmlDeviceGetComputeMode", std::string(),
        [&] {
          return std::string(mode == 0   ? "default"
                             : mode == 2 ? "prohibited"
                                         : "exclusive-process");
        },
        &mode);
  }
  Asked<std::vector<GpuProcess>> processes(int gpu) override {
    NvmlProcess list[128];
    unsigned n = 128;
    return of(
        gpu, "nvmlDeviceGetComputeRunningProcesses_v3", std::vector<GpuProcess>(),
        [&] {
          std::vector<GpuProcess> all;
          for (unsigned i = 0; i < n; ++i)
            // All ones: the driver does not know (a container's own process space).
            all.push_back({list[i].pid, list[i].memory == ~0ull ? 0 : list[i].memory});
          return all;
        },
        &n, list);
  }
  Asked<PcieLink> pcie(int gpu) override {
    PcieLink link;
    std::string error;
    for (const auto& [name, to] :
         {std::make_pair("nvmlDeviceGetCurrPcieLinkGeneration", &link.generation),
          std::make_pair("nvmlDeviceGetCurrPcieLinkWidth", &link.width),
          std::make_pair("nvmlDeviceGetMaxPcieLinkGeneration", &link.max_generation),
          std::make_pair("nvmlDeviceGetMaxPcieLinkWidth", &link.max_width)}) {
      unsigned value = 0;
      const Asked<int> asked = of(
          gpu, name, 0, [&] { return static_cast<int>(value); }, &value);
      if (!asked.value) return Asked<PcieLink>::failed(asked.error);
      *to = *asked.value;
    }
    return Asked<PcieLink>::of(link);
  }
  Asked<int> nvlinks(int gpu) override {
    int active = 0;
    for (unsigned link = 0; link < kMaxLinks; ++link) {
      int state = 0;
      const Asked<int> asked = of(
          gpu, "nvmlDeviceGetNvLinkState", 0, [&] { return state; }, link, &state);
      if (!asked.value) return link == 0 ? Asked<int>::failed(asked.error) : Asked<int>::of(active);
      active += *asked.value != 0;
    }
    return Asked<int>::of(active);
  }
  Asked<bool> peer(int gpu, int other) override {
    Device d = nullptr;
    const Asked<bool> handle = ask(
        "nvmlDeviceGetHandleByIndex_v2", false, [] { return true; }, static_cast<unsigned>(other),
        &d);
    if (!handle.value) return handle;
    int status = 0;
    return of(
        gpu, "nvmlDeviceGetP2PStatus", false, [&] { return status == 0; }, d, kP2pRead, &status);
  }

 private:
  template <typename F>
  F* function(const char* name) const {
    return library_ == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(library_, name));
  }
  std::string text(Return r) const {
    auto* describe = function<const char*(Return)>("nvmlErrorString");
    return describe == nullptr ? "NVML error " + std::to_string(r) : describe(r);
  }
  // Calls a function of NVML and turns what it filled in into a value.
  template <typename T, typename F, typename... Arguments>
  Asked<T> ask(const char* name, T, F filled, Arguments... arguments) const {
    auto* f = function<Return(Arguments...)>(name);
    if (f == nullptr) return Asked<T>::failed(std::string(name) + " is not in this driver");
    const Return r = f(arguments...);
    // More processes than the list holds: those that fit are there.
    if (r != kSuccess && r != kInsufficientSize) return Asked<T>::failed(text(r));
    return Asked<T>::of(filled());
  }
  // The same for a GPU.
  template <typename T, typename F, typename... Arguments>
  Asked<T> of(int gpu, const char* name, T type, F filled, Arguments... arguments) const {
    Device d = nullptr;
    const Asked<bool> handle = ask(
        "nvmlDeviceGetHandleByIndex_v2", false, [] { return true; }, static_cast<unsigned>(gpu),
        &d);
    if (!handle.value) return Asked<T>::failed(handle.error);
    return ask(name, type, filled, d, arguments...);
  }

  const char* file_;
  void* library_ = nullptr;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<Nvml> make_nvml(const char* library) { return std::make_unique<Library>(library); }

}  // namespace sglint::gpu
