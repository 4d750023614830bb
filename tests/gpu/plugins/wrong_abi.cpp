#include "native/gpu/plugin.h"

extern "C" uint32_t sglint_gpu_abi(void) { return SGLINT_GPU_ABI + 6; }
extern "C" const sglint_gpu_plugin* sglint_gpu_plugin_get(void) { return nullptr; }
