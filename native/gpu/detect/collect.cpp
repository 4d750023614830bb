#include "native/gpu/detect/facts.h"

namespace sglint::gpu {
namespace {

// Takes an answer, or notes the gap.
template <typename T, typename To>
void take(GpuFacts& g, const char* what, const Asked<T>& asked, To& to) {
  if (asked.value)
    to = *asked.value;
  else
    g.gaps.push_back(std::string(what) + ": " + asked.error);
}

// "0000:19:00.0" and "00000000:19:00.0" are one bus.
std::string short_bus(const std::string& bus) {
  std::string b = bus.size() > 12 ? bus.substr(bus.size() - 12) : bus;
  for (char& c : b) c = static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
  return b;
}

}  // namespace

void collect_gpus(Nvml& nvml, Cuda& cuda, Detection& d) {
  if (const Asked<bool> started = nvml.start(); !started.value) {
    d.driver.problem = started.error;
    return;
  }
  if (const auto v = nvml.driver_version(); v.value) d.driver.version = *v.value;
  if (const auto v = nvml.cuda_version(); v.value) d.driver.cuda = *v.value;
  const Asked<int> count = nvml.count();
  if (!count.value) {
    d.driver.problem = "the driver does not count its GPUs: " + count.error;
    return;
  }
  if (*count.value == 0) {
    d.driver.problem = "the driver is there and shows no GPU";
    return;
  }
  for (int i = 0; i < *count.value; ++i) {
    GpuFacts g;
    g.index = i;
    const Asked<std::string> uuid = nvml.uuid(i), name = nvml.name(i);
    if (!uuid.value && !name.value) {  // not this process's: nothing else will be answered
      g.denied = uuid.error;
      g.visible = false;
      g.peers.assign(*count.value, false);
      d.gpus.push_back(std::move(g));
      continue;
    }
    take(g, "name", name, g.name);
    take(g, "uuid", uuid, g.uuid);
    take(g, "pci_bus", nvml.pci_bus(i), g.pci_bus);
    take(g, "memory", nvml.memory(i), g.memory);
    if (const auto cc = nvml.compute_capability(i); cc.value) {
      g.major = cc.value->first;
      g.minor = cc.value->second;
    } else {
      g.gaps.push_back("compute_capability: " + cc.error);
    }
    take(g, "clock", nvml.clock_mhz(i, false, false), g.clock_mhz);
    take(g, "max_clock", nvml.clock_mhz(i, false, true), g.max_clock_mhz);
    take(g, "memory_clock", nvml.clock_mhz(i, true, false), g.memory_clock_mhz);
    take(g, "max_memory_clock", nvml.clock_mhz(i, true, true), g.max_memory_clock_mhz);
    take(g, "power", nvml.power_watts(i), g.power_watts);
    take(g, "power_limit", nvml.power_limit_watts(i), g.power_limit_watts);
    take(g, "ecc", nvml.ecc(i), g.ecc);
    take(g, "mig", nvml.mig(i), g.mig);
    take(g, "compute_mode", nvml.compute_mode(i), g.compute_mode);
    take(g, "processes", nvml.processes(i), g.processes);
    take(g, "pcie", nvml.pcie(i), g.pcie);
    take(g, "nvlinks", nvml.nvlinks(i), g.nvlinks);
    for (int other = 0; other < *count.value; ++other) {
      const Asked<bool> peer = other == i ? Asked<bool>::of(true) : nvml.peer(i, other);
      g.peers.push_back(peer.value.value_or(false));
      if (!peer.value) g.gaps.push_back("peer " + std::to_string(other) + ": " + peer.error);
    }
    d.gpus.push_back(std::move(g));
  }

  size_t denied = 0;
  for (const GpuFacts& g : d.gpus) denied += !g.denied.empty();
  if (denied == d.gpus.size()) {
    d.driver.problem = "the driver has " + std::to_string(denied) +
                       (denied == 1 ? " GPU, which" : " GPUs, none of which") +
                       (denied == 1 ? " this process may not use: " : " this process may use: ") +
                       d.gpus[0].denied;
    d.gpus.clear();
    return;
  }
  if (const auto v = cuda.runtime_version(); v.value) d.driver.cuda_runtime = *v.value;
  const Asked<std::vector<CudaDevice>> devices = cuda.devices();
  if (!devices.value) {
    for (GpuFacts& g : d.gpus)
      if (g.denied.empty()) g.gaps.push_back("cuda: " + devices.error);
    return;
  }
  for (GpuFacts& g : d.gpus) {
    g.visible = false;
    for (const CudaDevice& c : *devices.value)
      if (c.uuid == g.uuid ||
          (!g.pci_bus.empty() && short_bus(c.pci_bus) == short_bus(g.pci_bus))) {
        g.visible = true;
        g.multiprocessors = c.multiprocessors;
        g.l2_bytes = c.l2_bytes;
      }
  }
}

}  // namespace sglint::gpu
