#include "native/gpu/host_rules.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstring>

namespace sglint::gpu {

const std::vector<HostRule>& host_rules() {
  static const std::vector<HostRule> rules = {
      {"host/no-gpu", "error", "No GPU answers.",
       "SGLang needs a GPU that the driver shows to this process.",
       "Install the driver, or start the container with its GPUs (docker run --gpus all)."},
      {"host/no-visible-gpu", "error", "The driver has GPUs and CUDA sees none.",
       "CUDA_VISIBLE_DEVICES names none of the GPUs that are there, or the driver's library for "
       "CUDA is missing.",
       "Unset CUDA_VISIBLE_DEVICES or give indices or UUIDs that `sglint detect` lists."},
      {"host/gpu-denied", "warning", "A GPU of the host is not for this process.",
       "The driver counts the GPU and refuses to speak of it: a container or a cgroup holds it "
       "back, or it was lost.",
       "Give the container that GPU, or leave it out of the count of --tp."},
      {"host/some-gpus", "info", "The container has some of the host's GPUs.",
       "The kernel shows more GPUs than the driver's library does here.",
       "None is needed where that is meant."},
      {"host/driver-too-old", "error", "The driver is older than the CUDA of the build.",
       "A build for CUDA 13 does not start on a driver for CUDA 12: torch.cuda.is_available() is "
       "False and SGLang stops, or falls back to another platform. Within one major version older "
       "drivers do.",
       "Update the driver, or take an image or wheels for the driver's CUDA."},
      {"host/mixed-gpus", "warning", "The visible GPUs are not alike.",
       "Ranks of a tensor-parallel group wait for the slowest and get the memory of the smallest; "
       "SGLang takes kernels by the first GPU's architecture.",
       "Choose alike GPUs with CUDA_VISIBLE_DEVICES."},
      {"host/gpu-busy", "warning", "A GPU is in use.",
       "SGLang takes its share (--mem-fraction-static) of what is free at the start, and refuses "
       "ranks with unequal free memory.",
       "End the other process, choose other GPUs, or lower --mem-fraction-static."},
      {"host/mig", "error", "A GPU is split by MIG.",
       "A slice has part of the memory and no peer access; tensor parallelism over slices does not "
       "work.",
       "Disable MIG on GPUs that serve more than one rank."},
      {"host/compute-prohibited", "error", "A GPU's compute mode is prohibited.",
       "No process may make a CUDA context on it.", "nvidia-smi -c 0, by the host's owner."},
      {"host/compute-exclusive", "warning", "A GPU admits one process only.",
       "A second server, the detokenizer's or a profiler's context on it cannot start.",
       "nvidia-smi -c 0, by the host's owner."},
      {"host/pcie-width", "warning", "A PCIe link has fewer lanes than it could.",
       "Loading weights, KV offload and transfers between GPUs without NVLink are slower.",
       "Reseat the card, or look at the slot and the riser."},
      {"host/ecc-off", "info", "A data-centre GPU runs without ECC.",
       "A flipped bit in the weights stays until the restart.", "nvidia-smi -e 1 and a reboot."},
      {"host/no-peer-access", "warning", "Two visible GPUs cannot read each other's memory.",
       "SGLang's custom all-reduce is off among them; NCCL goes through host memory.",
       "Look at IOMMU, ACS and the virtual machine's topology, or choose GPUs of one switch."},
      {"host/shm-too-small", "warning", "/dev/shm is smaller than 1 GiB for each GPU.",
       "NCCL and the scheduler's queues keep buffers there; a full /dev/shm ends ranks with a bus "
       "error.",
       "docker run --shm-size 32g, --ipc=host, or an emptyDir of medium Memory."},
      {"host/open-files", "info", "Few files may be open.",
       "SGLang raises the limit where the hard limit allows it, and warns where it does not.",
       "ulimit -n 65535"},
      {"gpu/numerics/", "error",
       "Decode kernels against an fp64 reference, over hundreds of steps.",
       "Outputs or states differ by more than their types explain: a broken card, driver or build.",
       "Run again alone on that GPU; if it stays, take the GPU out."},
      {"gpu/shapes/", "error", "The same over ring lengths, head counts and head dims.",
       "As gpu/numerics.", "As gpu/numerics."},
      {"gpu/consistency/", "error", "Buffered against plain, fast against simple, run against run.",
       "Two ways to the same result differ, or one run differs from its repetition.",
       "As gpu/numerics."},
      {"gpu/speculative/", "error", "Verify and fold of draft tokens.", "As gpu/numerics.",
       "As gpu/numerics."},
      {"gpu/bandwidth/", "warning", "Copy and read bandwidth against what the card should reach.",
       "A process beside, lower memory clocks, retired rows or heat.",
       "nvidia-smi -q: clocks, throttle reasons, remapped rows."},
      {"gpu/speed/", "warning", "Kernel times against the floor that the bytes allow.",
       "As gpu/bandwidth.", "As gpu/bandwidth."},
      {"gpu/device", "error", "A CUDA call failed.", "The message names the call.", ""},
      {"gpu/crash", "error", "The self-test's process of a GPU died.",
       "The driver or the card ended it; the other GPUs were tested all the same.",
       "dmesg: look for Xid."},
      {"gpu/timeout", "error", "The self-test of a GPU did not end in time.",
       "A hanging kernel or driver.", "dmesg: look for Xid."},
  };
  return rules;
}

const HostRule* find_host_rule(const std::string& id) {
  for (const HostRule& r : host_rules()) {
    const size_t n = std::strlen(r.id);
    const bool family = r.id[n - 1] == '/';
    if (id == r.id || (family && (id.compare(0, n, r.id) == 0 || id + "/" == r.id))) return &r;
  }
  return nullptr;
}

namespace {
const char* command_of(const HostRule& r) {
  return std::strncmp(r.id, "gpu/", 4) == 0 ? "selftest" : "detect";
}
}  // namespace

std::string explain_host_rule(const std::string& id) {
  const HostRule* r = find_host_rule(id);
  if (r == nullptr) return "";
  std::string text = id + "\n  " + r->severity + " of sglint " + command_of(*r) + "\n\n" + r->what +
                     "\n\nWhy\n  " + r->why + "\n";
  if (r->cure[0] != 0) text += std::string("\nCure\n  ") + r->cure + "\n";
  return text;
}

std::string host_rules_text() {
  std::string text;
  for (const HostRule& r : host_rules())
    text += std::string(r.id) + "  " + r.severity + "  " + command_of(r) + "\n";
  return text;
}

std::string host_rules_json() {
  std::string items;
  for (const HostRule& r : host_rules()) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> w(buffer);
    w.StartObject();
    w.Key("id"), w.String(r.id);
    w.Key("stage"), w.String(command_of(r));
    w.Key("severity"), w.String(r.severity);
    w.Key("message"), w.String(r.what);
    w.Key("why"), w.String(r.why);
    w.Key("cure"), w.String(r.cure);
    w.EndObject();
    items += (items.empty() ? "" : ",") + std::string(buffer.GetString());
  }
  return items;
}

}  // namespace sglint::gpu
