#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <set>

#include "native/gpu/detect/facts.h"
#include "native/gpu/host_rules.h"

namespace sglint::gpu {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;
constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kShmPerGpu = kGiB;  // NCCL's buffers and the schedulers' queues of one rank
constexpr uint64_t kOpenFiles = 65535;

std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char* pattern, ...) {
  char buffer[400];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(buffer, sizeof buffer, pattern, arguments);
  va_end(arguments);
  return buffer;
}

std::string cuda_name(int version) { return format("%d.%d", version / 1000, version % 1000 / 10); }

}  // namespace

std::vector<Finding> host_findings(const Detection& d) {
  std::vector<Finding> all;
  auto say = [&all](const char* rule, std::string message) {
    all.push_back({rule, find_host_rule(rule)->severity, std::move(message)});
  };
  if (!d.driver.problem.empty()) say("host/no-gpu", d.driver.problem);
  // Within one major version of CUDA older drivers run newer builds.
  const auto torch = d.software.find("torch");
  const int own = torch == d.software.end() ? 0 : torch_cuda(torch->second);
  const int needed = own > 0 ? own : kReleaseCuda;
  if (d.driver.cuda > 0 && d.driver.cuda / 1000 < needed / 1000)
    say("host/driver-too-old",
        format("the driver %s supports CUDA up to %s; %s needs CUDA %s: update the driver, or take "
               "a build for CUDA %d",
               d.driver.version.c_str(), cuda_name(d.driver.cuda).c_str(),
               own > 0 ? ("the installed torch " + torch->second).c_str()
                       : "a default build of SGLang",
               cuda_name(needed).c_str(), d.driver.cuda / 1000));
  std::set<std::string> names;
  std::set<uint64_t> sizes;
  int visible = 0;
  for (const GpuFacts& g : d.gpus) {
    if (!g.visible) continue;
    ++visible;
    names.insert(g.name);
    sizes.insert(g.memory.total / kGiB);
  }
  if (!d.gpus.empty() && visible == 0)
    say("host/no-visible-gpu",
        format("the driver has %zu GPUs and CUDA sees none (CUDA_VISIBLE_DEVICES='%s')",
               d.gpus.size(), d.host.cuda_visible_devices.c_str()));
  if (names.size() > 1 || sizes.size() > 1) {
    std::string list;
    for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
    say("host/mixed-gpus", "the visible GPUs are not alike (" + list +
                               "): a tensor-parallel group runs at the pace and with the memory of "
                               "the least; choose alike ones with CUDA_VISIBLE_DEVICES");
  }
  for (const GpuFacts& g : d.gpus)
    if (!g.denied.empty())
      say("host/gpu-denied",
          format("GPU %d is in this host and not for this process: %s", g.index, g.denied.c_str()));
  if (!d.gpus.empty() && static_cast<size_t>(d.host.nvidia_gpus) > d.gpus.size())
    say("host/some-gpus",
        format("the host has %d GPUs, %zu of them are here", d.host.nvidia_gpus, d.gpus.size()));
  for (const GpuFacts& g : d.gpus) {
    if (!g.visible) continue;
    const uint64_t used = g.memory.total - std::min(g.memory.total, g.memory.free);
    // The driver itself keeps some hundred MiB.
    if (!g.processes.empty() || used > std::max<uint64_t>(2 * kGiB, g.memory.total / 50))
      say("host/gpu-busy",
          format("GPU %d is in use: %zu processes, %.1f of %.1f GiB taken; --mem-fraction-static "
                 "counts on a free GPU",
                 g.index, g.processes.size(), double(used) / kGiB, double(g.memory.total) / kGiB));
    if (g.mig.value_or(false))
      say("host/mig",
          format("GPU %d is split by MIG: SGLang needs whole GPUs for more than one, and its "
                 "memory is a slice's",
                 g.index));
    if (g.compute_mode == "prohibited")
      say("host/compute-prohibited",
          format("GPU %d is in compute mode prohibited: no process may use it", g.index));
    if (g.compute_mode == "exclusive-process")
      say("host/compute-exclusive",
          format("GPU %d admits one process only: a second server or a profiler on it cannot start",
                 g.index));
    if (g.pcie.max_width > 0 && g.pcie.width > 0 && g.pcie.width < g.pcie.max_width)
      say("host/pcie-width",
          format("GPU %d has a PCIe link of x%d where x%d is possible: weight loading and host "
                 "offload are slower; reseat it or check the slot",
                 g.index, g.pcie.width, g.pcie.max_width));
    if (g.ecc && !*g.ecc && (g.major == 8 && g.minor == 0 ? true : g.major >= 9 && g.major <= 10))
      say("host/ecc-off", format("GPU %d runs without ECC", g.index));
  }
  for (const GpuFacts& g : d.gpus)
    for (size_t other = g.index + 1; other < g.peers.size(); ++other)
      if (!g.peers[other] && g.visible && d.gpus[other].visible)
        say("host/no-peer-access",
            format("GPUs %d and %zu cannot read each other's memory: custom all-reduce is off "
                   "between them",
                   g.index, other));
  if (visible > 1 && d.host.shm_total > 0 && d.host.shm_total < kShmPerGpu * visible)
    say("host/shm-too-small",
        format("/dev/shm has %llu MiB for %d GPUs: NCCL and the schedulers want 1 GiB each (docker "
               "run --shm-size %dg, or --ipc=host)",
               static_cast<unsigned long long>(d.host.shm_total / kMiB), visible, visible));
  if (d.host.open_files > 0 && d.host.open_files < kOpenFiles)
    say("host/open-files",
        format(
            "the limit of open files is %llu; SGLang raises it to %llu where the hard limit allows",
            static_cast<unsigned long long>(d.host.open_files),
            static_cast<unsigned long long>(kOpenFiles)));
  return all;
}

}  // namespace sglint::gpu
