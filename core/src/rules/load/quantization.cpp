// Quantized weights: what the method asks of the GPU and of the activations' type
// (model_loader/loader.py: _get_quantization_config), and sizes that its kernels cannot share out
// (layers/quantization: create_weights of each method).

#include <algorithm>

#include "base/text.h"
#include "rules/load/layout.h"
#include "rules/load/load.h"

namespace sglint {
namespace {

constexpr ReleaseRange kSince0516{Release::v0_5_16, Release::v0_5_18};
constexpr std::string_view kLoader = "model_loader/loader.py: _get_quantization_config";
constexpr std::string_view kInUnit =
    "Marlin computes in tiles of its own: with --tp-size a rank's part of the MLP must be made of "
    "whole tiles. The advice to run with gptq is for GPTQ checkpoints.";

constexpr Rule kOldGpu{
    .id = "quantization/gpu-too-old",
    .stage = Stage::load,
    .exception = "ValueError",
    .message =
        "The quantization method {} is not supported for the current GPU. Minimum capability: {}. "
        "Current capability: {}.",
    .why =
        "Each quantization method names the oldest GPU that it has kernels for (80 is Ampere, 89 "
        "Ada, 90 Hopper, 100 Blackwell). ServerArgs does not look; the worker does when it starts "
        "to load the weights.",
    .source = kLoader,
    .bad = {"--model-path Qwen/Qwen3-8B --quantization w8a8_fp8", "a100"},
    .good = {"--model-path Qwen/Qwen3-8B --quantization w8a8_fp8", "h100"},
    .releases = kSince0516,
};

constexpr Rule kDtype{
    .id = "quantization/activation-dtype",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "torch.{} is not supported for quantization method {}. Supported dtypes: [{}]",
    .why =
        "The kernels of a quantization method compute in certain types only: awq and gptq (without "
        "Marlin) in float16, none of the 8-bit ones in float32. --dtype auto takes what "
        "config.json says.",
    .source = kLoader,
    .bad = {"--model-path Qwen/Qwen3-8B-FP8 --dtype float32"},
    .good = {"--model-path Qwen/Qwen3-8B-FP8 --dtype bfloat16"},
    .releases = kSince0516,
};

constexpr Rule kFp8Experts{
    .id = "quantization/fp8-experts-need-sm89",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = kTritonHasNoFp8e4nv,
    .why =
        "Before Ada (8.9) FP8 linear layers run on Marlin, but FP8 experts have the Triton kernel "
        "only, which cannot be compiled there: the first forward pass stops, mostly while CUDA "
        "graphs are captured. Reported as github.com/sgl-project/sglang/issues/5871, 12887 and "
        "38291.",
    .source = "layers/quantization/fp8.py: Fp8MoEMethod (fused_moe_kernel, compiled by Triton)",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B-FP8 --tp-size 2", "a100"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --tp-size 2", "a100"},
    .releases = kSince0516,
};

constexpr Rule kNoConfig{
    .id = "quantization/checkpoint-is-not-quantized",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "Cannot find the config file for {}",
    .why =
        "awq and gptq read weights that were quantized before; they do not quantize. This "
        "checkpoint says nothing of a quantization. fp8, w8a8_fp8 and others quantize while they "
        "load.",
    .source = "model_loader/weight_utils.py: get_quant_config",
    .bad = {"--model-path Qwen/Qwen3-8B --quantization awq --dtype float16"},
    .good = {"--model-path Qwen/Qwen3-8B --quantization fp8"},
    .releases = kSince0516,
};

constexpr Rule kGptqMoe{
    .id = "quantization/gptq-without-experts",
    .stage = Stage::load,
    .exception = "TypeError",
    .message = "GPTQ Method does not support MoE, please use gptq_marlin",
    .why = "Without --quantization SGLang takes Marlin where the checkpoint allows it.",
    .source = "layers/quantization/gptq/gptq.py: GPTQConfig.get_quant_method",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B-GPTQ-Int4 --quantization gptq"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B-GPTQ-Int4"},
    .releases = kSince0516,
};

constexpr Rule kMarlinExperts{
    .id = "quantization/marlin-experts-stay-local",
    .stage = Stage::load,
    .exception = "NotImplementedError",
    .message =
        "Runner backend MoeRunnerBackend.MARLIN requires a fused func for a2a backend {}, but none "
        "is registered.",
    .why =
        "Experts with 4-bit integer weights of compressed-tensors run on Marlin, which computes "
        "only with the tokens of its own GPU. Reported as "
        "github.com/sgl-project/sglang/issues/22692.",
    .source = "layers/moe/moe_runner/runner.py: MoeRunner.__init__",
    .bad = {"--model-path moonshotai/Kimi-K2.5 --trust-remote-code --tp-size 8 --moe-a2a-backend "
            "deepep",
            "h200"},
    .good = {"--model-path moonshotai/Kimi-K2.5 --trust-remote-code --tp-size 8", "h200"},
    .releases = kSince0516,
};

constexpr Rule kMarlinOutput{
    .id = "layout/marlin-output-size",
    .stage = Stage::load,
    .exception = "ValueError",
    .message =
        "Weight output_size_per_partition = {} is not divisible by  min_thread_n = 64. Consider "
        "reducing tensor_parallel_size or running with --quantization gptq.",
    .why = kInUnit,
    .source = "layers/quantization/marlin_utils.py: verify_marlin_supports_shape",
    // No AWQ checkpoint in the catalogue: see tests/unit/rules/quantization_test.cpp.
    .releases = kSince0516,
};

constexpr Rule kMarlinInput{
    .id = "layout/marlin-input-size",
    .stage = Stage::load,
    .exception = "ValueError",
    .message =
        "Weight input_size_per_partition = {} is not divisible by min_thread_k = 128. Consider "
        "reducing tensor_parallel_size or running with --quantization gptq.",
    .why = kInUnit,
    .source = "layers/quantization/marlin_utils.py: verify_marlin_supports_shape",
    .bad = {"--model-path Qwen/Qwen2.5-72B-Instruct-AWQ --tp-size 16 --nnodes 2 --dist-init-addr "
            "10.0.0.1:5000"},
    .good = {"--model-path Qwen/Qwen2.5-72B-Instruct-AWQ --tp-size 8"},
    .releases = kSince0516,
};

constexpr Rule kMarlinGroup{
    .id = "layout/marlin-group-size",
    .stage = Stage::load,
    .exception = "ValueError",
    .message =
        "Weight input_size_per_partition = {} is not divisible by group_size = {}. Consider "
        "reducing tensor_parallel_size or running with --quantization gptq.",
    .why = "Weights share a scale in groups, which a rank cannot hold a part of.",
    .source = "layers/quantization/marlin_utils.py: verify_marlin_supports_shape",
    // No AWQ checkpoint in the catalogue: see tests/unit/rules/quantization_test.cpp.
    .releases = kSince0516,
};

constexpr Rule kGroupInput{
    .id = "layout/quantized-input-size",
    .stage = Stage::load,
    .exception = "ValueError",
    .message =
        "The input size is not aligned with the quantized weight shape. This can be caused by too "
        "large tensor parallel size.",
    .why =
        "Weights share a scale in groups (of 128 mostly), which a rank cannot hold a part of: the "
        "MLP's size over --tp-size must be a multiple of the group.",
    .source =
        "layers/quantization/awq/schemes/awq_linear.py: AWQLinearScheme.create_weights; "
        "layers/quantization/gptq/schemes/gptq_linear.py: GPTQLinearScheme.create_weights",
    .bad = {"--model-path Qwen/Qwen2.5-72B-Instruct-AWQ --quantization awq --tp-size 16 --nnodes 2 "
            "--dist-init-addr 10.0.0.1:5000"},
    .good = {"--model-path Qwen/Qwen2.5-72B-Instruct-AWQ --quantization awq --tp-size 8"},
    .releases = kSince0516,
};

constexpr Rule kGroupOutput{
    .id = "layout/quantized-output-size",
    .stage = Stage::load,
    .exception = "ValueError",
    .message =
        "The output size is not aligned with the quantized weight shape. This can be caused by too "
        "large tensor parallel size.",
    .why = "Weights are packed by eight (4 bits each) into one number, which cannot be shared out.",
    .source =
        "layers/quantization/awq/schemes/awq_linear.py: AWQLinearScheme.create_weights; "
        "layers/quantization/gptq/schemes/gptq_linear.py: GPTQLinearScheme.create_weights",
    // No AWQ or GPTQ checkpoint in the catalogue: see tests/unit/rules/quantization_test.cpp.
    .releases = kSince0516,
};

constexpr Rule kRepack{
    .id = "layout/gptq-marlin-tile",
    .stage = Stage::load,
    .exception = "RuntimeError",
    .message = "size_{} is not divisible by tile_{}",
    .why =
        "For GPTQ weights SGLang checks the sizes and does not look at the answer; the kernel that "
        "orders the loaded weights for Marlin stops. The exception begins with the place in the "
        "kernel's source.",
    .source = "kernels/jit/csrc/gemm/marlin/gptq_marlin_repack.cuh",
    // No GPTQ checkpoint in the catalogue: see tests/unit/rules/quantization_test.cpp.
    .releases = kSince0516,
};

constexpr Rule kGptqGroups{
    .id = "layout/gptq-marlin-groups",
    .stage = Stage::load,
    .exception = "RuntimeError",
    .message = "size_k = {}, is not divisible by num_groups = {}",
    .why =
        "Each rank gets a whole number of the groups that share a scale, rounded down, and nobody "
        "looks whether they fit its rows until the first forward pass. The exception begins with "
        "the place in the kernel's source.",
    .source = "kernels/jit/csrc/gemm/marlin/gptq_marlin.cuh",
    .bad = {"--model-path Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4 --tp-size 16 --nnodes 2 "
            "--dist-init-addr 10.0.0.1:5000"},
    .good = {"--model-path Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4 --tp-size 8"},
    .releases = kSince0516,
};

constexpr Rule kWna16{
    .id = "layout/expert-quantized-size",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "assert group_size >= 32",
    .why =
        "Where Marlin cannot take the experts' size over --tp-size, SGLang takes the WNA16 kernel "
        "and halves the groups that share a scale until they fit, but not below 32. --ep-size "
        "keeps experts whole. The assertion has no text; this is the line that the traceback "
        "shows.",
    .source = "layers/quantization/moe_wna16.py: MoeWNA16Method.create_weights",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B-GPTQ-Int4 --quantization moe_wna16 --tp-size 16 "
            "--nnodes 2 --dist-init-addr 10.0.0.1:5000"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B-GPTQ-Int4 --quantization moe_wna16 --tp-size 8"},
    .releases = kSince0516,
};

constexpr Rule kNvfp4Input{
    .id = "layout/nvfp4-input-size",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "Unsupported model when in features size is not multiple of 16",
    .why =
        "NVFP4 weights share a scale in groups of 16: the MLP's size over --tp-size must be a "
        "multiple of 16.",
    .source = "layers/quantization/modelopt_quant.py: ModelOptFp4LinearMethod.create_weights",
    // Needs an MLP of an odd size: see tests/unit/rules/quantization_test.cpp.
    .releases = kSince0516,
};

constexpr Rule kNvfp4Experts{
    .id = "layout/expert-nvfp4-padding",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message =
        "The intermediate size required padding, but padding is also implemented for gated "
        "activations",
    .why =
        "The scales of NVFP4 experts are laid out by 128 rows, and this MoE backend can pad only "
        "experts without a gate: the expert's size over --tp-size / --ep-size must be a multiple "
        "of 64. (The message lacks a \"not\".) flashinfer_trtllm pads every expert, and --ep-size "
        "keeps experts whole.",
    .source =
        "layers/quantization/modelopt_quant.py: "
        "ModelOptNvFp4FusedMoEMethod.process_weights_after_loading",
    .bad = {"--model-path nvidia/Qwen3-235B-A22B-NVFP4 --tp-size 16 --nnodes 2 --dist-init-addr "
            "10.0.0.1:5000 --moe-runner-backend flashinfer_cutlass",
            "b200"},
    .good = {"--model-path nvidia/Qwen3-235B-A22B-NVFP4 --tp-size 8 --moe-runner-backend "
             "flashinfer_cutlass",
             "b200"},
    .releases = kSince0516,
};

// get_min_capability and get_supported_act_dtypes of the classes in layers/quantization.
constexpr std::string_view kBoth = "torch.float16, torch.bfloat16",
                           kReversed = "torch.bfloat16, torch.float16", kHalf = "torch.float16";
struct Method {
  std::string_view name;
  int capability;
  std::string_view dtypes;
};
constexpr Method kMethods[] = {
    {"fp8", 80, kReversed},
    {"awq", 75, kHalf},
    {"awq_marlin", 80, kBoth},
    {"gptq", 60, kHalf},
    {"gptq_marlin", 80, kBoth},
    {"marlin", 80, kHalf},
    {"moe_wna16", 70, kReversed},
    {"compressed-tensors", 70, kBoth},
    {"w8a8_fp8", 89, kBoth},
    {"w8a8_int8", 75, kBoth},
    {"blockwise_int8", 80, kReversed},
    {"w4afp8", 90, "torch.bfloat16, torch.float8_e4m3fn"},
    {"mxfp4", 80, kReversed},
    {"modelopt_fp8", 89, kReversed},
    {"modelopt_fp4", 80, "torch.bfloat16, torch.float16, torch.float8_e4m3fn"},
    {"modelopt_mixed", 80, kReversed},
    {"nvfp4_online", 100, kReversed},
    {"petit_nvfp4", 90, kReversed},
    {"quark", 70, kBoth},
    {"humming", 75, kReversed},
};

bool divides(int64_t part, int64_t whole) { return part <= 0 || whole % part == 0; }

LayoutStop stop(const Rule& rule, int64_t a = 0, int64_t b = 0) {
  return {&rule, {str(Value(a)), str(Value(b))}};
}

}  // namespace

const Value& quantization_config(const ModelConfig& model) {
  const Value& of_text = model.hf_config["text_config"]["quantization_config"];
  return model.hf_config["quantization_config"].is_dict() ? model.hf_config["quantization_config"]
                                                          : of_text;
}

std::optional<LayoutStop> quantized_mlp_stop(Resolution& r, int64_t size, int64_t tp) {
  const ModelConfig& model = r.model();
  const std::string_view method = model.quantization;
  const Value& c = quantization_config(model);
  const int64_t bits = std::max<int64_t>(c["bits"].as_int(4), 1), hidden = model.hidden_size;
  if (!is_cuda(r.machine())) return std::nullopt;
  struct Layer {
    int64_t whole_in, in, whole_out, out;
  };
  // gate and up are one matrix.
  for (const Layer& l :
       {Layer{hidden, hidden, 2 * size, 2 * size / tp}, Layer{size, size / tp, hidden, hidden}}) {
    if (method == "modelopt_fp4" && l.in % 16 != 0) return stop(kNvfp4Input);
    int64_t group = c["group_size"].as_int(-1);
    if (group <= 0) group = l.whole_in;
    // AWQMarlinConfig.get_quant_method asks before a layer knows its part: by the whole sizes.
    if (method == "awq_marlin" && l.whole_out % 64 == 0 && l.whole_in % 128 == 0 &&
        l.whole_in % group == 0) {
      if (l.out % 64 != 0) return stop(kMarlinOutput, l.out);
      if (l.in % 128 != 0) return stop(kMarlinInput, l.in);
      if (group < l.whole_in && l.in % group != 0) return stop(kMarlinGroup, l.in, group);
    } else if (one_of(method, {"awq", "awq_marlin", "gptq"})) {
      if (c["group_size"].as_int(-1) > 0 && l.in % group != 0) return stop(kGroupInput);
      if (l.out % (bits == 3 ? 32 : std::max<int64_t>(32 / bits, 1)) != 0)
        return stop(kGroupOutput);
    } else if (method == "gptq_marlin") {
      if (l.out % 64 != 0) return LayoutStop{&kRepack, {fill("n = {}", {l.out}), "n_size = 64"}};
      if (l.in % 16 != 0) return LayoutStop{&kRepack, {fill("k = {}", {l.in}), "k_size = 16"}};
      const int64_t groups = l.in / group;
      if (groups > 1 && l.in % groups != 0 && !c["desc_act"].truthy())
        return stop(kGptqGroups, l.in, groups);
    }
  }
  return std::nullopt;
}

std::optional<LayoutStop> quantized_expert_stop(Resolution& r, int64_t size, int64_t tp) {
  const ModelConfig& model = r.model();
  const std::string_view method = model.quantization;
  const int64_t part = size / tp, hidden = model.hidden_size;
  if (!is_cuda(r.machine())) return std::nullopt;
  if (method == "modelopt_fp4" && is_blackwell_supported(r.machine()) && 2 * part % 128 != 0 &&
      text_config(model)["mlp_hidden_act"].as_str() != "relu2" &&
      one_of(r.get(f::moe_runner_backend), {"auto", "flashinfer_cutlass", "flashinfer_cutedsl"}))
    return stop(kNvfp4Experts);
  int64_t group = quantization_config(model)["group_size"].as_int();
  // check_moe_marlin_supports_layer
  const bool marlin =
      method == "awq_marlin" && hidden % 128 == 0 && part % 64 == 0 && divides(group, part);
  if (marlin || group <= 0 || !one_of(method, {"awq_marlin", "moe_wna16"})) return std::nullopt;
  while (part % group != 0 || hidden % group != 0)
    if ((group /= 2) < 32) return stop(kWna16);
  return std::nullopt;
}

void quantization(Resolution& r) {
  if (!r.since(Release::v0_5_16)) return;
  const ModelConfig& model = r.model();
  const Machine& m = r.machine();
  const std::string_view method = model.quantization;
  if (!model.known || !is_cuda(m) || method.empty()) return;
  const std::vector<Fix> without{{{unset(f::quantization)}, "what the checkpoint says"}};
  for (const Method& row : kMethods) {
    if (row.name != method) continue;
    if (device_sm(m) < row.capability)
      return r.note(kOldGpu, {method, row.capability, device_sm(m)}, without,
                    {f::quantization.id, f::model_path.id});
    // Before that, a GPU without bfloat16 turns it into float16.
    const std::string dtype =
        model.dtype == "bfloat16" && m.sm_major < 8 ? std::string("float16") : model.dtype;
    if (row.dtypes.find(dtype) == std::string_view::npos) {
      const std::string_view other = row.dtypes == kHalf ? "float16" : "bfloat16";
      r.note(kDtype, {dtype, method, row.dtypes},
             {{{set(f::dtype, std::string(other))}, "the type that the kernels compute in"},
              without[0]},
             {f::dtype.id, f::quantization.id});
    }
    break;
  }
  const Value& c = text_config(model);
  const bool experts =
      c["num_experts"].as_int() + c["n_routed_experts"].as_int() + c["num_local_experts"].as_int() >
      0;
  if (method == "fp8" && experts && device_sm(m) < 89 && !model.is_fp4_experts &&
      one_of(r.get(f::moe_runner_backend), {"auto", "triton"}))
    r.note(kFp8Experts, {}, without, {f::quantization.id, f::model_path.id});
  if (method == "gptq" && experts)
    r.note(kGptqMoe, {}, {{{set(f::quantization, "gptq_marlin")}, ""}, without[0]},
           {f::quantization.id});
  // _is_wNa16_group_channel
  const Value group = quantization_config(model)["config_groups"]["group_0"];
  const std::string_view a2a = r.get(f::moe_a2a_backend);
  if (experts && a2a != "none" && !r.get(f::enable_lora).value_or(false) &&
      group["weights"]["num_bits"].as_int() == 4 && group["weights"]["type"].as_str() == "int" &&
      group["input_activations"].is_none() &&
      !one_of(r.get(f::moe_runner_backend), {"triton", "flashinfer_trtllm"}))
    r.note(kMarlinExperts, {a2a},
           {{{unset(f::moe_a2a_backend)}, "every GPU holds a part of each expert"}},
           {f::moe_a2a_backend.id, f::model_path.id});
  const auto& files = r.facts().model;
  if (one_of(method, {"awq", "awq_marlin", "gptq", "gptq_marlin", "marlin", "moe_wna16"}) &&
      files && files->from_catalogue && quantization_config(model).is_none() &&
      model.hf_config["compression_config"].is_none())
    r.note(kNoConfig, {method}, without, {f::quantization.id, f::model_path.id});
}

RuleList quantization_rules() {
  return {&kOldGpu,      &kDtype,         &kNoConfig,     &kFp8Experts,
          &kGptqMoe,     &kMarlinExperts, &kMarlinOutput, &kMarlinInput,
          &kMarlinGroup, &kGroupInput,    &kGroupOutput,  &kRepack,
          &kGptqGroups,  &kWna16,         &kNvfp4Input,   &kNvfp4Experts};
}

}  // namespace sglint
