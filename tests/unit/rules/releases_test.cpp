// What SGLang's own code did with launches that only some releases take, or that are loaded twice.
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/text.h"
#include "sglint/sglint.h"

namespace sglint {
namespace {

Value run(const char* release, const char* words, const char* variable = nullptr) {
  Value::List argv;
  std::string_view rest = words;
  while (!rest.empty()) {
    const size_t space = std::min(rest.find(' '), rest.size());
    argv.emplace_back(rest.substr(0, space));
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
  const Value env = variable ? Value::dict({{variable, "1"}}) : Value::dict();
  return parse_json(check_batch_line(to_json(Value::dict({{"id", "1"},
                                                          {"release", release},
                                                          {"argv", Value(argv)},
                                                          {"machine", "h100"},
                                                          {"env", env},
                                                          {"fix", false}}))))
      .value_or(Value());
}

std::string ending(const Value& v) {
  return v["error"].is_none() ? std::string(v["outcome"].as_str())
                              : str(v["error"]["type"]) + ": " + str(v["error"]["message"]);
}

int times(const Value& v, std::string_view message, std::string_view level = "INFO") {
  int n = 0;
  for (const Value& log : v["logs"].as_list())
    n += log.as_list()[0].as_str() == level && contains(log.as_list()[1].as_str(), message);
  return n;
}

// get_config: a nested override changes keys of the part since 0.5.17; before, it took its place.
TEST(Releases, NestedOverrides) {
  const char* words =
      "--model-path Qwen/Qwen3.5-27B --json-model-override-args "
      "{\"text_config\":{\"num_hidden_layers\":8}}";
  EXPECT_EQ(ending(run("0.5.18", words)), "ok");
  EXPECT_EQ(ending(run("0.5.17", words)), "ok");
  EXPECT_EQ(ending(run("0.5.16", words)), "AssertionError: ");
}

// _modelopt_override_quantization_method: 0.5.18 keeps nvfp4_online apart.
TEST(Releases, OnlineQuantizationOfAnNvfp4Checkpoint) {
  const char* words = "--model-path nvidia/MiniMax-M2.5-NVFP4 --quantization nvfp4_online";
  EXPECT_EQ(ending(run("0.5.16", words)),
            "ValueError: --quantization nvfp4_online is supported only on NVIDIA Blackwell "
            "SM100/SM103 GPUs.");
  EXPECT_EQ(ending(run("0.5.18", words)),
            "ValueError: Quantization method specified in the model config (modelopt_fp4) does not "
            "match the quantization method specified in the `quantization` argument "
            "(nvfp4_online).");
}

TEST(Releases, FieldsThatWentAway) {
  const char* words = "--model-path Qwen/Qwen3-8B --enable-expert-distribution-metrics";
  EXPECT_TRUE(run("0.5.17", words)["resolved"]["enable_expert_distribution_metrics"].truthy());
  EXPECT_FALSE(run("0.5.18", words)["resolved"].has("enable_expert_distribution_metrics"));
}

TEST(Releases, SlidingWindowLines) {
  const char* words = "--model-path openai/gpt-oss-20b --log-level debug";
  for (const char* release : {"0.5.16", "0.5.18"}) {
    const bool newer = release[4] == '1' && release[5] == '8';
    const Value v = run(release, words);
    EXPECT_EQ(times(v, "Hybrid swa model: ", newer ? "DEBUG" : "INFO"), 1) << release;
    EXPECT_EQ(times(v, "Hybrid SWA model detected."), newer) << release;
  }
}

TEST(Releases, DtypeLines) {
  EXPECT_EQ(times(run("0.5.18", "--model-path Qwen/Qwen3-8B --dtype half --log-level debug"),
                  "Casting torch.bfloat16 to torch.float16.", "DEBUG"),
            1);
}

// DllmConfig.from_server_args makes a ModelConfig of its own.
TEST(Releases, DiffusionLoadsTheConfigAgain) {
  const Value v = run("0.5.18", "--model-path google/gemma-3-4b-it --dllm-algorithm x");
  EXPECT_EQ(ending(v), "RuntimeError: Unknown diffusion LLM: Gemma3ForConditionalGeneration");
  EXPECT_EQ(times(v, "Multimodal is disabled for gemma3."), 2);
  EXPECT_EQ(times(run("0.5.18",
                      "--model-path meta-llama/Llama-4-Scout-17B-16E-Instruct --dllm-algorithm x"),
                  "`rope_parameters`'s high_freq_factor", "WARNING"),
            1);
}

// _resolve_speculative_algorithm_alias loads the draft's config.
TEST(Releases, DraftWithCodeOfItsOwn) {
  EXPECT_TRUE(starts_with(ending(run("0.5.18",
                                     "--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE "
                                     "--speculative-draft-model-path inclusionAI/Ling-mini-2.0")),
                          "ValueError: The repository inclusionAI/Ling-mini-2.0 contains custom "
                          "code"));
}

TEST(Releases, OptimizedQuantization) {
  for (const char* release : {"0.5.15.post1", "0.5.18"})
    EXPECT_EQ(times(run(release, "--model-path Qwen/Qwen3-8B --quantization modelslim"),
                    "not fully optimized", "WARNING"),
              0);
  EXPECT_EQ(times(run("0.5.15.post1", "--model-path Qwen/Qwen3-8B --quantization qoq"),
                  "not fully optimized", "WARNING"),
            0);
}

TEST(Releases, OverriddenTorchDtype) {
  EXPECT_EQ(times(run("0.5.18",
                      "--model-path Qwen/Qwen3-8B --json-model-override-args "
                      "{\"torch_dtype\":\"float16\"}"),
                  "`torch_dtype` is deprecated!", "WARNING"),
            1);
}

// is_cpu() follows the variable also where there are GPUs.
TEST(Releases, CpuEngineOnAGpuMachine) {
  const Value v = run("0.5.18", "--model-path Qwen/Qwen3-8B", "SGLANG_USE_CPU_ENGINE");
  EXPECT_EQ(v["resolved"]["device"].as_str(), "cpu");
  EXPECT_EQ(v["resolved"]["attention_backend"].as_str(), "torch_native");
}

TEST(Releases, TorchCarriesItsCuda) {
  EXPECT_EQ(times(run("0.5.18",
                      "--model-path Qwen/Qwen3-8B --enable-pdmux --chunked-prefill-size -1 "
                      "--disable-overlap-schedule"),
                  "Current torch version is 2.13.0+cu130.", "WARNING"),
            1);
}

}  // namespace
}  // namespace sglint
