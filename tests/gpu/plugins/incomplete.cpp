#include "native/gpu/plugin.h"

namespace {
constexpr sglint_gpu_plugin kPlugin = {sizeof(sglint_gpu_plugin), SGLINT_GPU_ABI, "1", nullptr,
                                       nullptr};
}

extern "C" uint32_t sglint_gpu_abi(void) { return SGLINT_GPU_ABI; }
extern "C" const sglint_gpu_plugin* sglint_gpu_plugin_get(void) { return &kPlugin; }
