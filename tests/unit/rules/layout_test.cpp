// Layouts that no model of the catalogue shows, and numbers worked out by hand.
#include <gtest/gtest.h>

#include "load_notes.h"

namespace sglint {
namespace {

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

TEST(AttentionKernels, HpcOpsWithItsPackage) {
  const auto on = [](const char* machine, std::vector<std::string> more) {
    Case c{"", {"--model-path", "Qwen/Qwen3-8B", "--attention-backend", "hpc_ops"}, machine};
    c.words.insert(c.words.end(), more.begin(), more.end());
    c.packages = {"hpc"};
    return notes(c);
  };
  EXPECT_EQ(on("h100", {"--page-size", "64"}), Notes{});
  EXPECT_EQ(on("h100", {"--page-size", "16"}), Notes{});  // ServerArgs makes it 64
  EXPECT_EQ(on("b200", {"--page-size", "64"}),
            Notes{"attention-kernels/hpc-ops-needs-hopper: The hpc_ops attention backend requires "
                  "an SM90 (Hopper) GPU (the HPC-Ops kernels ship sm90a only), got sm100."});
}

TEST(Loader, ExtraConfig) {
  const auto with = [](const char* extra) {
    return notes({"", {"--model-path", "Qwen/Qwen3-8B", "--model-loader-extra-config", extra}});
  };
  EXPECT_EQ(with(R"({"enable_multithread_load": true, "num_threads": 8})"), Notes{});
  EXPECT_EQ(with("{}"), Notes{});
  EXPECT_EQ(with(R"({"num_thread": 8})"),
            Notes{"loader/unexpected-extra-config: Unexpected extra config keys for load format "
                  "LoadFormat.AUTO: {'num_thread'}"});
}

TEST(Ports, WhatUvloopMakesOfThem) {
  const auto at = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"--model-path", "Qwen/Qwen3-8B", "--port"});
    return notes({"", more});
  };
  EXPECT_EQ(at({"70000", "--host", "::"}),
            Notes{"ports/http-port-out-of-range: Failed to parse: http://[::1]:70000/model_info"});
  EXPECT_EQ(at({"0", "--host", "0.0.0.0"}),
            Notes{"ports/http-port-zero: HTTPConnectionPool(host='127.0.0.1', port=80): Max "
                  "retries exceeded with url: /model_info"});
  EXPECT_EQ(at({"0", "--skip-server-warmup"}), Notes{});
}

// Warnings of memory/weights-do-not-fit.
size_t too_large(const Case& c) {
  size_t out = 0;
  for (const std::string& note : notes(c, /*errors=*/false))
    out += note.find("memory/weights-do-not-fit") == 0;
  return out;
}

TEST(WeightsFloor, CountsExpertsOnce) {
  // num_experts and n_routed_experts are the same 256.
  const auto glm = [](const char* tp) {
    return too_large({"", {"--model-path", "nvidia/GLM-5.2-NVFP4", "--tp-size", tp}, "b200"});
  };
  EXPECT_EQ(glm("4"), 0u);
  EXPECT_EQ(glm("2"), 1u);
}

TEST(WeightsFloor, KnowsLatentExperts) {
  std::vector<std::string> words = {"--model-path", "moonshotai/Kimi-K3", "--tp-size", "8"};
  EXPECT_EQ(too_large({"", words, "h200"}), 1u);
  words.back() = "16";
  for (const char* word : {"--nnodes", "2", "--node-rank", "0", "--dist-init-addr", "h:1"})
    words.push_back(word);
  EXPECT_EQ(too_large({"", words, "h200"}), 0u);
}

TEST(WeightsFloor, CountsBitsThatAreCertain) {
  const auto quantized = [](const std::string& with) {
    return too_large(
        {R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 8192,
             "intermediate_size": 28672, "num_attention_heads": 64, "num_key_value_heads": 8,
             "num_hidden_layers": 320, "vocab_size": 128256, "max_position_embeddings": 8192,
             "torch_dtype": "float16", "quantization_config": {"desc_act": false, "sym": true,
             "group_size": 128, "quant_method": )" +
             with + "}}",
         {"--model-path", "large"}});
  };
  EXPECT_EQ(quantized(R"("gptq", "bits": 4)"), 1u);
  EXPECT_EQ(quantized(R"("gptq", "bits": 2)"), 0u);
  EXPECT_EQ(quantized(R"("gptq", "bits": 4, "dynamic": {"+:.*mlp.*": {"bits": 2}})"), 0u);
  EXPECT_EQ(quantized(R"("gguf")"), 0u);
}

}  // namespace
}  // namespace sglint
