// The plugin's entry points: commands by name, JSON in and out.
#include "native/gpu/plugin.h"

#include <cstring>
#include <string>

#include "native/gpu/cuda/detect/nvml.h"
#include "native/gpu/cuda/selftest/fleet.h"
#include "native/gpu/detect/facts.h"

namespace {

void give(const sglint_gpu_call& call, const std::string& json) {
  if (call.result != nullptr) call.result(call.user, json.data(), json.size());
}

int32_t run(const sglint_gpu_call* call) {
  if (call == nullptr || call->size < sizeof(sglint_gpu_call) || call->command == nullptr)
    return SGLINT_GPU_COULD_NOT_RUN;
  const std::string request = call->request != nullptr ? call->request : "{}";
  if (std::strcmp(call->command, "selftest") == 0) {
    sglint::gpu::FleetAnswer answer =
        sglint::gpu::selftest_all_gpus(request, [call](const std::string& line) {
          if (call->progress != nullptr) call->progress(call->user, line.data(), line.size());
        });
    give(*call, answer.json);
    return answer.status;
  }
  if (std::strcmp(call->command, "detect") == 0) {
    sglint::gpu::Detection d;
    const auto nvml = sglint::gpu::make_nvml();
    const auto cuda = sglint::gpu::make_cuda();
    collect_gpus(*nvml, *cuda, d);
    give(*call, gpus_json(d));
    return d.gpus.empty() ? SGLINT_GPU_COULD_NOT_RUN : SGLINT_GPU_OK;
  }
  give(*call, std::string("{\"error\":\"this plugin has no such command\"}"));
  return SGLINT_GPU_COULD_NOT_RUN;
}

constexpr sglint_gpu_plugin kPlugin = {sizeof(sglint_gpu_plugin), SGLINT_GPU_ABI, SGLINT_VERSION,
                                       "selftest detect", run};

}  // namespace

#define SGLINT_EXPORT extern "C" __attribute__((visibility("default")))

SGLINT_EXPORT uint32_t sglint_gpu_abi(void) { return SGLINT_GPU_ABI; }
SGLINT_EXPORT const sglint_gpu_plugin* sglint_gpu_plugin_get(void) { return &kPlugin; }
