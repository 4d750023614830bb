#pragma once

#include "base/rule.h"
#include "resolve/resolution.h"

namespace sglint {

// What is wrong with the SGLANG_ variables that the user set, of which SGLang says nothing or only
// a Python warning. Runs before the pipeline.
void note_environment(Resolution& r);
RuleList environment_notes_rules();

}  // namespace sglint
