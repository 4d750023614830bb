#pragma once
// One launch through arguments, pipeline and check_server_args.

#include <memory>

#include "resolve/resolution.h"

namespace sglint {

struct Run {
  Arguments arguments;
  // Null if the arguments were refused; refers to `arguments`.
  std::unique_ptr<Resolution> resolution;
  bool accepted() const { return resolution && !resolution->rejection(); }
};

// What follows once the arguments are parsed: the pipeline, check_server_args, the load stage.
void resolve_launch(Resolution& r);

// What fails once the weights are loaded; null if nothing does.
const Finding* load_failure(const Resolution& r);

// `facts` must outlive the result.
std::unique_ptr<Run> run_launch(const Facts& facts, const std::vector<Token>& argv);

}  // namespace sglint
