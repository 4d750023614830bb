#include "rules/load/load.h"

namespace sglint {

void load_stage(Resolution& r) {
  if (!r.model_known()) return;  // nearly all of it depends on the model
  linear_attention_load(r);
}

}  // namespace sglint
