#include <dirent.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "native/gpu/detect/facts.h"

namespace sglint::gpu {
namespace {

std::string read_file(const std::string& path) {
  std::string content;
  FILE* f = std::fopen(path.c_str(), "r");
  if (f == nullptr) return content;
  char buffer[4096];
  size_t n;
  while ((n = std::fread(buffer, 1, sizeof buffer, f)) > 0) content.append(buffer, n);
  std::fclose(f);
  return content;
}

// The text after "name" and a colon in a file of such lines.
std::string field(const std::string& text, const std::string& name) {
  size_t at = text.rfind(name, 0) == 0 ? 0 : text.find("\n" + name);
  if (at == std::string::npos) return "";
  at = text.find(':', at);
  if (at == std::string::npos) return "";
  const size_t from = text.find_first_not_of(" \t", at + 1);
  if (from == std::string::npos) return "";
  return text.substr(from, text.find('\n', from) - from);
}

uint64_t kib(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10) * 1024; }

uint64_t soft_limit(int resource) {
  rlimit limit{};
  if (getrlimit(static_cast<decltype(RLIMIT_NOFILE)>(resource), &limit) != 0) return 0;
  return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

}  // namespace

HostFacts collect_host(const std::string& root) {
  HostFacts h;
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) == 0) h.name = name;
  utsname system{};
  if (uname(&system) == 0) h.kernel = system.release;
  h.cpu = field(read_file(root + "/proc/cpuinfo"), "model name");
  h.cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const std::string memory = read_file(root + "/proc/meminfo");
  h.memory = kib(field(memory, "MemTotal"));
  h.memory_available = kib(field(memory, "MemAvailable"));
  struct statvfs shm {};
  if (statvfs((root + "/dev/shm").c_str(), &shm) == 0) {
    h.shm_total = static_cast<uint64_t>(shm.f_blocks) * shm.f_frsize;
    h.shm_free = static_cast<uint64_t>(shm.f_bavail) * shm.f_frsize;
  }
  h.open_files = soft_limit(RLIMIT_NOFILE);
  h.locked_memory = soft_limit(RLIMIT_MEMLOCK);
  if (const char* v = std::getenv("CUDA_VISIBLE_DEVICES")) h.cuda_visible_devices = v;

  // cgroup 2, else 1; "max" and absurdly large numbers mean none.
  std::string limit = read_file(root + "/sys/fs/cgroup/memory.max");
  if (limit.empty()) limit = read_file(root + "/sys/fs/cgroup/memory/memory.limit_in_bytes");
  if (!limit.empty() && limit.rfind("max", 0) != 0) {
    h.memory_limit = std::strtoull(limit.c_str(), nullptr, 10);
    if (h.memory_limit > (uint64_t{1} << 60)) h.memory_limit = 0;
  }
  if (const std::string quota = read_file(root + "/sys/fs/cgroup/cpu.max");
      !quota.empty() && quota.rfind("max", 0) != 0) {
    double used = 0, period = 0;
    if (std::sscanf(quota.c_str(), "%lf %lf", &used, &period) == 2 && period > 0)
      h.cpu_quota = used / period;
  }
  if (std::getenv("KUBERNETES_SERVICE_HOST") != nullptr)
    h.container = "kubernetes";
  else if (access((root + "/.dockerenv").c_str(), F_OK) == 0)
    h.container = "docker";
  else if (access((root + "/run/.containerenv").c_str(), F_OK) == 0)
    h.container = "podman";
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  …": the first word with a dot.
  const std::string module = field(read_file(root + "/proc/driver/nvidia/version"), "NVRM version");
  for (size_t at = 0, end; at < module.size(); at = end + 1) {
    end = std::min(module.find(' ', at), module.size());
    const std::string word = module.substr(at, end - at);
    if (word.find('.') == std::string::npos || word.find_first_not_of("0123456789.") != word.npos)
      continue;
    h.nvidia_driver = word;
    break;
  }
  if (DIR* gpus = opendir((root + "/proc/driver/nvidia/gpus").c_str())) {
    while (const dirent* e = readdir(gpus)) h.nvidia_gpus += e->d_name[0] != '.';
    closedir(gpus);
  }
  const std::string control = root + "/dev/nvidiactl";
  if (access(control.c_str(), F_OK) == 0)
    h.nvidia_control = access(control.c_str(), R_OK | W_OK) == 0 ? HostFacts::Node::kUsable
                                                                 : HostFacts::Node::kDenied;
  return h;
}

std::string no_gpu_reason(const HostFacts& host, const std::string& error) {
  if (error.empty()) return "";
  const bool container = !host.container.empty();
  const std::string loaded = "the NVIDIA driver " + host.nvidia_driver + " is loaded, but ";
  if (host.nvidia_driver.empty())
    return error + (container ? "; in a container: the host may have one, start it with its GPUs "
                                "(docker run --gpus all)"
                              : "");
  if (host.nvidia_control == HostFacts::Node::kMissing)
    return loaded + "its devices are not here (/dev/nvidiactl is missing): start the container " +
           "with its GPUs (docker run --gpus all, or a GPU resource in the pod)";
  if (host.nvidia_control == HostFacts::Node::kDenied)
    return loaded + "this user may not use it (/dev/nvidiactl cannot be opened): join the group " +
           "that owns it, or change its mode";
  if (error.find("libnvidia-ml.so.1") != std::string::npos)
    return loaded + "its library libnvidia-ml.so.1 is not here: the container needs the NVIDIA " +
           "toolkit with NVIDIA_DRIVER_CAPABILITIES=compute,utility";
  return error;
}

int numa_node(const std::string& root, const std::string& pci_bus) {
  if (pci_bus.empty()) return -1;
  // NVML prints the domain with eight digits, sysfs with four, in lower case.
  std::string id = pci_bus.size() > 12 ? pci_bus.substr(pci_bus.size() - 12) : pci_bus;
  for (char& c : id) c = static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
  const std::string text = read_file(root + "/sys/bus/pci/devices/" + id + "/numa_node");
  return text.empty() ? -1 : std::atoi(text.c_str());
}

}  // namespace sglint::gpu
