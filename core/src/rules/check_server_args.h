#pragma once
// Parts of ServerArgs.check_server_args, in its order.

#include "resolve/resolution.h"

namespace sglint {

void check_parallelism(Resolution& r);
void check_lora_server_args(Resolution& r);  // lora.cpp
void check_scheduling(Resolution& r);
void check_workers(Resolution& r);
void check_token_buckets(Resolution& r);  // token_buckets.cpp
void check_priorities(Resolution& r);
void check_serving(Resolution& r);

}  // namespace sglint
