// What a pipeline is told of a text that starts no server.
#include <gtest/gtest.h>

#include "sglint/sglint.h"

namespace sglint {
namespace {

int code_of(const std::string& text) {
  Request request;
  request.text = text;
  return exit_code(check(request), "error");
}

TEST(ExitCode, ATextWithoutALaunchFails) {
  EXPECT_EQ(code_of("python -m sglang.bench_serving --backend sglang"), 1);
  EXPECT_EQ(code_of("make all"), 1);
}

TEST(ExitCode, ARouterAloneIsNoFailure) {
  EXPECT_EQ(code_of("python -m sglang_router.launch_router --worker-urls http://a:30000"), 0);
}

TEST(ExitCode, AServerOfImagesAloneIsNoFailure) {
  EXPECT_EQ(code_of("sglang serve --model-path Qwen/Qwen-Image --num-gpus 2"), 0);
  EXPECT_EQ(code_of("sglang generate --model-path Qwen/Qwen-Image --prompt 'a logo'"), 0);
}

TEST(ExitCode, ARouterBesideABadLaunchIs) {
  EXPECT_EQ(code_of("sglang serve --model-path Qwen/Qwen3-8B --no-such-flag\n"
                    "python -m sglang_router.launch_router --worker-urls http://a:30000"),
            1);
}

}  // namespace
}  // namespace sglint
