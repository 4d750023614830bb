// Layouts that no model of the catalogue shows, and numbers worked out by hand.
#include <gtest/gtest.h>

#include "base/json.h"
#include "repair/run.h"

namespace sglint {
namespace {

struct Case {
  std::string config;  // config.json, "" for the catalogue's
  std::vector<std::string> words;
  std::string machine = "h100";
  std::vector<std::pair<std::string, std::string>> env = {};
};

// "id: message" of the load stage's errors, or of all findings.
std::vector<std::string> notes(const Case& c, bool errors = true) {
  Facts facts;
  facts.machine = *find_machine(c.machine);
  for (size_t i = 0; i + 1 < c.words.size(); ++i)
    if (c.words[i] == "--model-path") facts.model = find_model(c.words[i + 1]);
  if (!c.config.empty()) {
    facts.model = ModelFiles();
    facts.model->config = *parse_json(c.config);
  }
  for (const auto& [name, value] : c.env) facts.env.put(name, value);
  std::vector<Token> argv;
  for (const std::string& word : c.words) argv.push_back({word, {}, false, false});
  const auto run = run_launch(facts, argv);
  if (run->arguments.error) return {run->arguments.error->message};
  if (run->resolution->stopped()) return {"rejected: " + run->resolution->rejection()->message};
  std::vector<std::string> out;
  for (const Finding& note : run->resolution->notes())
    if ((note.rule->severity == Severity::error) == errors)
      out.push_back(std::string(note.rule->id) + ": " + note.message);
  return out;
}

using Notes = std::vector<std::string>;

// Qwen2.5-72B-Instruct-AWQ's sizes: 29568 over 8 ranks is 3696, which is no multiple of 128; two of
// them (gate and up) are 7392, no multiple of 64.
constexpr const char* kAwq =
    R"({"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 8192,
        "intermediate_size": 29568, "num_attention_heads": 64, "num_key_value_heads": 8,
        "num_hidden_layers": 80, "vocab_size": 152064, "max_position_embeddings": 32768,
        "torch_dtype": "float16",
        "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128,
                                "zero_point": true, "version": "gemm"}})";

TEST(Layout, MarlinNeedsWholeTiles) {
  EXPECT_EQ(notes({kAwq, {"--model-path", "awq", "--tp-size", "8"}}),
            Notes{"layout/marlin-output-size: Weight output_size_per_partition = 7392 is not "
                  "divisible by  min_thread_n = 64. Consider reducing tensor_parallel_size or "
                  "running with --quantization gptq."});
  EXPECT_EQ(notes({kAwq, {"--model-path", "awq", "--tp-size", "2"}}),
            Notes{"layout/marlin-input-size: Weight input_size_per_partition = 14784 is not "
                  "divisible by min_thread_k = 128. Consider reducing tensor_parallel_size or "
                  "running with --quantization gptq."});
  EXPECT_EQ(notes({kAwq, {"--model-path", "awq"}}), Notes{});
}

constexpr const char* kOddKv =
    R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 3072,
        "intermediate_size": 8256, "num_attention_heads": 24, "num_key_value_heads": 3,
        "num_hidden_layers": 16, "vocab_size": 128256, "max_position_embeddings": 8192,
        "torch_dtype": "bfloat16"})";

TEST(Layout, KvHeadsAreSharedOutOrReplicated) {
  EXPECT_EQ(notes({kOddKv, {"--model-path", "kv", "--tp-size", "2"}}),
            Notes{"layout/kv-heads: assert self.total_num_kv_heads % tp_size == 0 (3 % 2)"});
  EXPECT_EQ(notes({kOddKv, {"--model-path", "kv", "--tp-size", "4"}}),
            Notes{"layout/kv-heads: assert tp_size % self.total_num_kv_heads == 0 (4 % 3)"});
  EXPECT_EQ(notes({kOddKv, {"--model-path", "kv", "--tp-size", "3"}}),
            Notes{});  // 128256 = 3 * 42752
}

TEST(Layout, VisibleDevicesCount) {
  const std::vector<std::string> two = {"--model-path", "Qwen/Qwen3-8B", "--tp-size", "2"};
  const Notes few = {
      "devices/too-few-gpus: CUDA error: invalid device ordinal\nGPU device may be out of range, "
      "do you have enough GPUs?"};
  EXPECT_EQ(notes({"", two, "h100", {{"CUDA_VISIBLE_DEVICES", "0,1"}}}), Notes{});
  EXPECT_EQ(notes({"", two, "h100", {{"CUDA_VISIBLE_DEVICES", "3"}}}), few);
  EXPECT_EQ(notes({"", two, "h100", {{"CUDA_VISIBLE_DEVICES", "0,-1,1"}}}), few);
  EXPECT_EQ(notes({"", two, "h100", {{"CUDA_VISIBLE_DEVICES", "0,9"}}}), few);
  EXPECT_EQ(notes({"", two, "h100", {{"CUDA_VISIBLE_DEVICES", "GPU-aa,GPU-bb"}}}), Notes{});
}

TEST(Layout, GpusOfStagesNodesAndCopies) {
  const auto count = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"--model-path", "Qwen/Qwen3-8B"});
    return notes({"", words}).size();
  };
  EXPECT_EQ(count({"--tp-size", "4", "--pp-size", "2"}), 0u);
  EXPECT_EQ(count({"--tp-size", "4", "--pp-size", "4"}), 1u);
  EXPECT_EQ(count({"--tp-size", "4", "--dp-size", "2"}), 0u);
  EXPECT_EQ(count({"--tp-size", "4", "--dp-size", "4"}), 1u);
  EXPECT_EQ(count({"--tp-size", "8", "--base-gpu-id", "1"}), 1u);
  EXPECT_EQ(count({"--tp-size", "4", "--gpu-id-step", "2"}), 0u);
  EXPECT_EQ(count({"--tp-size", "16", "--nnodes", "2", "--dist-init-addr", "a:5000"}), 0u);
  EXPECT_EQ(count({"--tp-size", "32", "--nnodes", "2", "--dist-init-addr", "a:5000"}), 1u);
}

// Qwen3-Next over 4 ranks, 36 recurrent layers: (8192/4 * 3 * 2 + 32/4 * 128 * 128 * 4) * 36 bytes.
TEST(StatePool, SlotsAndBytes) {
  Facts facts;
  facts.machine = *find_machine("h100");
  facts.model = find_model("Qwen/Qwen3-Next-80B-A3B-Instruct");
  std::vector<Token> argv;
  for (const char* word :
       {"--model-path", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--tp-size", "4",
        "--mamba-radix-cache-strategy", "no_buffer", "--disable-overlap-schedule"})
    argv.push_back({word, {}, false, false});
  const auto run = run_launch(facts, argv);
  ASSERT_TRUE(run->accepted());
  EXPECT_EQ(run->resolution->attribute("state_pool")["kernel"].as_str(),
            "3 slots a request, 18.4 MiB a slot");
}

}  // namespace
}  // namespace sglint
