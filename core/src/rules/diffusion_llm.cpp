#include "rules/steps.h"

namespace sglint {

void dllm_inference(Resolution& r) { (void)r; }

RuleList diffusion_llm_rules() { return {}; }

}  // namespace sglint
