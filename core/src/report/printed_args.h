#pragma once
// A launch that a log prints as server_args=ServerArgs(…): every field with its resolved value.

#include "report/launch_facts.h"

namespace sglint {

// Leaves of such launches what SGLang does not arrive at by itself, and sets their release where
// none is given: the one whose fields these are. Of those that are the same (a server that was
// started again) one stays.
void drop_chosen(LaunchFacts& given);

}  // namespace sglint
