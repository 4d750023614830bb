// A plugin that finds one H200, of which another process has taken 20 GiB.
#include <cstring>

#include "native/gpu/plugin.h"

namespace {

constexpr char kFound[] =
    R"({"driver":{"version":"580.1","cuda":13000},"gpus":[{"index":0,"name":"NVIDIA H200",)"
    R"("uuid":"GPU-1","compute_capability":[9,0],"multiprocessors":132,)"
    R"("memory":{"total":150754820096,"free":129279983616},"ecc":true,"mig":false,)"
    R"("processes":[{"pid":7,"memory":21474836480}]}]})";

int32_t call(const sglint_gpu_call* c) {
  if (std::strcmp(c->command, "detect") != 0) return SGLINT_GPU_COULD_NOT_RUN;
  c->result(c->user, kFound, std::strlen(kFound));
  return SGLINT_GPU_OK;
}

constexpr sglint_gpu_plugin kPlugin = {sizeof(sglint_gpu_plugin), SGLINT_GPU_ABI, "9.9", "detect",
                                       call};

}  // namespace

extern "C" uint32_t sglint_gpu_abi(void) { return SGLINT_GPU_ABI; }
extern "C" const sglint_gpu_plugin* sglint_gpu_plugin_get(void) { return &kPlugin; }
