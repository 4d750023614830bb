// The parts of the command line that ask the host or its GPUs, for the npm package: WebAssembly
// reaches neither, so each says where it can be done.
#include <cstdio>

#include "native/cli/detect.h"
#include "native/gpu/detect/facts.h"
#include "native/gpu/loader.h"

namespace sglint {
namespace {

constexpr char kNeedsNative[] =
    "the npm package cannot ask this host or its GPUs; the native sglint can (see the releases "
    "page)";

}  // namespace

int detect_main(int, char**) {
  std::fprintf(stderr, "sglint detect: %s\n", kNeedsNative);
  return 2;
}

namespace gpu {

Detection detect_here(const std::string&) {
  Detection d;
  d.driver.problem = kNeedsNative;
  return d;
}

Plugin Plugin::load(const std::string&) {
  Plugin plugin;
  plugin.why_not_ = kNeedsNative;
  return plugin;
}

bool Plugin::offers(const std::string&) const { return false; }

Plugin::Answer Plugin::call(const std::string&, const std::string&,
                            const std::function<void(const std::string&)>&) const {
  return {};
}

}  // namespace gpu
}  // namespace sglint
