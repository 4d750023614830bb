#include "repair/run.h"

#include "rules/load/load.h"
#include "rules/pipeline.h"
#include "rules/steps.h"

namespace sglint {

std::unique_ptr<Run> run_launch(const Facts& facts, const std::vector<Token>& argv) {
  auto run = std::make_unique<Run>();
  run->arguments = parse_arguments(facts.release, argv, facts.files);
  if (run->arguments.error) return run;
  run->resolution = std::make_unique<Resolution>(facts, run->arguments);
  Resolution& r = *run->resolution;
  run_pipeline(r);
  // An encoder-only launch takes another entry point, which skips this.
  if (!r.stopped() && !r.get(f::encoder_only)) {
    r.enter("check_server_args");
    check_server_args(r);
  }
  if (!r.stopped()) {
    r.enter("load");
    load_stage(r);
  }
  return run;
}

}  // namespace sglint
