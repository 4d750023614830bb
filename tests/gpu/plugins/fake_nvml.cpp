// A driver's NVML with two GPUs. SGLINT_FAKE_NVML="function=code function=code…" makes functions
// fail; a name with "#1" fails for the second GPU alone.
#include <cstdlib>
#include <cstring>
#include <string>

namespace {
int failure(const char* function, void* device) {
  const char* list = std::getenv("SGLINT_FAKE_NVML");
  if (list == nullptr) return 0;
  const std::string all = std::string(" ") + list;
  for (const std::string& name :
       {std::string(function),
        std::string(function) + "#" + std::to_string(reinterpret_cast<size_t>(device) - 1)}) {
    const size_t at = all.find(" " + name + "=");
    if (at != std::string::npos) return std::atoi(all.c_str() + at + name.size() + 2);
  }
  return 0;
}
int fill(const char* function, void* device, char* to, const std::string& text) {
  if (const int code = failure(function, device)) return code;
  std::strcpy(to, text.c_str());
  return 0;
}
template <typename T>
int number(const char* function, void* device, T* to, T value) {
  if (const int code = failure(function, device)) return code;
  *to = value;
  return 0;
}
}  // namespace

extern "C" {
int nvmlInit_v2() { return failure("nvmlInit_v2", nullptr); }
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int code) {
  return code == 4 ? "Insufficient Permissions" : code == 15 ? "GPU is lost" : "Not Supported";
}
int nvmlSystemGetDriverVersion(char* to, unsigned) {
  return fill(__func__, nullptr, to, "580.159.04");
}
int nvmlSystemGetCudaDriverVersion_v2(int* to) { return number(__func__, nullptr, to, 13000); }
int nvmlDeviceGetCount_v2(unsigned* to) { return number(__func__, nullptr, to, 2u); }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** to) {
  void* device = reinterpret_cast<void*>(size_t{1} + i);
  return number(__func__, device, to, device);
}
int nvmlDeviceGetName(void* d, char* to, unsigned) { return fill(__func__, d, to, "NVIDIA H200"); }
int nvmlDeviceGetUUID(void* d, char* to, unsigned) {
  return fill(__func__, d, to, "GPU-" + std::to_string(reinterpret_cast<size_t>(d) - 1));
}
int nvmlDeviceGetPciInfo_v3(void* d, char* to) {  // the bus id stands behind the legacy one
  return fill(__func__, d, to + 36, "00000000:19:00.0");
}
int nvmlDeviceGetMemoryInfo(void* d, unsigned long long* to) {
  if (const int code = failure(__func__, d)) return code;
  to[0] = 150754820096ull, to[1] = 150000000000ull, to[2] = 754820096ull;
  return 0;
}
int nvmlDeviceGetCudaComputeCapability(void* d, int* major, int* minor) {
  *minor = 0;
  return number(__func__, d, major, 9);
}
int nvmlDeviceGetClockInfo(void* d, int, unsigned* to) { return number(__func__, d, to, 345u); }
int nvmlDeviceGetMaxClockInfo(void* d, int, unsigned* to) { return number(__func__, d, to, 1980u); }
int nvmlDeviceGetPowerUsage(void* d, unsigned* to) { return number(__func__, d, to, 80500u); }
int nvmlDeviceGetEnforcedPowerLimit(void* d, unsigned* to) {
  return number(__func__, d, to, 700000u);
}
int nvmlDeviceGetEccMode(void* d, int* current, int* pending) {
  *pending = 0;
  return number(__func__, d, current, 1);
}
int nvmlDeviceGetMigMode(void* d, unsigned* current, unsigned* pending) {
  *pending = 1;
  return number(__func__, d, current, 0u);
}
int nvmlDeviceGetComputeMode(void* d, int* to) { return number(__func__, d, to, 3); }
int nvmlDeviceGetComputeRunningProcesses_v3(void* d, unsigned* count, void* list) {
  struct Process {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
  };
  if (const int code = failure(__func__, d); code != 0 && code != 7) return code;
  auto* processes = static_cast<Process*>(list);
  processes[0] = {4242, 1 << 30, 0, 0};
  processes[1] = {4243, ~0ull, 0, 0};  // a container's: memory not told
  *count = 2;
  return failure(__func__, d);
}
int nvmlDeviceGetCurrPcieLinkGeneration(void* d, unsigned* to) {
  return number(__func__, d, to, 5u);
}
int nvmlDeviceGetCurrPcieLinkWidth(void* d, unsigned* to) { return number(__func__, d, to, 8u); }
int nvmlDeviceGetMaxPcieLinkGeneration(void* d, unsigned* to) {
  return number(__func__, d, to, 5u);
}
int nvmlDeviceGetMaxPcieLinkWidth(void* d, unsigned* to) { return number(__func__, d, to, 16u); }
int nvmlDeviceGetNvLinkState(void* d, unsigned link, int* to) {
  if (link >= 4) return 3;
  return number(__func__, d, to, link == 3 ? 0 : 1);  // one of four is down
}
int nvmlDeviceGetP2PStatus(void* d, void*, int, int* to) { return number(__func__, d, to, 0); }
}
