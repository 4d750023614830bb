// ModelConfig._verify_quantization: the format of the checkpoint and what --quantization makes of
// it.
#include "base/text.h"
#include "rules/hf_config.h"
#include "rules/model_config.h"
#include "rules/model_config_rules.h"

namespace sglint {

const Rule kQuantizationMismatch{
    .id = "model/quantization-differs-from-the-checkpoints",
    .exception = "ValueError",
    .message =
        "Quantization method specified in the model config ({}) does not match the quantization "
        "method specified in the `quantization` argument ({}).",
    .why =
        "The checkpoint is already quantized in another format, and SGLang does not convert "
        "between the two.",
    .source = "configs/model_config.py: ModelConfig._verify_quantization",
    .bad = {"--model-path Qwen/Qwen3-8B-FP8 --quantization awq", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B-FP8", "h100"}};

const Rule kUnknownQuantization{
    .id = "model/unknown-quantization",
    .exception = "ValueError",
    .message = "Unknown quantization method: {}. Must be one of {}.",
    .why =
        "This release has no such quantization method on this kind of machine: the list depends on "
        "the platform (mxfp4 is for CUDA, CPU and gfx95 GPUs, mlx_q4 and mlx_q8 are for Apple "
        "machines).",
    .source = "configs/model_config.py: ModelConfig._verify_quantization",
    .bad = {"--model-path openai/gpt-oss-20b", "mi300x"},
    .good = {"--model-path openai/gpt-oss-20b", "mi355x"}};

const Rule kQuantizationNotOnRocm{
    .id = "model/quantization-is-not-for-rocm",
    .exception = "ValueError",
    .message = "{} quantization is currently not supported in ROCm.",
    .why =
        "The kernels of this format are for NVIDIA GPUs. Take a checkpoint in FP8, quark or MXFP4 "
        "for AMD GPUs.",
    .source = "configs/model_config.py: ModelConfig._verify_quantization",
    .bad = {"--model-path nvidia/MiniMax-M2.7-NVFP4 --trust-remote-code", "mi355x"},
    .good = {"--model-path MiniMaxAI/MiniMax-M2.7 --trust-remote-code", "mi355x"}};

namespace {

// layers/quantization/__init__.py: QUANTIZATION_METHODS, in order.
std::vector<std::string_view> quantization_methods(const Resolution& r) {
  const bool oldest = !r.since(Release::v0_5_16);
  std::vector<std::string_view> names = {
      "fp8",          "mxfp8",        "blockwise_int8",    "modelopt",  "modelopt_fp8",
      "modelopt_fp4", "nvfp4_online", "modelopt_mixed",    "w8a8_int8", "w8a8_fp8",
      "awq",          "awq_marlin",   "bitsandbytes",      "gguf",      "gptq",
      "gptq_marlin",  "moe_wna16",    "compressed-tensors"};
  if (oldest) names.push_back("qoq");
  for (std::string_view name : {"w4afp8", "petit_nvfp4"}) names.push_back(name);
  if (oldest) names.push_back("fbgemm_fp8");
  for (std::string_view name :
       {"quark", "quark_mxfp4", "auto-round", "auto-round-int8", "modelslim", "quark_int4fp8_moe"})
    names.push_back(name);
  if (!oldest) names.push_back("humming");
  names.push_back("mxfp_w4a8");
  const Machine& m = r.machine();
  if (is_cpu(r) || is_cuda(m) || is_gfx95_supported(m) || (is_npu(m) && !oldest))
    names.push_back("mxfp4");
  if (is_mps(m)) {
    names.push_back("mlx_q4");
    names.push_back("mlx_q8");
  }
  return names;
}

bool contains_name(const std::vector<std::string_view>& names, std::string_view name) {
  for (std::string_view n : names)
    if (n == name) return true;
  return false;
}

// _parse_modelopt_quant_config: the fields it gives, or None.
Value parse_modelopt(const Value& quantization, Release release) {
  const Value& algo = quantization["quant_algo"];
  const std::string_view name = algo.as_str();
  const auto result = [&](std::string_view method) {
    return Value::dict({{"quant_method", method}, {"quant_algo", algo}});
  };
  if (name == "MIXED_PRECISION") {
    for (const Value::Item& layer : quantization["quantized_layers"].as_dict())
      if (layer.second.is_dict() &&
          one_of(upper(str(layer.second["quant_algo"])), {"NVFP4", "W4A16_NVFP4"}))
        return result("modelopt_mixed");
    return result("w4afp8");
  }
  if (contains(name, "FP4")) return result("modelopt_fp4");
  if (release >= Release::v0_5_18) {
    if (name == "FP8") return result("modelopt_fp8");
    if (name == "MXFP8") return result("mxfp8").with("scale_fmt", "ue8m0");
    return {};
  }
  return contains(name, "FP8") ? result("modelopt_fp8") : Value();
}

// _parse_quant_hf_config.
// What it finds out of a modelopt checkpoint is written back to hf_config, where later steps read
// it.
Value parse_quantization(const Resolution& r, ModelConfig& m, std::string_view path) {
  Value config = m.hf_config["quantization_config"];
  if (config.is_dict() &&
      (!config.has("quant_method") || config["quant_method"].as_str() == "modelopt")) {
    const Value parsed = parse_modelopt(config, r.release());
    for (const Value::Item& item : parsed.as_dict()) config = config.with(item.first, item.second);
    if (!parsed.is_none()) m.hf_config = m.hf_config.with("quantization_config", config);
  }
  if (config.is_none()) config = m.hf_config["compression_config"];
  if (!config.is_none()) return config;
  std::optional<ModelFiles> storage;
  const ModelFiles* files = find_model_files(r, path, storage);
  if (!files || !files->hf_quant_config.has("quantization")) return {};
  return parse_modelopt(files->hf_quant_config["quantization"], r.release());
}

// QuantizationConfig._modelopt_override_quantization_method.
std::string_view modelopt_override(const Resolution& r, const Value& config,
                                   std::string_view asked) {
  if (r.since(Release::v0_5_18) && one_of(asked, {"nvfp4_online", "quark_mxfp4"})) return {};
  const std::string algo = upper(config["quant_algo"].as_str());
  if (asked == "modelopt") {
    if (r.since(Release::v0_5_18)) {
      if (algo == "MXFP8") return "mxfp8";
      if (algo == "FP8") return "modelopt_fp8";
    } else if (contains(algo, "FP8")) {
      return "modelopt_fp8";
    }
    if (contains(algo, "FP4")) return "modelopt_fp4";
  }
  const std::string_view method = config["quant_method"].as_str();
  return one_of(method, {"modelopt_fp8", "modelopt_fp4"}) ? method : std::string_view();
}

// marlin_utils.py: check_marlin_supported for integer types.
bool marlin_supports(const Resolution& r, const Value& group_size) {
  if (device_sm(r.machine()) < 80) return false;
  for (int64_t size : {-1, 32, 64, 128})
    if (group_size == Value(size)) return true;
  return false;
}

std::string_view awq_override(Resolution& r, const Value& config, std::string_view asked) {
  const int64_t bits = config["bits"].as_int();
  // With a zero point Marlin takes 4 bits only; without one it has no type for AWQ.
  const bool can = is_cuda(r.machine()) && lower(config["quant_method"].as_str()) == "awq" &&
                   config["group_size"].is_int() && bits == 4 && config["zero_point"].truthy() &&
                   marlin_supports(r, config["group_size"]);
  if (!can) return {};
  if (one_of(asked, {"", "marlin", "awq_marlin"})) {
    r.info("The model is convertible to awq_marlin during runtime. Using awq_marlin kernel.");
    return "awq_marlin";
  }
  if (asked == "awq")
    r.info(
        "Detected that the model can run with awq_marlin, however you specified quantization=awq "
        "explicitly, so forcing awq. Use quantization=awq_marlin for faster inference");
  return {};
}

std::string_view gptq_override(Resolution& r, const Value& config, std::string_view asked) {
  if (config["checkpoint_format"].as_str() == "marlin" || config["is_marlin_format"].truthy())
    return {};
  const int64_t bits = config["bits"].as_int();
  const bool can = lower(config["quant_method"].as_str()) == "gptq" && (bits == 4 || bits == 8) &&
                   config["sym"].truthy() && !config["desc_act"].is_none() &&
                   marlin_supports(r, config["group_size"]);
  if (!can) return {};
  if (one_of(asked, {"", "marlin", "gptq_marlin"})) {
    r.info("The model is convertible to gptq_marlin during runtime. Using gptq_marlin kernel.");
    return "gptq_marlin";
  }
  if (asked == "gptq")
    r.info(
        "Detected that the model can run with gptq_marlin, however you specified quantization=gptq "
        "explicitly, so forcing gptq. Use quantization=gptq_marlin for faster inference");
  return {};
}

// The first method in QUANTIZATION_METHODS that claims the checkpoint; "" if none does.
std::string_view override_method(Resolution& r, const std::vector<std::string_view>& methods,
                                 const Value& config, std::string_view asked) {
  for (std::string_view method : methods) {
    std::string_view claimed;
    const std::string declared = lower(config["quant_method"].as_str());
    if (one_of(method, {"modelopt", "modelopt_fp8", "modelopt_fp4"})) {
      claimed = modelopt_override(r, config, asked);
    } else if (method == "modelopt_mixed") {
      if (config["quant_method"].as_str() == "modelopt_mixed") claimed = "modelopt_mixed";
    } else if (method == "awq_marlin") {
      claimed = awq_override(r, config, asked);
    } else if (method == "gptq_marlin") {
      claimed = gptq_override(r, config, asked);
    } else if (method == "moe_wna16") {
      const int64_t bits = config["bits"].as_int();
      const bool gptq =
          declared == "gptq" && !config["desc_act"].truthy() && (bits == 4 || bits == 8);
      const bool awq = declared == "awq" && bits == 4 && device_sm(r.machine()) >= 70;
      if (asked == "moe_wna16" && is_npu(r.machine())) {
        r.reject(kNoCapabilityOnNpu, {},
                 {{{unset(f::quantization)}, "serves the checkpoint as it is"}});
        return {};
      }
      if (asked == "moe_wna16" && (gptq || awq)) claimed = "moe_wna16";
    } else if (method == "petit_nvfp4") {
      if (is_hip(r.machine()) && declared == "modelopt") claimed = "petit_nvfp4";
    } else if (method == "humming") {
      if (asked == "humming" && config["quant_method"].as_str() != "mxfp4") claimed = "humming";
    } else if (one_of(method, {"mlx_q4", "mlx_q8"})) {
      if (asked.empty() && !config.has("quant_method") && config["bits"].is_int() &&
          config["group_size"].is_int()) {
        if (config["bits"].as_int() == 4) claimed = "mlx_q4";
        if (config["bits"].as_int() == 8) claimed = "mlx_q8";
      }
    }
    if (!claimed.empty()) return claimed;
  }
  return {};
}

bool is_compatible(Release release, std::string_view asked, std::string_view checkpoint) {
  const bool latest = release >= Release::v0_5_18;
  if (one_of(asked, {"modelopt_fp8", "modelopt_mixed", "petit_nvfp4"}))
    return checkpoint == "modelopt";
  if (asked == "modelopt_fp4") return checkpoint == "modelopt" || (latest && checkpoint == "fp8");
  if (asked == "nvfp4_online")
    return checkpoint == "fp8" || (latest && checkpoint == "modelopt_fp8");
  if (one_of(asked, {"w8a8_int8", "w8a8_fp8"}))
    return one_of(checkpoint, {"compressed-tensors", "compressed_tensors"});
  if (asked == "auto-round-int8")
    return one_of(checkpoint, {"compressed-tensors", "compressed_tensors"});
  return false;
}

std::string names_list(const std::vector<std::string_view>& names) {
  Value::List list;
  for (std::string_view name : names) list.emplace_back(name);
  return str(Value(list));
}

// The fixes of a rejection: leaving out what was typed is the first of them.
std::vector<Fix> without_flag(const Resolution& r, bool draft) {
  if (!draft && r.typed(f::quantization))
    return {{{unset(f::quantization)}, "serves the checkpoint in its own format"}};
  if (draft && r.typed(f::speculative_draft_model_quantization))
    return {
        {{unset(f::speculative_draft_model_quantization)}, "serves the draft in its own format"}};
  return {};
}

// quark.py: QuarkConfig.from_config. Only NVFP4 can be requantized, and only MI350 computes in
// MXFP4.
std::vector<Fix> not_on_rocm(const Resolution& r, bool draft, std::string_view asked) {
  std::vector<Fix> fixes = without_flag(r, draft);
  if (!draft && r.since(Release::v0_5_18) && is_gfx95_supported(r.machine()) &&
      one_of(asked, {"modelopt_fp4", "modelopt_mixed"}))
    fixes.push_back({{set(f::quantization, "quark_mxfp4")},
                     "NVFP4 weights become MXFP4 while they load: some accuracy is lost, so test "
                     "the model again"});
  return fixes;
}

// 0.5.16: a warning on Blackwell for checkpoints whose scales DeepGEMM has to convert.
void warn_scale_format(Resolution& r, const Value& config, std::string_view quantization) {
  if (r.since(Release::v0_5_17)) return;
  const Machine& m = r.machine();
  const bool deep_gemm = is_sm100_supported(m) && has_package(m, "deep_gemm") &&
                         r.env().flag("SGLANG_ENABLE_JIT_DEEPGEMM");
  if (!deep_gemm || config["scale_fmt"].as_str() == "ue8m0") return;
  if (quantization == "mxfp8") return;
  r.warn(
      "DeepGemm is enabled but the scale_fmt of checkpoint is not ue8m0. This might cause accuracy "
      "degradation on Blackwell.");
}

}  // namespace

void verify_quantization(Resolution& r, std::string_view path, const Value& given,
                         ModelConfig& out) {
  const bool draft = out.is_draft_model;
  std::string asked = lower(given.as_str());
  const bool requantizes = r.since(Release::v0_5_17) && asked == "quark_mxfp4";
  const std::vector<std::string_view> methods = quantization_methods(r);
  const Value config = parse_quantization(r, out, path);
  if (!config.is_none()) {
    std::string checkpoint = lower(config.has("quant_method") ? config["quant_method"].as_str()
                                                              : std::string_view(asked));
    const bool keep_online = r.since(Release::v0_5_17) && draft && asked == "nvfp4_online" &&
                             checkpoint == "modelopt_fp4";
    if (!keep_online && !(requantizes && r.since(Release::v0_5_18))) {
      const std::string_view claimed = override_method(r, methods, config, asked);
      if (!claimed.empty()) checkpoint = asked = std::string(claimed);
    }
    if (given.is_none() && asked.empty()) {
      asked = checkpoint;
    } else if (asked != checkpoint) {
      if (keep_online || is_compatible(r.release(), asked, checkpoint)) {
        r.info(
            "Using CLI-specified quantization ({}) which is compatible with HF config quant_method "
            "({}).",
            {asked, checkpoint});
      } else if (draft) {
        r.info(
            "Draft model quantization ({}) differs from main model quantization ({}). Using draft "
            "model's detected quantization: {}",
            {checkpoint, asked, checkpoint});
        asked = checkpoint;
      } else if (requantizes) {
        r.info(
            "Requantizing from quant_method='{}' to the requested online quantization='{}'. Beware "
            "that requantization may incur a loss in accuracy, the requantized model should be "
            "re-validated/re-evaluated. More details at "
            "https://docs.sglang.io/advanced_features/quantization.html#online-quantization.",
            {checkpoint, asked});
      } else {
        return r.reject(kQuantizationMismatch, {checkpoint, asked}, without_flag(r, draft),
                        {f::quantization.id, f::model_path.id});
      }
    }
    warn_scale_format(r, config, asked);
  }
  out.quantization = asked;
  if (given.is_none() && config.is_none()) return;
  if (!contains_name(methods, asked))
    return r.reject(kUnknownQuantization, {asked, names_list(methods)}, without_flag(r, draft),
                    {f::quantization.id, f::model_path.id});
  const bool oldest = !r.since(Release::v0_5_16);
  if (is_hip(r.machine()) && !(oldest && asked == "fbgemm_fp8") &&
      !one_of(asked, {"awq", "gptq", "fp8", "compressed_tensors", "compressed-tensors", "w8a8_fp8",
                      "petit_nvfp4", "quark", "mxfp4", "mxfp8", "auto-round", "auto-round-int8",
                      "quark_int4fp8_moe", "quark_mxfp4"}))
    return r.reject(kQuantizationNotOnRocm, {asked}, not_on_rocm(r, draft, asked),
                    {f::quantization.id, f::model_path.id});
  const bool optimized = one_of(asked, {"fp8",
                                        "marlin",
                                        "modelopt_fp8",
                                        "modelopt_fp4",
                                        "modelopt_mixed",
                                        "nvfp4_online",
                                        "gptq_marlin_24",
                                        "gptq_marlin",
                                        "awq_marlin",
                                        "compressed_tensors",
                                        "compressed-tensors",
                                        "experts_int8",
                                        "w8a8_int8",
                                        "w8a8_fp8",
                                        "moe_wna16",
                                        "w4afp8",
                                        "petit_nvfp4",
                                        "quark",
                                        "modelslim",
                                        "humming",
                                        "quark_mxfp4"}) ||
                         (oldest && one_of(asked, {"qoq", "fbgemm_fp8"})) ||
                         (r.since(Release::v0_5_18) && asked == "auto-round") ||
                         (one_of(asked, {"mxfp4", "mxfp8"}) && is_sm100_supported(r.machine()));
  if (!optimized)
    r.warn(
        "{} quantization is not fully optimized yet. The speed can be slower than non-quantized "
        "models.",
        {asked});
}

}  // namespace sglint
