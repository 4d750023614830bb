// Which recurrent layers a model has and what runs them: layers/attention/attention_registry.py,
// attn_backend_wrapper. GDN and KDA have kernels to choose from; the others have one.

#include "base/text.h"
#include "rules/load/layout.h"
#include "rules/load/linear_kernels.h"
#include "rules/load/load.h"
#include "rules/load/state_pool.h"

namespace sglint {
namespace {

constexpr Rule kLightningTree{
    .id = "linear-kernels/lightning-needs-draft-chain",
    .stage = Stage::load,
    .exception = "NotImplementedError",
    .message =
        "Lightning (seg_la) linear-attention backend does not support speculative decoding with "
        "topk > 1 (got topk={}); seg_la verifies a draft tree as a chain. Use "
        "--speculative-eagle-topk 1.",
    .why =
        "ServerArgs takes the launch; the server stops when it makes the attention backend, after "
        "the weights are loaded.",
    .source = "layers/attention/linear/lightning_backend.py: LightningAttentionBackend.__init__",
    .bad = {"--model-path inclusionAI/Ling-2.5-1T --trust-remote-code --tp-size 8 "
            "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 2 "
            "--speculative-num-draft-tokens 4",
            "b300"},
    .good = {"--model-path inclusionAI/Ling-2.5-1T --trust-remote-code --tp-size 8 "
             "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 1 "
             "--speculative-num-draft-tokens 4",
             "b300"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

constexpr Rule kNoChoice{
    .id = "linear-kernels/backend-flag-without-effect",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message = "{} has no effect: {} layers have one kernel only.",
    .why =
        "The --linear-attn-* flags choose among kernels of GDN and KDA layers. SGLang judges them "
        "for every model, but reads them for those two alone.",
    .source = "layers/attention/attention_registry.py: attn_backend_wrapper",
    .bad = {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 8 --linear-attn-decode-backend "
            "cutedsl"},
    .good = {"--model-path nvidia/Nemotron-H-56B-Base-8K --tp-size 8"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

constexpr Rule kTrackInterval{
    .id = "linear-kernels/mamba-track-interval",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "mamba_track_interval ({}) must be >= mamba_chunk_size ({})",
    .why =
        "With the radix cache's strategy extra_buffer a state is kept every "
        "--mamba-track-interval tokens, and the Mamba-2 kernel gives states out once a chunk.",
    .source = "layers/attention/hybrid_linear_attn_backend.py: Mamba2AttnBackend.__init__",
    .bad = {"--model-path nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16 --tp-size 2 "
            "--mamba-radix-cache-strategy extra_buffer --mamba-track-interval 64"},
    .good = {"--model-path nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16 --tp-size 2 "
             "--mamba-radix-cache-strategy extra_buffer --mamba-track-interval 256"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

constexpr Rule kShortConvOnNpu{
    .id = "linear-kernels/short-conv-not-on-npu",
    .stage = Stage::load,
    .exception = "NotImplementedError",
    .message =
        "Short-conv hybrid models (ZAYA1 CCA, LFM2 / LFM2-MoE) are not yet supported on NPU: the "
        "conv-state sidecar (ShortConvAttnBackend.conv_state_metadata) has no Ascend "
        "implementation. Add an Ascend conv-state backend before serving these models on NPU.",
    .why = "No argument helps: these models run on other machines only.",
    .source = "layers/attention/attention_registry.py: attn_backend_wrapper",
    .bad = {"--model-path LiquidAI/LFM2-1.2B", "npu"},
    .good = {"--model-path LiquidAI/LFM2-1.2B", "h100"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

// model_type of the text part, which names the config class that SGLang tests for
// (configs/hybrid_arch.py).
std::string_view text_model_type(const ModelConfig& model) {
  for (const Value& type : {model.hf_config["text_config"]["model_type"],
                            model.hf_text_config["model_type"], model.hf_config["model_type"]}) {
    if (!type.as_str().empty()) return type.as_str();
  }
  return "";
}

bool has_mamba_layers(const ModelConfig& model) {
  for (const Value& layer : model.hf_config["layer_types"].as_list())
    if (layer.as_str() == "mamba") return true;
  return false;
}

void without_choice(Resolution& r, const char* layers, std::string_view kernel,
                    const char* because) {
  set_linear_kernel(r, "prefill", kernel, because);
  set_linear_kernel(r, "decode", kernel, because);
  for (const auto& key : {f::linear_attn_decode_backend, f::linear_attn_prefill_backend,
                          f::linear_attn_verify_backend}) {
    if (!r.typed(key)) continue;
    const std::string flag = "--" + std::string(field_name(key.id));
    std::string spelled;
    for (char c : flag) spelled += c == '_' ? '-' : c;
    r.note(kNoChoice, {spelled, layers}, {{{unset(key)}, ""}}, {key.id});
  }
}

}  // namespace

void set_linear_kernel(Resolution& r, std::string_view phase, std::string_view kernel,
                       std::string because) {
  r.set_attribute(fill("linear_attn.{}_kernel", {phase}),
                  Value::dict({{"kernel", Value(kernel)}, {"because", Value(std::move(because))}}));
}

std::string linear_backend_reason(const Resolution& r, Key<std::optional<std::string_view>> phase) {
  for (auto it = r.changes().rbegin(); it != r.changes().rend(); ++it)
    if (it->field == phase.id) return it->because;
  if (!r.value(phase).is_none()) return "as typed";
  if (r.typed(f::linear_attn_backend)) return "from --linear-attn-backend";
  return "SGLang's default";
}

void kernel_fails(Resolution& r, const Rule& rule, Key<std::optional<std::string_view>> phase,
                  std::initializer_list<Arg> args) {
  for (const Finding& note : r.notes())
    if (note.rule == &rule) return;  // said of another phase
  const Fix own{{set(phase, "triton")}, "this phase of linear attention runs on Triton"};
  if (!r.value(phase).is_none()) return r.note(rule, args, {own}, {phase.id});
  constexpr std::string_view kSaid = "linear_attn.base_fails";
  if (!r.attribute(kSaid).is_none()) return;
  r.set_attribute(kSaid, true);
  r.note(rule, args,
         {{{set(f::linear_attn_backend, "triton")}, "linear attention runs on Triton"}, own},
         {f::linear_attn_backend.id});
}

std::string backend_enum(std::string_view backend) {
  return "LinearAttnKernelBackend." + upper(backend);
}

bool module_installed(Resolution& r, std::string_view module) {
  const auto& packages = r.machine().packages;
  const auto it = packages.find(module);
  if (it == packages.end())
    r.assume(fill("The Python module {} is not installed: SGLang does not bring it.", {module}));
  return it != packages.end() && it->second.has_value();
}

void linear_attention_load(Resolution& r) {
  if (!r.since(Release::v0_5_16)) return;
  const ModelConfig& model = r.model();
  const std::string_view type = text_model_type(model);
  const auto base = r.get(f::linear_attn_backend);
  LinearBackends backends;
  backends.decode = r.get(f::linear_attn_decode_backend).value_or(base);
  backends.prefill = r.get(f::linear_attn_prefill_backend).value_or(base);
  backends.verify = r.get(f::linear_attn_verify_backend)
                        .value_or(backends.decode == "flashinfer" ? "flashinfer" : "triton");

  const bool gdn = one_of(type, {"qwen3_next", "qwen3_5_text", "qwen3_5_moe_text",
                                 "intern_s2_preview", "jet_nemotron", "jet_vlm"});
  const bool mamba = one_of(type, {"nemotron_h", "nemotron_h_puzzle", "falcon_h1"}) ||
                     (type == "granitemoehybrid" && has_mamba_layers(model));
  const bool short_conv = one_of(type, {"lfm2", "lfm2_moe", "zaya"});
  if (gdn || mamba || short_conv || one_of(type, {"kimi_linear", "bailing_hybrid"})) state_pool(r);
  // On an NPU ServerArgs makes ascend the backend of both phases, whatever was typed.
  if (is_npu(r.machine())) {
    if (short_conv) return r.note(kShortConvOnNpu, {}, {}, {f::model_path.id});
    if (gdn || (type == "kimi_linear" && r.since(Release::v0_5_18)))
      return without_choice(r, gdn ? "Gated Delta Net" : "KDA", "Ascend",
                            "An NPU has a backend of its own.");
  }
  if (gdn) return gdn_kernels(r, backends);
  if (type == "kimi_linear") return kda_kernels(r, backends);
  if (type == "bailing_hybrid") {
    const auto topk = r.get(f::speculative_eagle_topk);
    if (topk && *topk > 1)
      r.note(kLightningTree, {*topk},
             {{{set(f::speculative_eagle_topk, "1")}, "one draft chain instead of a tree"}},
             {f::speculative_eagle_topk.id});
    return without_choice(r, "lightning attention", "seg_la",
                          "Lightning attention has one kernel (Triton).");
  }
  if (short_conv)
    return without_choice(r, "short-convolution", "causal_conv1d",
                          "Short convolutions have one kernel.");
  if (mamba) {
    const Value& config = text_config(model);
    const int64_t chunk = config["mamba_chunk_size"].as_int(config["chunk_size"].as_int());
    const int64_t interval = r.get(f::mamba_track_interval);
    if (interval < chunk && !r.get(f::disable_radix_cache) &&
        one_of(r.get(f::mamba_radix_cache_strategy), {"extra_buffer", "extra_buffer_lazy"}))
      r.note(kTrackInterval, {interval, chunk}, {{{unset(f::mamba_track_interval)}, ""}},
             {f::mamba_track_interval.id});
    const std::string_view kernel = r.get(f::mamba_backend);
    without_choice(r, "Mamba-2",
                   kernel == "flashinfer" ? "FlashInfer selective_state_update"
                                          : "Triton selective_state_update",
                   r.typed(f::mamba_backend) ? "--mamba-backend, as typed"
                                             : "--mamba-backend is Triton by default.");
  }
}

RuleList linear_attention_load_rules() {
  RuleList rules{&kLightningTree, &kNoChoice, &kTrackInterval, &kShortConvOnNpu};
  for (RuleList (*list)() : {gdn_kernel_rules, kda_kernel_rules, measured_replay_rules})
    for (const Rule* rule : list()) rules.push_back(rule);
  return rules;
}

}  // namespace sglint
