#include <cuda_runtime.h>

#include <cstdio>

#include "native/gpu/cuda/detect/nvml.h"
#include "native/gpu/cuda/support/uuid.h"

namespace sglint::gpu {
namespace {

class Runtime : public Cuda {
 public:
  Asked<int> runtime_version() override {
    int version = 0;
    if (cudaError_t e = cudaRuntimeGetVersion(&version); e != cudaSuccess)
      return Asked<int>::failed(text(e));
    return Asked<int>::of(version);
  }
  Asked<std::vector<CudaDevice>> devices() override {
    int count = 0;  // left alone by the call when it fails
    const cudaError_t counted = cudaGetDeviceCount(&count);
    if (counted == cudaErrorNoDevice) return Asked<std::vector<CudaDevice>>::of({});
    if (counted != cudaSuccess) return Asked<std::vector<CudaDevice>>::failed(text(counted));
    std::vector<CudaDevice> all;
    for (int i = 0; i < count; ++i) {
      cudaDeviceProp p{};
      if (cudaError_t e = cudaGetDeviceProperties(&p, i); e != cudaSuccess)
        return Asked<std::vector<CudaDevice>>::failed(text(e));
      char bus[32] = "";  // where it cannot be told, the UUID does
      if (cudaDeviceGetPCIBusId(bus, sizeof bus, i) != cudaSuccess) bus[0] = 0;
      all.push_back(
          {uuid_text(p.uuid), bus, p.multiProcessorCount, static_cast<uint64_t>(p.l2CacheSize)});
    }
    return Asked<std::vector<CudaDevice>>::of(std::move(all));
  }

 private:
  static std::string text(cudaError_t e) {
    return std::string(cudaGetErrorName(e)) + ": " + cudaGetErrorString(e);
  }
};

}  // namespace

std::unique_ptr<Cuda> make_cuda() { return std::make_unique<Runtime>(); }

}  // namespace sglint::gpu
