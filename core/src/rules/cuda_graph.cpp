#include "rules/steps.h"

namespace sglint {

void apply_inkling_prefill_cuda_graph_default(Resolution& r) { (void)r; }

void apply_muse_glimmer_prefill_cuda_graph_max_bs_default(Resolution& r) { (void)r; }

void cuda_graph_config(Resolution& r) { (void)r; }

void disable_prefill_cuda_graph_for_deepseek_trtllm_mla(Resolution& r) { (void)r; }

RuleList cuda_graph_rules() { return {}; }

}  // namespace sglint
