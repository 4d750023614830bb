#include "base/text.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kMobiusParallelism{
    .id = "models/intern-s2-mobius-parallelism",
    .exception = "ValueError",
    .message = "Intern-S2-Mobius does not support: {}.",
    .why =
        "The model's layers are neither split into pipeline stages nor its experts spread over "
        "ranks.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    // No example: no public model of this architecture is in the catalogue.
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

}  // namespace

void validate_interns2_mobius(Resolution& r) {
  std::string unsupported;
  std::vector<Fix> fixes(1);
  if (r.get(f::pp_size) != 1) {
    unsupported = "pipeline parallelism (--pp-size must be 1)";
    fixes[0].edits.push_back(unset(f::pp_size));
  }
  if (r.get(f::ep_size) != 1) {
    if (!unsupported.empty()) unsupported += "; ";
    unsupported += "expert parallelism (--ep-size must be 1)";
    fixes[0].edits.push_back(unset(f::ep_size));
  }
  if (!unsupported.empty()) r.reject(kMobiusParallelism, {unsupported}, std::move(fixes));
}

// _interns2_mobius_baseline_overrides
void interns2_mobius_overrides(Resolution& r) {
  if (r.get(f::moe_runner_backend) == "auto")
    r.declare(f::moe_runner_backend, "triton_kernel",
              "The only MoE runner validated for this model's 2,560 experts.");
}

RuleList intern_rules() { return {&kMobiusParallelism}; }

}  // namespace sglint
