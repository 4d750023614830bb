// Without a named machine the launch may say which kind it is for.
#include <gtest/gtest.h>

#include "sglint/sglint.h"

namespace sglint {
namespace {

LaunchReport of(const char* text, const char* machine = "") {
  Request request;
  request.text = text;
  request.machine = machine;
  Report report = check(request);
  EXPECT_EQ(report.launches.size(), 1u);
  return report.launches.empty() ? LaunchReport() : std::move(report.launches[0]);
}

constexpr const char* kRocm =
    "docker run --device=/dev/kfd lmsysorg/sglang:v0.5.18-rocm720-mi35x python3 -m "
    "sglang.launch_server --model-path Qwen/Qwen3-8B --attention-backend aiter\n";

TEST(AssumedMachine, FollowsTheImage) {
  const LaunchReport rocm = of(kRocm);
  EXPECT_EQ(rocm.outcome, Outcome::ok) << rocm.error_message;
  EXPECT_EQ(rocm.machine, "mi355x");
  ASSERT_FALSE(rocm.assumptions.empty());
  EXPECT_EQ(
      rocm.assumptions[0],
      "Machine: 8 × AMD Instinct MI355X, because none was named and the image's tag says mi35x.");
  EXPECT_EQ(
      of("services:\n  s:\n    image: lmsysorg/sglang:main-cann8.5.0-910b\n    command: python3 -m "
         "sglang.launch_server --model-path Qwen/Qwen3-8B\n")
          .machine,
      "npu");
  EXPECT_EQ(of("docker run lmsysorg/sglang:v0.5.18-cu130 sglang serve --model-path Qwen/Qwen3-8B\n")
                .machine,
            "h100");
}

TEST(AssumedMachine, FollowsTheDevice) {
  const LaunchReport npu = of("sglang serve --model-path Qwen/Qwen3-8B --device npu\n");
  EXPECT_EQ(npu.machine, "npu");
  EXPECT_EQ(npu.assumptions[0],
            "Machine: 8 × Ascend910B, because none was named and --device says npu.");
  EXPECT_EQ(of("sglang serve --model-path Qwen/Qwen3-8B --device $D\n").machine, "h100");
}

TEST(AssumedMachine, IsNotThereWhereOneIsNamed) {
  EXPECT_EQ(of(kRocm, "h100").machine, "h100");
  EXPECT_EQ(of("sglang serve --model-path Qwen/Qwen3-8B --device npu\n", "h200").machine, "h200");
}

}  // namespace
}  // namespace sglint
