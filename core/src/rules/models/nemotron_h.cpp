#include "base/json.h"
#include "base/text.h"
#include "rules/hf_config.h"
#include "rules/models/families.h"

namespace sglint {
namespace {

constexpr Rule kNotTriton{
    .id = "models/nemotron-h-not-triton-attention",
    .exception = "AssertionError",
    .message =
        "NemotronHForCausalLM does not support triton attention backend,as the first layer might "
        "not be an attention layer",
    .why =
        "The triton backend takes sizes from layer 0's KV cache; Nemotron-H starts with Mamba "
        "layers, which have none.",
    .source = "server_args.py: ServerArgs._handle_model_specific_adjustments",
    .bad = {"--model-path nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16 --trust-remote-code "
            "--attention-backend triton",
            "h100"},
    .good = {"--model-path nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16 --trust-remote-code", "h100"},
};

constexpr Rule kNoQuantizationConfig{
    .id = "models/nemotron-h-no-quantization-config",
    .exception = "AttributeError",
    .message = "'NemotronHConfig' object has no attribute 'quantization_config'",
    .why =
        "The checkpoint says how it is quantized in hf_quant_config.json only. SGLang understood "
        "that, but for Nemotron-H it then reads the details from config.json, where they are "
        "missing. A defect of SGLang: a copy of the checkpoint whose config.json has the "
        "quantization_config works, and so does naming repeating the gist with "
        "--json-model-override-args, after which the layers are read from hf_quant_config.json as "
        "before.",
    .source = "arg_groups/overrides.py: _nemotron_h_overrides",
    .bad = {"--model-path nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4 --trust-remote-code",
            "h100"},
    .good = {"--model-path nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16 --trust-remote-code", "h100"},
};

constexpr Rule kActivation{
    .id = "models/nemotron-h-activation",
    .exception = "AssertionError",
    .message = "",
    .why =
        "Quantized Nemotron-H is implemented for the relu2 activation only. SGLang stops without a "
        "message.",
    .source = "arg_groups/overrides.py: _nemotron_h_overrides",
    // No example: a property of the checkpoint.
};

constexpr Rule kQuantAlgoMissing{
    .id = "models/nemotron-h-quant-algo-missing",
    .exception = "KeyError",
    .message = "'quant_algo'",
    .why =
        "The checkpoint's quantization_config does not say which ModelOpt algorithm it was made "
        "with.",
    .source = "arg_groups/overrides.py: _nemotron_h_overrides",
    // No example: a property of the checkpoint.
};

constexpr Rule kW4A16A2a{
    .id = "models/nemotron-h-w4a16-a2a",
    .exception = "ValueError",
    .message = "W4A16_NVFP4 MoE layers require --moe-a2a-backend=none.",
    .why =
        "Experts with 4-bit weights and 16-bit activations run on marlin, which has no all-to-all "
        "dispatch.",
    .source = "arg_groups/overrides.py: _nemotron_h_overrides",
    // No example: no catalogued checkpoint has such layers.
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

constexpr Rule kW4A16Runner{
    .id = "models/nemotron-h-w4a16-runner",
    .exception = "ValueError",
    .message = "W4A16_NVFP4 MoE layers require --moe-runner-backend=marlin.",
    .why = "Experts with 4-bit weights and 16-bit activations exist in marlin only.",
    .source = "arg_groups/overrides.py: _nemotron_h_overrides",
    // No example: no catalogued checkpoint has such layers.
    .releases = {Release::v0_5_18, Release::v0_5_18},
};

bool is_modelopt(std::string_view quantization) {
  return one_of(quantization, {"modelopt", "modelopt_fp8", "modelopt_fp4", "modelopt_mixed"});
}

// What hf_quant_config.json says, put where SGLang looks for it. get_quant_config reads the layers
// from that file as long as the config names no KV-cache format, so that only what chooses the MoE
// runner is repeated. A draft model of its own would get the same config, which is not its own.
std::vector<Fix> say_it_in_the_config(const Resolution& r) {
  const Value overrides = parse_json(r.get(f::json_model_override_args)).value_or(Value());
  std::optional<ModelFiles> storage;
  const ModelFiles* files = find_model_files(r, r.get(f::model_path), storage);
  if (!is_cuda(r.machine()) || !files || !overrides.is_dict() ||
      (r.get(f::speculative_algorithm) && r.typed(f::speculative_draft_model_path)))
    return {};
  const Value& said = files->hf_quant_config["quantization"];
  if (said["quant_algo"].as_str() != "MIXED_PRECISION") return {};
  Value config =
      Value::dict({{"quant_method", "modelopt_mixed"}, {"quant_algo", "MIXED_PRECISION"}});
  for (const auto& [name, layer] : said["quantized_layers"].as_dict()) {
    if (layer["quant_algo"].as_str() != "W4A16_NVFP4" || !contains(name, ".experts.")) continue;
    config = config.with("quantized_layers", Value::dict({{name, layer}}));
    break;
  }
  return {
      {{set(f::json_model_override_args, to_json(overrides.with("quantization_config", config)))},
       "none: it repeats what hf_quant_config.json says, and the weights load by that file"}};
}

// The exact ModelOpt method; None after a rejection.
Value modelopt_method(Resolution& r) {
  const ModelConfig& model = r.model();
  if (model.hf_config["mlp_hidden_act"].as_str() != "relu2") {
    r.reject(kActivation);
    return kNone;
  }
  if (model.quantization != "modelopt") return std::string_view(model.quantization);
  const Value* config = model.hf_config.find("quantization_config");
  if (config == nullptr) {
    r.reject(kNoQuantizationConfig, {}, say_it_in_the_config(r), {f::model_path.id});
    return kNone;
  }
  const Value* algorithm = config->find("quant_algo");
  if (algorithm == nullptr) {
    r.reject(kQuantAlgoMissing, {}, {}, {f::model_path.id});
    return kNone;
  }
  if (algorithm->as_str() == "MIXED_PRECISION") return "modelopt_mixed";
  return algorithm->as_str() == "NVFP4" ? "modelopt_fp4" : "modelopt_fp8";
}

bool has_w4a16_experts(Resolution& r) {
  const Value* config = r.model().hf_config.find("quantization_config");
  if (config == nullptr) {
    r.reject(kNoQuantizationConfig, {}, say_it_in_the_config(r), {f::model_path.id});
    return false;
  }
  for (const auto& [name, layer] : (*config)["quantized_layers"].as_dict())
    if (layer["quant_algo"].as_str() == "W4A16_NVFP4" && contains(name, ".experts.")) return true;
  return false;
}

void choose_w4a16_runner(Resolution& r) {
  if (r.get(f::moe_a2a_backend) != "none")
    r.reject(kW4A16A2a, {}, {{{unset(f::moe_a2a_backend)}, ""}}, {f::moe_a2a_backend.id});
  const std::string_view runner = r.get(f::moe_runner_backend);
  if (!one_of(runner, {"auto", "marlin"}))
    r.reject(kW4A16Runner, {}, {{{unset(f::moe_runner_backend)}, ""}}, {f::moe_runner_backend.id});
  if (runner != "auto") return;
  r.declare(f::moe_runner_backend, "marlin",
            "Experts with 4-bit weights and 16-bit activations exist in marlin only.");
  r.info("Use marlin as MoE runner backend for {} with W4A16_NVFP4 MoE layers",
         {r.model().architecture()});
}

void choose_runner(Resolution& r, std::string_view method) {
  const ModelConfig& model = r.model();
  const Machine& m = r.machine();
  if (is_sm100_supported(m) && r.get(f::moe_a2a_backend) == "none") {
    r.declare(f::moe_runner_backend, "flashinfer_trtllm",
              "The fastest MoE runner for Nemotron-H on SM100.");
    r.info("Use flashinfer_trtllm as MoE runner backend on sm100 for {}", {model.architecture()});
  } else if ((one_of(model.quantization, {"modelopt_fp4", "modelopt_mixed"}) ||
              method == "modelopt_fp4") &&
             is_cuda(m) && 8 <= m.sm_major && m.sm_major < 10) {
    r.declare(f::moe_runner_backend, "marlin",
              "GPUs before Blackwell have no FP4 units; marlin unpacks the weights.");
    r.info("Use marlin as MoE runner backend on SM80-SM90 for {} {}",
           {model.architecture(), model.quantization});
  } else {
    r.declare(f::moe_runner_backend, "flashinfer_cutlass",
              "The MoE runner for Nemotron-H on this machine.");
  }
}

}  // namespace

// _nemotron_h_overrides
void nemotron_h_overrides(Resolution& r) {
  const ModelConfig& model = r.model();
  const bool modelopt = is_modelopt(model.quantization);
  Value method = r.value(f::quantization);
  if (modelopt) {
    method = modelopt_method(r);
    if (r.stopped()) return;
    r.declare(f::quantization, method, "The checkpoint says that it is quantized this way.");
  }
  const bool w4a16 = r.since(Release::v0_5_18) && modelopt && method.as_str() == "modelopt_mixed" &&
                     has_w4a16_experts(r);
  if (r.stopped()) return;
  if (w4a16) {
    choose_w4a16_runner(r);
  } else if ((modelopt || model.quantization.empty()) && r.get(f::moe_runner_backend) == "auto") {
    choose_runner(r, method.as_str());
  }
  if (is_sm100_supported(r.machine()) && !r.get(f::attention_backend))
    r.declare(f::attention_backend, "flashinfer", "Nemotron-H runs on flashinfer on SM100.");
}

void nemotron_h_adjustments(Resolution& r) {
  if (r.view(f::attention_backend) != "triton") return;
  r.reject(kNotTriton, {}, {{{unset(f::attention_backend)}, "SGLang's default attention backend"}},
           {f::attention_backend.id});
}

RuleList nemotron_h_rules() {
  return {&kNotTriton, &kNoQuantizationConfig, &kActivation, &kQuantAlgoMissing,
          &kW4A16A2a,  &kW4A16Runner};
}

}  // namespace sglint
