#pragma once

#include "resolve/resolution.h"

namespace sglint {

// --max-ep-size leaves room over this group's own ranks.
bool elastic_ep_can_grow(const Resolution& r);
// What such a deployment must look like (the `scaling_active` part of _handle_elastic_ep).
void elastic_ep_scale(Resolution& r);

}  // namespace sglint
