#include "repair/run.h"

#include "rules/load/load.h"
#include "rules/pipeline.h"
#include "rules/steps.h"

namespace sglint {

void resolve_launch(Resolution& r) {
  run_pipeline(r);
  // An encoder-only launch takes another entry point, which skips this.
  if (!r.stopped() && !r.get(f::encoder_only)) check_server_args(r);
  if (!r.stopped()) load_stage(r);
}

const Finding* load_failure(const Resolution& r) {
  for (const Finding& note : r.notes())
    if (note.rule->stage == Stage::load && note.rule->severity == Severity::error) return &note;
  return nullptr;
}

std::unique_ptr<Run> run_launch(const Facts& facts, const std::vector<Token>& argv) {
  auto run = std::make_unique<Run>();
  run->arguments = parse_arguments(facts.release, argv, facts.files);
  if (run->arguments.error) return run;
  run->resolution = std::make_unique<Resolution>(facts, run->arguments);
  resolve_launch(*run->resolution);
  return run;
}

}  // namespace sglint
