#pragma once

#include "base/rule.h"
#include "resolve/resolution.h"

namespace sglint {

// ServerArgs._validate_ib_devices on --disaggregation-ib-device or --mooncake-ib-device: a list, or
// a JSON map from GPU to list.
void validate_ib_devices(Resolution& r,
                         Key<std::optional<std::string_view>> flag = f::disaggregation_ib_device);
RuleList ib_devices_rules();

}  // namespace sglint
