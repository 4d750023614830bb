// A placeholder or an unresolved variable: no verdict may rest on the default that stands in its
// place.
#include <gtest/gtest.h>

#include "sglint/sglint.h"

namespace sglint {
namespace {

std::string findings(const std::string& text, const std::string& machine = "h200") {
  Request request;
  request.text = text;
  request.machine = machine;
  const Report report = check(request);
  std::string out;
  for (const LaunchReport& launch : report.launches)
    for (const Diagnostic& d : launch.diagnostics)
      if (d.severity != "info" && d.rule != "model/unknown-model") out += d.rule + " ";
  for (const Diagnostic& d : report.deployment) out += d.rule + " ";
  return out;
}

struct UnknownValue : testing::TestWithParam<const char*> {};

TEST_P(UnknownValue, IsNotJudgedByADefault) { EXPECT_EQ(findings(GetParam()), "") << GetParam(); }

INSTANTIATE_TEST_SUITE_P(
    Commands, UnknownValue,
    testing::Values(
        "sglang serve --model-path deepseek-ai/DeepSeek-R1 --tp 16 --nnodes $NNODES --node-rank "
        "$RANK "
        "--dist-init-addr $M:5000\n",
        "sglang serve --model-path Qwen/Qwen3-8B --tp $TP --nnodes 2 --node-rank 0 "
        "--dist-init-addr h:1\n",
        "sglang serve --model-path Qwen/Qwen3-30B-A3B --tp $TP --ep 8\n",
        "sglang serve --model-path Qwen/Qwen3-30B-A3B --tp $TP --enable-dp-attention --dp 8\n",
        "sglang serve --model-path Qwen/Qwen3-8B --nnodes 2 --tp 2 --node-rank 0 --dist-init-addr "
        "$A\n",
        "sglang serve --model-path Qwen/Qwen3-8B --config \"$F\"\n",
        "sglang serve --config \"$F\"\n",
        "sglang serve --model-path Qwen/Qwen3-8B --json-model-override-args \"$X\"\n",
        "sglang serve --model-path Qwen/Qwen3-8B --speculative-algorithm $ALGO\n",
        "sglang serve --model-path Qwen/Qwen3-8B --enable-lora --max-lora-rank $R "
        "--lora-target-modules $M\n",
        "CUDA_VISIBLE_DEVICES=$GPUS sglang serve --model-path Qwen/Qwen3-8B --tp 2\n",
        "sglang serve --model-path Qwen/Qwen3-8B --port $P1 &\nsglang serve --model-path "
        "Qwen/Qwen3-8B "
        "--port $P2\n",
        "sglang serve --model-path Qwen/Qwen3-8B --tp 16 --nnodes 2 --node-rank $R "
        "--dist-init-addr h:1\n"
        "sglang serve --model-path Qwen/Qwen3-8B --tp 16 --nnodes 2 --node-rank $R "
        "--dist-init-addr h:1\n"));

TEST(UnknownValues, WhatDoesNotRestOnThemIsStillFound) {
  EXPECT_EQ(
      findings("sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp 4 --port $PORT "
               "--enable-linear-replayssm\n"),
      "replayssm/needs-no-buffer ");
  EXPECT_EQ(findings("sglang serve --model-path $MODEL --tp two\n"), "arguments/invalid-int ");
}

TEST(UnknownValues, OfTheEnvironmentCountAsNotSetAndAreKept) {
  Request request;
  request.machine = "h200";
  request.text =
      "SGLANG_ENABLE_SPEC_V2=$S sglang serve --model-path Qwen/Qwen3-8B --mem-fraction-static $M "
      "--tp two\n";
  const Report report = check(request);
  ASSERT_EQ(report.launches.size(), 1u);
  ASSERT_EQ(report.launches[0].fixed_edits.size(), 1u);
  EXPECT_EQ(request.text.substr(report.launches[0].fixed_edits[0].span.begin, 8), " --tp tw");
}

}  // namespace
}  // namespace sglint
