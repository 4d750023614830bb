#pragma once
// One launch of a request -> its report, secrets still in.

#include "report/launch_facts.h"
#include "sglint/sglint.h"

namespace sglint {

LaunchReport check_launch(const LaunchFacts& given, const Launch& launch);

}  // namespace sglint
