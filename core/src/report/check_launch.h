#pragma once
// One launch of a request -> its report, secrets still in.

#include <memory>

#include "repair/repair.h"
#include "report/launch_facts.h"
#include "sglint/sglint.h"

namespace sglint {

// What a check leaves behind, for who wants to look at the runs.
struct CheckedLaunch {
  std::unique_ptr<Facts> facts;  // what the runs refer to
  Repaired repaired;
};

LaunchReport check_launch(const LaunchFacts& given, const Launch& launch,
                          CheckedLaunch* keep = nullptr);

}  // namespace sglint
