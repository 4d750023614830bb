// --why answers with the reason, or with a sentence that says what there is instead.
#include <gtest/gtest.h>

#include "sglint/sglint.h"

namespace sglint {
namespace {

Report report_of(std::string text) {
  Request request;
  request.text = std::move(text);
  request.machine = "h100";
  return check(request);
}

TEST(Why, SaysWhatIsInsteadOfAnAnswer) {
  const Report good = report_of("sglang serve --model-path Qwen/Qwen3-8B --tp 2");
  EXPECT_NE(why(good, "--tp").find("tp_size = 2"), std::string::npos);
  EXPECT_EQ(why(good, "attention_backnd"), "");
  EXPECT_EQ(why_not(good, "attention_backnd"),
            "SGLang has no field attention_backnd; did you mean attention_backend?");
  EXPECT_EQ(why_not(good, "zzzzzzzzzzzz"), "SGLang has no field zzzzzzzzzzzz");
  EXPECT_EQ(why(good, "--log-level"), "log_level = \"info\"\n  because: SGLang's default\n");
  const Report none = report_of("echo hello");
  EXPECT_NE(why_not(none, "tp_size").find("no launch"), std::string::npos);
}

TEST(Why, AnswersForEveryLaunch) {
  const std::string out = why(report_of("sglang serve --model-path Qwen/Qwen3-8B --tp 2\n"
                                        "sglang serve --model-path Qwen/Qwen3-8B\n"),
                              "tp");
  EXPECT_NE(out.find("launch 1: tp_size = 2\n"), out.npos) << out;
  EXPECT_NE(out.find("launch 2: tp_size = 1\n"), out.npos) << out;
}

}  // namespace
}  // namespace sglint
