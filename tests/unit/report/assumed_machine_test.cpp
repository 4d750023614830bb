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

TEST(AssumedMachine, FollowsTheImageWhoseShellIsTypedIn) {
  const LaunchReport l =
      of("export IMAGE=lmsysorg/sglang:v0.5.17-rocm700-mi30x\n"
         "docker run -it --device=/dev/kfd ${IMAGE} bash\n"
         "python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B\n");
  EXPECT_EQ(l.machine, "mi300x");
  EXPECT_EQ(l.release, "0.5.17");
}

constexpr const char* kBugReport =
    "sglang serve --model-path Qwen/Qwen3-8B --tp 4\n\n### Environment\n"
    "GPU 0,1,2,3: NVIDIA GeForce RTX 4090\n"
    "GPU 0,1,2,3 Compute Capability: 8.9\nPyTorch: 2.9.1+cu130\nsglang: 0.5.17\n";

TEST(AssumedMachine, FollowsTheEnvironmentOfABugReport) {
  const LaunchReport l = of(kBugReport);
  EXPECT_EQ(l.machine, "NVIDIA GeForce RTX 4090");
  EXPECT_EQ(l.release, "0.5.17");
  ASSERT_FALSE(l.assumptions.empty());
  EXPECT_EQ(l.assumptions[0], "Machine: 4 × NVIDIA GeForce RTX 4090, as the text says.");
  EXPECT_EQ(of(kBugReport, "h100").machine, "h100");
  EXPECT_EQ(of("sglang serve --model-path Qwen/Qwen3-8B\nsglang: nightly\nGPU 0 is busy\n").machine,
            "h100");
}

TEST(AssumedMachine, IsNotThereWhereOneIsNamed) {
  EXPECT_EQ(of(kRocm, "h100").machine, "h100");
  EXPECT_EQ(of("sglang serve --model-path Qwen/Qwen3-8B --device npu\n", "h200").machine, "h200");
}

}  // namespace
}  // namespace sglint
