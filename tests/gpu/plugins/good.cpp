// A plugin without a GPU: answers "echo" with its request.
#include <cstring>

#include "native/gpu/plugin.h"

namespace {

int32_t call(const sglint_gpu_call* c) {
  if (std::strcmp(c->command, "echo") != 0) return SGLINT_GPU_COULD_NOT_RUN;
  if (c->progress != nullptr) c->progress(c->user, "{\"step\":1}", 10);
  c->result(c->user, c->request, std::strlen(c->request));
  return SGLINT_GPU_FOUND_FAULTS;
}

constexpr sglint_gpu_plugin kPlugin = {sizeof(sglint_gpu_plugin), SGLINT_GPU_ABI, "9.9",
                                       "echo other", call};

}  // namespace

extern "C" uint32_t sglint_gpu_abi(void) { return SGLINT_GPU_ABI; }
extern "C" const sglint_gpu_plugin* sglint_gpu_plugin_get(void) { return &kPlugin; }
