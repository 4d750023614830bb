// NVML behind the provider interface. The library is the driver's and is found at run time; this
// toolkit has no nvml.h, so the few declarations needed stand in the source.
#pragma once

#include <memory>

#include "native/gpu/detect/providers.h"

namespace sglint::gpu {

std::unique_ptr<Nvml> make_nvml(const char* library = "libnvidia-ml.so.1");
std::unique_ptr<Cuda> make_cuda();

}  // namespace sglint::gpu
