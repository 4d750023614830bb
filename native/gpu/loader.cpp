#include "native/gpu/loader.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace sglint::gpu {
namespace {

constexpr int kProbeSeconds = 20;

std::string executable_folder() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0) return ".";
  const std::string whole(path, static_cast<size_t>(n));
  return whole.substr(0, whole.rfind('/'));
}

bool has_folder(const std::string& file) { return file.find('/') != std::string::npos; }

// dlopen looks into the linker's own search path for a bare name; a missing file there is not worth
// a child process.
bool exists(const std::string& file) {
  return !has_folder(file) || access(file.c_str(), F_OK) == 0;
}

// The library's table, or null with the reason.
const sglint_gpu_plugin* open(const std::string& file, std::string& why_not) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    why_not = std::string("it cannot be loaded: ") + dlerror();
    return nullptr;
  }
  using AbiFunction = uint32_t (*)();
  using GetFunction = const sglint_gpu_plugin* (*)();
  const auto abi = reinterpret_cast<AbiFunction>(dlsym(library, "sglint_gpu_abi"));
  const auto get = reinterpret_cast<GetFunction>(dlsym(library, "sglint_gpu_plugin_get"));
  if (abi == nullptr || get == nullptr) {
    why_not = "it is not a plugin of sglint (sglint_gpu_abi or sglint_gpu_plugin_get is missing)";
    return nullptr;
  }
  if (abi() != SGLINT_GPU_ABI) {
    why_not = "it has ABI " + std::to_string(abi()) + ", this sglint needs ABI " +
              std::to_string(SGLINT_GPU_ABI) + ": take both from one release";
    return nullptr;
  }
  const sglint_gpu_plugin* plugin = get();
  if (plugin == nullptr || plugin->size < sizeof(sglint_gpu_plugin) || plugin->call == nullptr ||
      plugin->version == nullptr || plugin->features == nullptr) {
    why_not = "it does not fill in what its ABI promises";
    return nullptr;
  }
  return plugin;
}

// Loads the library in a child. Empty when that went well, else the reason.
std::string probe(const std::string& file) {
  int ends[2];
  if (pipe(ends) != 0) return "";  // no child can be had: try it here
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return "";
  }
  if (child == 0) {
    close(ends[0]);
    std::string why_not;
    open(file, why_not);
    if (!why_not.empty() && write(ends[1], why_not.data(), why_not.size()) < 0) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  std::string reason;
  char buffer[1024];
  bool late = false;
  for (;;) {
    pollfd wait{ends[0], POLLIN, 0};
    if (poll(&wait, 1, kProbeSeconds * 1000) == 0) {
      late = true;
      kill(child, SIGKILL);
      break;
    }
    const ssize_t n = read(ends[0], buffer, sizeof buffer);
    if (n <= 0) break;
    reason.append(buffer, static_cast<size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (late) return "loading it did not end within " + std::to_string(kProbeSeconds) + " s";
  if (WIFSIGNALED(status))
    return std::string("it crashes while it is loaded (") + strsignal(WTERMSIG(status)) + ")";
  if (reason.empty() && WEXITSTATUS(status) != 0) return "it ends the process while it is loaded";
  return reason;
}

struct Sinks {
  std::string* json;
  const std::function<void(const std::string&)>* progress;
};

}  // namespace

std::vector<std::string> plugin_candidates(const std::string& path) {
  if (!path.empty()) return {path};
  if (const char* set = std::getenv("SGLINT_PLUGIN"); set != nullptr && *set != 0) return {set};
  const std::string here = executable_folder();
  return {here + "/" + kPluginFile, here + "/../lib/sglint/" + kPluginFile,
          here + "/../lib/" + kPluginFile, here + "/../gpu/" + kPluginFile, kPluginFile};
}

Plugin Plugin::load(const std::string& path) {
  Plugin result;
  const std::vector<std::string> candidates = plugin_candidates(path);
  std::string looked;
  for (const std::string& file : candidates) {
    looked += (looked.empty() ? "" : ", ") + file;
    if (!exists(file)) continue;
    std::string reason = probe(file);
    if (reason.empty()) result.plugin_ = open(file, reason);
    if (result.plugin_ != nullptr) {
      result.file_ = file;
      return result;
    }
    // A library that is there and broken is the answer; one that the linker does not know is simply
    // absent.
    if (has_folder(file)) {
      result.why_not_ = "the GPU plugin " + file + ": " + reason;
      return result;
    }
  }
  result.why_not_ = "there is no GPU plugin; looked for " + looked;
  return result;
}

bool Plugin::offers(const std::string& command) const {
  if (!loaded()) return false;
  const std::string list = std::string(" ") + plugin_->features + " ";
  return list.find(" " + command + " ") != std::string::npos;
}

Plugin::Answer Plugin::call(const std::string& command, const std::string& request,
                            const std::function<void(const std::string&)>& progress) const {
  Answer answer;
  if (!loaded()) return answer;
  Sinks sinks{&answer.json, &progress};
  sglint_gpu_call c{};
  c.size = sizeof c;
  c.command = command.c_str();
  c.request = request.c_str();
  c.user = &sinks;
  c.result = [](void* user, const char* text, size_t length) {
    static_cast<Sinks*>(user)->json->assign(text, length);
  };
  if (progress)
    c.progress = [](void* user, const char* text, size_t length) {
      (*static_cast<Sinks*>(user)->progress)(std::string(text, length));
    };
  answer.status = plugin_->call(&c);
  return answer;
}

}  // namespace sglint::gpu
