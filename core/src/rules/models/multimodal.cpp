#include "rules/attention.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kMossVlPrefill{
    .id = "models/moss-vl-prefill-backend",
    .exception = "AssertionError",
    .message =
        "MossVLForConditionalGeneration requires flashinfer prefill attention backend for "
        "cross-attention custom mask support.",
    .why = "Moss-VL's cross attention needs a custom mask in prefill, which only flashinfer takes.",
    .source = "arg_groups/overrides.py: _moss_vl_overrides",
    // No example: no Moss-VL is in the catalogue.
};

}  // namespace

// _moss_vl_overrides
void moss_vl_overrides(Resolution& r) {
  if (attention_backend_not_set(r)) {
    r.declare(f::prefill_attention_backend, "flashinfer",
              "The only prefill backend with custom masks for cross attention.");
    r.info("Use flashinfer as default prefill attention backend for Moss-VL");
    return;
  }
  if (attention_backends(r).prefill != "flashinfer")
    r.reject(kMossVlPrefill, {}, {{{set(f::prefill_attention_backend, "flashinfer")}, ""}},
             {f::attention_backend.id});
}

// _muse_glimmer_fp4_gemm_runner_overrides
void muse_glimmer_overrides(Resolution& r) {
  if (!is_sm120_supported(r.machine()) || r.get(f::fp4_gemm_runner_backend) != "auto") return;
  r.info("Use marlin as FP4 GEMM runner backend on SM120 for Muse Glimmer");
  r.declare(f::fp4_gemm_runner_backend, "marlin",
            "The FP4 matrix products of this model on SM120.");
}

RuleList multimodal_families_rules() { return {&kMossVlPrefill}; }

}  // namespace sglint
