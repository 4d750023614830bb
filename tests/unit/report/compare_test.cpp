// The matrix says of each machine and release what check() says there, and an upgrade's command is
// accepted by the release that it is for.
#include <gtest/gtest.h>

#include "base/json.h"
#include "sglint/sglint.h"

namespace sglint {
namespace {

Request text(std::string command) {
  Request request;
  request.text = std::move(command);
  return request;
}

TEST(Matrix, AgreesWithCheck) {
  for (const char* command :
       {"sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm",
        "sglang serve --model-path Qwen/Qwen3-8B --attention-backend fa3",
        "sglang serve --model-path Qwen/Qwen3-8B --enable-waterfill"}) {
    const Matrix m = matrix(text(command));
    ASSERT_EQ(m.error, "");
    ASSERT_EQ(m.machines.size(), 15u);
    ASSERT_EQ(m.launches.size(), 1u);
    ASSERT_EQ(m.launches[0].cells.size(), m.machines.size() * m.releases.size());
    for (const MatrixCell& cell : m.launches[0].cells) {
      Request request = text(command);
      request.machine = cell.machine;
      request.release = cell.release;
      const LaunchReport there = check(request).launches[0];
      EXPECT_EQ(cell.outcome, there.outcome) << command << cell.machine << cell.release;
      EXPECT_EQ(cell.error_message, there.error_message) << command << cell.machine << cell.release;
      if (cell.outcome != Outcome::ok) {
        EXPECT_EQ(cell.rule, there.diagnostics.at(0).rule);
        continue;
      }
      if (!cell.load.empty()) continue;  // check shows what runs after the fixes
      ASSERT_EQ(cell.effective.size(), there.effective.size());
      for (size_t i = 0; i < cell.effective.size(); ++i)
        EXPECT_EQ(cell.effective[i].second, there.effective[i].value);
    }
  }
}

TEST(Matrix, TakesTheGpuCountFromTheRequest) {
  Request request = text("sglang serve --model-path Qwen/Qwen3-8B");
  request.machine = "h100x4";
  const Matrix m = matrix(request, {{}, {"0.5.18"}, false});
  EXPECT_EQ(m.machines.at(0), "a100x4");
  EXPECT_EQ(matrix(text(request.text), {{"h200"}, {"0.5.18"}, false}).machines.at(0), "h200");
}

TEST(Matrix, NamesWhatItDoesNotKnow) {
  EXPECT_NE(matrix(text("sglang serve --model-path a"), {{"h99"}, {}, false}).error.find("h99"),
            std::string::npos);
  EXPECT_NE(matrix(text("sglang serve --model-path a"), {{}, {"9.9"}, false}).error.find("9.9"),
            std::string::npos);
  EXPECT_NE(matrix_json("{").find("not JSON"), std::string::npos);
}

TEST(Upgrade, RenamesFlagsAndChecksTheCommand) {
  const std::string source =
      "sglang serve --model-path deepseek-ai/DeepSeek-V3 --tp 8 --enable-waterfill \\\n"
      "  --log-level info  # kept\n";
  const Upgrade u = upgrade(text(source), "0.5.15.post1", "0.5.18");
  ASSERT_EQ(u.error, "");
  ASSERT_EQ(u.launches.size(), 1u);
  for (const FlagChange& f : u.launches[0].flags) EXPECT_FALSE(f.change.empty());
  if (!u.launches[0].command.empty()) {
    Request again = text(u.launches[0].command);
    again.release = "0.5.18";
    EXPECT_EQ(check(again).launches.at(0).outcome, Outcome::ok);
  }
}

TEST(Upgrade, SaysWhatChanges) {
  const Upgrade u = upgrade(
      text(
          "sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-gdn-replayssm-spec"),
      "0.5.16", "0.5.18");
  ASSERT_EQ(u.launches.size(), 1u);
  ASSERT_EQ(u.launches[0].flags.size(), 1u);
  EXPECT_EQ(u.launches[0].flags[0].change, "deprecated");
  EXPECT_EQ(u.launches[0].flags[0].instead, "--enable-linear-replayssm-spec");
}

TEST(Upgrade, RefusesTheSameRelease) {
  EXPECT_NE(upgrade(text("sglang serve --model-path a"), "0.5.18", "0.5.18").error, "");
  EXPECT_NE(upgrade(text("sglang serve --model-path a"), "0.5.17", "1").error, "");
}

TEST(Compare, WritesJson) {
  const Request request = text("sglang serve --model-path Qwen/Qwen3-8B --api-key topsecret1");
  for (const std::string& json :
       {to_json(matrix(request)), to_json(upgrade(request, "0.5.16", "0.5.18"))}) {
    EXPECT_TRUE(parse_json(json)) << json;
    EXPECT_EQ(json.find("topsecret1"), std::string::npos);
  }
}

}  // namespace
}  // namespace sglint
