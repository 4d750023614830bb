#include "detect.h"

#include <cstdio>
#include <string>

#include "native/gpu/detect/facts.h"
#include "output.h"

namespace sglint {
namespace {

constexpr char kUsage[] =
    "Usage: sglint detect [--json] [--plugin FILE]\n"
    "Says what GPUs, driver and software this host has, and what of it would keep SGLang from "
    "starting.\n"
    "The JSON is what `sglint check --machine FILE` takes on another host.\n"
    "\n"
    "Exit codes: 0 nothing is wrong, 1 a finding is an error, 2 the host could not be asked (no "
    "plugin).\n";

}  // namespace

int detect_main(int argc, char** argv) {
  bool json = false;
  std::string path;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--json") {
      json = true;
    } else if (argument == "--plugin" && i + 1 < argc) {
      path = argv[++i];
    } else if (argument.rfind("--plugin=", 0) == 0) {
      path = argument.substr(9);
    } else if (argument == "--help" || argument == "-h") {
      put(kUsage);
      return 0;
    } else {
      std::fprintf(stderr, "sglint: detect has no option '%s'\n%s", argument.c_str(), kUsage);
      return 2;
    }
  }

  const gpu::Detection d = gpu::detect_here(path);
  put(json ? detection_json(d) + "\n" : detection_text(d));
  if (!d.asked) return 2;
  for (const gpu::Finding& f : gpu::host_findings(d))
    if (f.severity == "error") return 1;
  return 0;
}

}  // namespace sglint
