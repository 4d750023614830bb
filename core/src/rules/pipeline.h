#pragma once
// The order in which SGLang resolves a launch. Reading pipeline.cpp tells the whole story.

#include <span>
#include <string_view>

#include "resolve/resolution.h"

namespace sglint {

struct Step {
  std::string_view name;  // the ServerArgs method
  void (*run)(Resolution& r);
  ReleaseRange releases = {};
};

std::span<const Step> pipeline();

// Runs every step of the release, up to the first rejection, and materializes the declarations.
void run_pipeline(Resolution& r);

}  // namespace sglint
