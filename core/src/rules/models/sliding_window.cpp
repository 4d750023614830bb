#include "base/text.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kExaoneAttentionBackend{
    .id = "models/exaone-attention-backend",
    .exception = "AssertionError",
    .message =
        "One of the attention backends in ['fa3', 'triton', 'trtllm_mha'] is required for {}, but "
        "got {}",
    .why =
        "EXAONE 4 mixes sliding window and full attention. SGLang chooses no backend for it at "
        "this point, so --attention-backend must be given: without the flag the message ends in "
        "None.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    // No example: no EXAONE 4 is in the catalogue.
};

constexpr Rule kOlmo2NotFlashinfer{
    .id = "models/olmo2-not-flashinfer",
    .exception = "AssertionError",
    .message = "FlashInfer backend can significantly degrade the performance of Olmo3 models.",
    .why =
        "OLMo 3 shares OLMo 2's architecture name and has sliding windows, on which FlashInfer is "
        "slow; SGLang refuses it for both, though OLMo 2 itself has no sliding window.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    // No example: no OLMo 2 is in the catalogue.
};

}  // namespace

// _exaone_overrides
void exaone_overrides(Resolution& r) {
  if (r.model().hf_config["sliding_window_pattern"].is_none()) return;
  r.warn("Disabling hybrid SWA memory for {} as it is not yet supported.",
         {r.model().architecture()});
  r.declare(f::disable_hybrid_swa_memory, true,
            "Separate pools for sliding window layers do not work with this model.");
}

void exaone_adjustments(Resolution& r) {
  if (r.model().hf_config["sliding_window_pattern"].is_none()) return;
  const auto got = r.view(f::attention_backend);
  if (got && one_of(*got, {"fa3", "triton", "trtllm_mha"})) return;
  r.reject(kExaoneAttentionBackend, {r.model().architecture(), got},
           {{{set(f::attention_backend, "triton")}, ""}});
}

// _olmo2_overrides
void olmo2_overrides(Resolution& r) {
  r.warn("Disabling hybrid SWA memory for {} as it is not yet supported.",
         {r.model().architecture()});
  r.declare(f::disable_hybrid_swa_memory, true,
            "Separate pools for sliding window layers do not work with this model.");
  if (r.get(f::attention_backend)) return;
  const Machine& m = r.machine();
  const char* backend = is_sm100_supported(m)              ? "trtllm_mha"
                        : is_cuda(m) && device_sm(m) >= 80 ? "fa3"
                                                           : "triton";
  r.declare(f::attention_backend, backend, "The default for OLMo on this machine.");
}

void olmo2_adjustments(Resolution& r) {
  const auto backend = r.view(f::attention_backend);
  if (backend == "flashinfer") {
    r.reject(kOlmo2NotFlashinfer, {},
             {{{unset(f::attention_backend)}, "SGLang's default backend for OLMo"}},
             {f::attention_backend.id});
  }
  r.info("Using {} as attention backend for {}.", {backend, r.model().architecture()});
}

RuleList sliding_window_rules() { return {&kExaoneAttentionBackend, &kOlmo2NotFlashinfer}; }

}  // namespace sglint
