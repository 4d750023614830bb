// ServerArgs._handle_pipeline_parallelism.
#include "rules/steps.h"

namespace sglint {

void pipeline_parallelism(Resolution& r) {
  if (r.view(f::pp_size) <= 1) return;
  r.warn("Pipeline parallelism is incompatible with overlap schedule.");
  r.declare(f::disable_overlap_schedule, true,
            "Pipeline stages run their own schedule, without overlap.");
}

// Nothing here rejects; check_server_args.cpp has the rules of pipeline parallelism.
RuleList pipeline_parallelism_rules() { return {}; }

}  // namespace sglint
