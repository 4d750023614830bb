#include "native/gpu/detect/facts.h"
#include "native/gpu/loader.h"

namespace sglint::gpu {

Detection detect_here(const std::string& plugin_path) {
  Detection d;
  d.host = collect_host("");
  d.software = collect_software(site_folders(""));
  const Plugin plugin = Plugin::load(plugin_path);
  if (!plugin.loaded())
    d.driver.problem = "GPUs were not asked: " + plugin.why_not();
  else if (!plugin.offers("detect"))
    d.driver.problem = "GPUs were not asked: the GPU plugin " + plugin.file() + " does not detect";
  else if (!read_gpus(plugin.call("detect", "{}").json, d))
    d.driver.problem = "the GPU plugin " + plugin.file() + " gave an answer that cannot be read";
  else
    d.asked = true, d.driver.problem = no_gpu_reason(d.host, d.driver.problem);
  for (GpuFacts& g : d.gpus) g.numa_node = numa_node("", g.pci_bus);
  return d;
}

}  // namespace sglint::gpu
