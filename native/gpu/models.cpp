#include "native/gpu/models.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace sglint::gpu {
namespace {

std::string lower(std::string s) {
  for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return s;
}

// The value of the last `--flag value` or `--flag=value`.
std::string value_of(const std::vector<std::string>& argv, const std::vector<std::string>& flags) {
  std::string value;
  for (size_t i = 0; i < argv.size(); ++i)
    for (const std::string& flag : flags) {
      if (argv[i] == flag && i + 1 < argv.size()) value = argv[i + 1];
      if (argv[i].rfind(flag + "=", 0) == 0) value = argv[i].substr(flag.size() + 1);
    }
  return value;
}

}  // namespace

const std::vector<LinearModel>& linear_models() {
  static const std::vector<LinearModel> models = {
      {"qwen3-next", "qwen3-next", false, 16, 32, 128, 128, false, 36},
      {"qwen3.5-397b", "qwen3.5-397b", false, 16, 64, 128, 128, false, 45},
      {"qwen3.5-122b", "qwen3.5-122b", false, 16, 64, 128, 128, false, 0},
      {"qwen3.5", "qwen3.5", false, 16, 32, 128, 128, false, 0},
      {"kimi-linear-48b", "kimi-linear", true, 32, 32, 128, 128, false, 20},
      {"kimi-k3", "kimi-k3", true, 96, 96, 128, 128, true, 69},
  };
  return models;
}

const LinearModel* find_linear_model(const std::string& text) {
  const std::string wanted = lower(text);
  for (const LinearModel& m : linear_models())
    if (wanted == m.name) return &m;
  for (const LinearModel& m : linear_models())
    if (wanted.find(m.pattern) != std::string::npos) return &m;
  return nullptr;
}

std::string shape_of(const LinearModel& m, int tp, LinearShape& shape) {
  if (tp < 1 || m.k_heads % tp != 0 || m.v_heads % tp != 0)
    return std::string(m.name) + " has " + std::to_string(m.k_heads) + " key heads, which " +
           std::to_string(tp) + " GPUs cannot share evenly";
  shape.model = m.name;
  shape.kda = m.kda;
  shape.k_heads = m.k_heads / tp;
  shape.v_heads = m.v_heads / tp;
  shape.head_k = m.head_k;
  shape.head_v = m.head_v;
  shape.safe_gate = m.safe_gate;
  shape.layers = m.layers;
  return "";
}

std::string shape_of_command(const std::vector<std::string>& argv, LinearShape& shape) {
  const std::string path = value_of(argv, {"--model-path", "--model"});
  if (path.empty()) return "the command names no model (--model-path)";
  const LinearModel* model = find_linear_model(path);
  if (model == nullptr)
    return "no linear-attention shapes are known for '" + path +
           "'; --model takes one of the known";
  const std::string tp = value_of(argv, {"--tp", "--tp-size", "--tensor-parallel-size"});
  if (std::string error = shape_of(*model, tp.empty() ? 1 : std::atoi(tp.c_str()), shape);
      !error.empty())
    return error;
  const std::string dtype = value_of(argv, {"--mamba-ssm-dtype"});
  if (dtype == "bfloat16") shape.state = "bf16";
  if (dtype == "float16") shape.state = "f16";
  if (dtype == "float32") shape.state = "f32";
  const std::string length = value_of(argv, {"--linear-replayssm-cache-len"});
  if (!length.empty()) shape.ring_length = std::atoi(length.c_str());
  return "";
}

}  // namespace sglint::gpu
