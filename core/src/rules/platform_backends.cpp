#include "rules/steps.h"

namespace sglint {

void hpu_backends(Resolution& r) { (void)r; }

void cpu_backends(Resolution& r) { (void)r; }

void npu_backends(Resolution& r) { (void)r; }

void mps_backends(Resolution& r) { (void)r; }

void xpu_backends(Resolution& r) { (void)r; }

void amd_specifics(Resolution& r) { (void)r; }

void nccl_pre_warm(Resolution& r) { (void)r; }

RuleList platform_backends_rules() { return {}; }

}  // namespace sglint
