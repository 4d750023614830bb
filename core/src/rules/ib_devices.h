#pragma once

#include "base/rule.h"
#include "resolve/resolution.h"

namespace sglint {

// ServerArgs._validate_ib_devices on --disaggregation-ib-device: a list, or a JSON map from GPU to
// list.
void validate_ib_devices(Resolution& r);
RuleList ib_devices_rules();

}  // namespace sglint
