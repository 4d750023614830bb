// Quantized checkpoints that the catalogue does not have.
#include <gtest/gtest.h>

#include "base/text.h"
#include "load_notes.h"

namespace sglint {
namespace {

// Qwen2.5-72B-Instruct's sizes: 29568 over 8 ranks is 3696, which is no multiple of 128; two of
// them (gate and up) are 7392, no multiple of 64.
std::string qwen72(const char* quantization, const char* dtype = "float16") {
  return fill(
      R"({"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 8192,
          "intermediate_size": 29568, "num_attention_heads": 64, "num_key_value_heads": 8,
          "num_hidden_layers": 80, "vocab_size": 152064, "max_position_embeddings": 32768,
          "torch_dtype": "{}", "quantization_config": {}})",
      {dtype, quantization});
}
constexpr const char* kAwq =
    R"({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": true})";
constexpr const char* kGptq =
    R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": true, "desc_act": false})";
constexpr const char* kActOrder =
    R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": true, "desc_act": true})";

Notes at(const std::string& config, const char* tp, std::vector<std::string> more = {},
         const char* machine = "h100") {
  Case c{config, {"--model-path", "model", "--tp-size", tp}, machine};
  c.words.insert(c.words.end(), more.begin(), more.end());
  return notes(c);
}

constexpr const char* kInput =
    "layout/quantized-input-size: The input size is not aligned with the quantized weight shape. "
    "This can be caused by too large tensor parallel size.";

TEST(Quantization, AwqOnMarlinNeedsWholeTiles) {
  const std::string awq = qwen72(kAwq);
  EXPECT_EQ(at(awq, "8"),
            Notes{"layout/marlin-output-size: Weight output_size_per_partition = 7392 is not "
                  "divisible by  min_thread_n = 64. Consider reducing tensor_parallel_size or "
                  "running with --quantization gptq."});
  EXPECT_EQ(at(awq, "2"),
            Notes{"layout/marlin-input-size: Weight input_size_per_partition = 14784 is not "
                  "divisible by min_thread_k = 128. Consider reducing tensor_parallel_size or "
                  "running with --quantization gptq."});
  EXPECT_EQ(at(awq, "1"), Notes{});
  EXPECT_EQ(at(awq, "8", {"--quantization", "awq"}), Notes{kInput});
}

TEST(Quantization, GptqFailsLater) {
  EXPECT_EQ(at(qwen72(kGptq), "8"),
            Notes{"layout/gptq-marlin-tile: size_n = 7392 is not divisible by tile_n_size = 64"});
  EXPECT_EQ(at(qwen72(kGptq), "2"),
            Notes{"layout/gptq-marlin-groups: size_k = 14784, is not divisible by num_groups = "
                  "115"});
  EXPECT_EQ(at(qwen72(kActOrder), "2"), Notes{});  // every rank keeps all scales
  EXPECT_EQ(at(qwen72(kGptq), "4", {"--quantization", "gptq"}), Notes{kInput});
}

TEST(Quantization, TypesAndGpus) {
  const std::string awq = qwen72(kAwq, "bfloat16");
  EXPECT_EQ(at(awq, "1", {"--quantization", "awq"}),
            Notes{"quantization/activation-dtype: torch.bfloat16 is not supported for quantization "
                  "method awq. Supported dtypes: [torch.float16]"});
  EXPECT_EQ(at(awq, "1"), Notes{});
  EXPECT_EQ(at(awq, "1", {"--quantization", "awq"}, "t4"), Notes{});  // float16 there
  EXPECT_EQ(at(awq, "1", {}, "t4"), Notes{});                         // no Marlin there
  EXPECT_EQ(at(awq, "1", {"--quantization", "moe_wna16"}, "v100")[0].substr(0, 19),
            "devices/gpu-too-old");
}

std::string experts(const char* quantization) {
  return fill(
      R"({"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "hidden_size": 2048,
          "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128,
          "num_attention_heads": 32, "num_key_value_heads": 4, "num_hidden_layers": 48,
          "vocab_size": 151936, "max_position_embeddings": 32768, "torch_dtype": "float16",
          "quantization_config": {}})",
      {quantization});
}

TEST(Quantization, Experts) {
  const std::vector<std::string> nodes = {"--nnodes", "2", "--dist-init-addr", "a:5000"};
  EXPECT_EQ(at(experts(kAwq), "8"), Notes{});  // 96: groups of 32
  EXPECT_EQ(at(experts(kAwq), "16", nodes),
            Notes{"layout/expert-quantized-size: assert group_size >= 32"});
  EXPECT_EQ(at(experts(kGptq), "1", {"--quantization", "gptq"}),
            Notes{"quantization/gptq-without-experts: GPTQ Method does not support MoE, please use "
                  "gptq_marlin"});
}

TEST(Quantization, Nvfp4) {
  const std::string config =
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
          "intermediate_size": 8208, "num_attention_heads": 32, "num_key_value_heads": 8,
          "num_hidden_layers": 32, "vocab_size": 128256, "max_position_embeddings": 8192,
          "torch_dtype": "bfloat16",
          "quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4",
                                  "config_groups": {"group_0": {"weights": {"num_bits": 4,
                                      "group_size": 16, "type": "float"}}}}})";
  EXPECT_EQ(at(config, "2", {}, "b200"),
            Notes{"layout/nvfp4-input-size: Unsupported model when in features size is not "
                  "multiple of 16"});
  EXPECT_EQ(at(config, "1", {}, "b200"), Notes{});
}

}  // namespace
}  // namespace sglint
