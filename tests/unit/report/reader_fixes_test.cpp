// Two steps of edits as one, and the reader's own edits in the fixes of a launch.
#include "report/reader_fixes.h"

#include <gtest/gtest.h>

namespace sglint {
namespace {

// A few edits of a text of that size, in order, that do not overlap.
std::vector<SourceEdit> some_edits(size_t size, uint32_t& state) {
  const auto next = [&](uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return below ? (state >> 8) % below : 0;
  };
  std::vector<SourceEdit> out;
  for (uint32_t at = next(3); at <= size;) {
    const uint32_t end = std::min<uint32_t>(static_cast<uint32_t>(size), at + next(3));
    out.push_back({{at, end}, std::string("XYZ").substr(0, next(4))});
    at = end + 1 + next(4);
  }
  return out;
}

TEST(ReaderFixes, TwoStepsAsOne) {
  const std::string text = "abcdefghijkl";
  uint32_t state = 7;
  size_t composed = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::vector<SourceEdit> first = some_edits(text.size(), state);
    const std::string between = edited(first, text);
    const std::vector<SourceEdit> then = some_edits(between.size(), state);
    const std::vector<SourceEdit> both = compose(first, then);
    if (both.empty()) continue;
    ++composed;
    EXPECT_EQ(edited(both, text), edited(then, between)) << i;
  }
  EXPECT_GT(composed, 1000u);
}

struct Fixed {
  std::string source, command;
  Report report;
};

Fixed fixed(const std::string& text) {
  Request request;
  request.text = text;
  Report report = check(request);
  std::string source = fixed_source(report, text);
  request.text = source;
  EXPECT_EQ(fixed_source(check(request), source), source) << "a second pass changes something";
  const std::string command = report.launches.empty() ? "" : report.launches[0].fixed_command;
  return {std::move(source), command, std::move(report)};
}

TEST(ReaderFixes, AreTheFixOfWhatTheyCause) {
  const std::string serve = "sglang serve --model-path Qwen/Qwen3-8B ";
  const Fixed dash = fixed(serve + "\xE2\x80\x94tp 2 # why\n");
  EXPECT_EQ(dash.source, serve + "--tp 2 # why\n");
  EXPECT_EQ(dash.command, serve + "--tp 2");
  const Diagnostic& read = dash.report.diagnostics.at(0);
  EXPECT_TRUE(read.fixes.at(0).accepted);
  ASSERT_EQ(dash.report.launches[0].diagnostics.size(), 1u);
  const Diagnostic& refused = dash.report.launches[0].diagnostics[0];
  EXPECT_EQ(refused.rule, "arguments/unknown-flag");
  ASSERT_EQ(refused.fixes.size(), 1u);
  EXPECT_EQ(refused.fixes[0].title, "Write hyphens");
  EXPECT_TRUE(refused.fixes[0].accepted);
  EXPECT_EQ(to_text(dash.report, serve + "\xE2\x80\x94tp 2 # why\n", {}).find("next finding"),
            std::string::npos);

  EXPECT_EQ(fixed(serve + "\xE2\x80\x93tp 2 \\\n  \xE2\x80\x94port 8000  # two\n").source,
            serve + "--tp 2 \\\n  --port 8000  # two\n");
  EXPECT_EQ(fixed(serve + "--json-model-override-args \xE2\x80\x9C{}\xE2\x80\x9D\n").source,
            serve + "--json-model-override-args \"{}\"\n");
  EXPECT_EQ(fixed(serve + "--port\xC2\xA0"
                          "8000 --tpp 2\n")
                .source,
            serve + "--port 8000 --tp 2\n");
}

TEST(ReaderFixes, LeadToTheNextFinding) {
  const std::string text =
      "# a\nsglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct \xE2\x80\x94tp 4 "
      "--enable-linear-replayssm --linear-attn-decode-backend flashinfer  # b\n";
  const Fixed both = fixed(text);
  EXPECT_EQ(both.source,
            "# a\nsglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp 4 "
            "--enable-linear-replayssm --linear-attn-decode-backend triton "
            "--disable-overlap-schedule  # b\n");
  const std::vector<Diagnostic>& list = both.report.launches[0].diagnostics;
  ASSERT_GE(list.size(), 3u);
  EXPECT_FALSE(list[0].fixes.at(0).accepted);
  EXPECT_TRUE(list[1].behind);
  EXPECT_EQ(list[1].rule, "replayssm/needs-triton-or-helion-decode");
  EXPECT_EQ(text.substr(list[1].spans.at(0).begin, 25), "--enable-linear-replayssm");
  // Each fix holds the hyphens: it can be applied to the text as it is.
  for (const VerifiedFix& fix : list[1].fixes)
    EXPECT_NE(edited(fix.edits, text).find(" --tp 4 "), std::string::npos);
}

TEST(ReaderFixes, LeaveATextAloneThatCannotBeRead) {
  const std::string text =
      "sglang serve --model-path Qwen/Qwen3-8B --tpp 2 --served-model-name 'demo\n  --port 8000\n";
  EXPECT_EQ(fixed(text).source, text);
}

TEST(ReaderFixes, BringMoreToLight) {
  EXPECT_EQ(fixed("ARGS=(\n  --model-path Qwen/Qwen3-8B\n  \xE2\x80\x94tp 2\n)\npython -m "
                  "sglang.launch_server \xE2\x80\x9D${ARGS[@]}\"\n")
                .source,
            "ARGS=(\n  --model-path Qwen/Qwen3-8B\n  --tp 2\n)\npython -m "
            "sglang.launch_server \"${ARGS[@]}\"\n");
}

TEST(ReaderFixes, MendWhatTwoLaunchesShareOnce) {
  const std::string args = "ARGS=(\n  --model-path Qwen/Qwen3-8B\n  %tp 2\n)\n";
  const std::string run = "python -m sglang.launch_server \"${ARGS[@]}\" --port 3000";
  std::string text = args + run + "0 &\n" + run + "1 --base-gpu-id 2\n", mended = text;
  text.replace(text.find('%'), 1, "\xE2\x80\x94");
  mended.replace(mended.find('%'), 1, "--");
  EXPECT_EQ(fixed(text).source, mended);
}

TEST(ReaderFixes, OfOneLaunchLeaveTheOthersAlone) {
  const std::string text =
      "sglang serve --model-path Qwen/Qwen3-8B \xE2\x80\x94tp 2 --port 30000 &\n"
      "sglang serve --model-path Qwen/Qwen3-8B --tpp 2 --port 30001 --base-gpu-id 2\n";
  const Fixed both = fixed(text);
  EXPECT_EQ(both.source,
            "sglang serve --model-path Qwen/Qwen3-8B --tp 2 --port 30000 &\n"
            "sglang serve --model-path Qwen/Qwen3-8B --tp 2 --port 30001 --base-gpu-id 2\n");
  EXPECT_TRUE(both.report.launches[1].diagnostics[0].fixes[0].accepted);
}

}  // namespace
}  // namespace sglint
