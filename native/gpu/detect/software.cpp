#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "native/gpu/detect/facts.h"

namespace sglint::gpu {
namespace {

// Packages whose version decides something, by the name of their metadata folder.
constexpr const char* kPackages[] = {
    "sglang",          "torch",         "flashinfer_python", "triton",
    "sgl_kernel",      "sglang_kernel", "transformers",      "vllm",
    "flash_attn",      "deep_ep",       "nvidia_nccl_cu12",  "nvidia_nccl_cu13",
    "flashinfer_cubin"};

std::vector<std::string> entries(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> d(opendir(folder.c_str()), closedir);
  if (d == nullptr) return names;
  while (const dirent* e = readdir(d.get()))
    if (e->d_name[0] != '.') names.push_back(e->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string normal(std::string name) {
  for (char& c : name)
    c = c == '-' || c == '.' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

}  // namespace

std::map<std::string, std::string> collect_software(const std::vector<std::string>& site_folders) {
  std::map<std::string, std::string> found;
  for (const std::string& folder : site_folders)
    for (const std::string& entry : entries(folder)) {
      // NAME-VERSION.dist-info; a version holds no dash.
      const size_t end = entry.rfind(".dist-info");
      const size_t dash = end == std::string::npos ? end : entry.rfind('-', end);
      if (dash == std::string::npos || end + std::strlen(".dist-info") != entry.size()) continue;
      const std::string name = normal(entry.substr(0, dash));
      for (const char* wanted : kPackages)
        if (name == wanted)
          found.emplace(name, entry.substr(dash + 1, end - dash - 1));  // the first folder wins
    }
  return found;
}

std::vector<std::string> site_folders(const std::string& root) {
  std::vector<std::string> folders;
  std::vector<std::string> prefixes;
  // An active environment goes first, as Python itself would have it.
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* value = std::getenv(variable); value != nullptr && *value != 0)
      prefixes.push_back(root + value);
  // Then that of each python3 on the PATH.
  const char* path = std::getenv("PATH");
  for (std::string rest = path == nullptr ? "" : path; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string folder = rest.substr(0, end);
    rest.erase(0, end + 1);
    const size_t bin = folder.rfind("/bin");
    if (bin != std::string::npos && bin + 4 == folder.size() &&
        access((root + folder + "/python3").c_str(), X_OK) == 0)
      prefixes.push_back(root + folder.substr(0, bin));
  }
  for (const char* prefix : {"/usr/local", "/usr", "/opt/venv", "/opt/conda"})
    prefixes.push_back(root + prefix);
  for (const std::string& prefix : prefixes)
    for (const std::string& entry : entries(prefix + "/lib"))
      if (entry.rfind("python3", 0) == 0)
        for (const char* kind : {"/site-packages", "/dist-packages"})
          folders.push_back(prefix + "/lib/" + entry + kind);
  return folders;
}

}  // namespace sglint::gpu
