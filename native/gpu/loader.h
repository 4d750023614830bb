// Finds and loads the GPU plugin, or says in one sentence why it cannot.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "native/gpu/plugin.h"

namespace sglint::gpu {

inline constexpr char kPluginFile[] = "libsglint_cuda.so";

// Where a plugin is looked for, in order: `path` alone when it is given (--plugin); else
// $SGLINT_PLUGIN alone when it is set; else beside the executable, ../lib/sglint and ../lib from
// there, and what the dynamic linker searches.
std::vector<std::string> plugin_candidates(const std::string& path);

class Plugin {
 public:
  // Never takes the process down: a library is first loaded by a child process, so that one that
  // crashes while it loads costs no more than the plugin.
  static Plugin load(const std::string& path);

  bool loaded() const { return plugin_ != nullptr; }
  const std::string& why_not() const { return why_not_; }
  const std::string& file() const { return file_; }
  std::string version() const { return loaded() ? plugin_->version : ""; }
  bool offers(const std::string& command) const;

  struct Answer {
    int status = SGLINT_GPU_COULD_NOT_RUN;
    std::string json;
  };
  Answer call(const std::string& command, const std::string& request,
              const std::function<void(const std::string&)>& progress = {}) const;

 private:
  const sglint_gpu_plugin* plugin_ = nullptr;
  std::string file_, why_not_;
};

}  // namespace sglint::gpu
