#include "native/gpu/models.h"

#include <gtest/gtest.h>

namespace sglint::gpu {
namespace {

TEST(Models, FoundByNameAndByPath) {
  EXPECT_STREQ(find_linear_model("kimi-k3")->name, "kimi-k3");
  EXPECT_STREQ(find_linear_model("Qwen/Qwen3-Next-80B-A3B-Instruct")->name, "qwen3-next");
  EXPECT_STREQ(find_linear_model("moonshotai/Kimi-Linear-48B-A3B-Instruct")->name,
               "kimi-linear-48b");
  EXPECT_STREQ(find_linear_model("Qwen/Qwen3.5-397B-A17B")->name, "qwen3.5-397b");
  EXPECT_EQ(find_linear_model("Qwen/Qwen3-8B"), nullptr);
}

TEST(Models, ShapeOfALaunchCommand) {
  LinearShape s;
  ASSERT_EQ(shape_of_command({"python", "-m", "sglang.launch_server", "--model-path",
                              "Qwen/Qwen3-Next-80B-A3B-Instruct", "--tp=4", "--mamba-ssm-dtype",
                              "bfloat16", "--linear-replayssm-cache-len", "8"},
                             s),
            "");
  EXPECT_EQ(s.k_heads, 4);
  EXPECT_EQ(s.v_heads, 8);
  EXPECT_FALSE(s.kda);
  EXPECT_EQ(s.state, "bf16");
  EXPECT_EQ(s.ring_length, 8);
}

TEST(Models, KimiK3HasTheSafeGateAndTwelveHeadsAtTp8) {
  LinearShape s;
  ASSERT_EQ(shape_of(*find_linear_model("kimi-k3"), 8, s), "");
  EXPECT_TRUE(s.kda && s.safe_gate);
  EXPECT_EQ(s.v_heads, 12);
}

TEST(Models, SaysWhyThereIsNoShape) {
  LinearShape s;
  EXPECT_EQ(shape_of(*find_linear_model("qwen3-next"), 3, s),
            "qwen3-next has 16 key heads, which 3 GPUs cannot share evenly");
  EXPECT_EQ(shape_of_command({"python"}, s), "the command names no model (--model-path)");
  EXPECT_NE(shape_of_command({"--model-path", "Qwen/Qwen3-8B"}, s).find("'Qwen/Qwen3-8B'"),
            std::string::npos);
}

}  // namespace
}  // namespace sglint::gpu
