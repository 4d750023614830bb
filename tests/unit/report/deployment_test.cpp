// What a router is told of its workers, and what a prefill and a decode server must share.
#include <gtest/gtest.h>

#include "sglint/sglint.h"

namespace sglint {
namespace {

std::string rules_of(std::string text) {
  Request request;
  request.text = std::move(text);
  std::string out;
  for (const Diagnostic& d : check(request).deployment) {
    EXPECT_FALSE(d.spans.empty()) << d.rule;
    out += (out.empty() ? "" : " ") + d.rule;
  }
  return out;
}

const std::string kServe = "sglang serve --model-path Qwen/Qwen3-8B";
const std::string kRouter = "python -m sglang_router.launch_router ";

TEST(Router, WorkersAtThePortsOfTheLaunches) {
  EXPECT_EQ(rules_of(kServe + " &\n" + kRouter + "--worker-urls http://localhost:30000\n"), "");
  EXPECT_EQ(rules_of(kServe + " &\n" + kRouter + "--worker-urls=http://127.0.0.1:30001/\n"),
            "deployment/router-worker-port");
  EXPECT_EQ(rules_of(kServe + " &\n" + kRouter + "--worker-urls http://10.0.0.7:1\n"), "")
      << "another host";
  EXPECT_EQ(rules_of(kServe + " --port $PORT &\n" + kRouter + "--worker-urls http://localhost:1\n"),
            "")
      << "a port that the text does not tell";
  EXPECT_EQ(rules_of(kRouter + "--worker-urls http://localhost:30001\n"), "");
}

TEST(Router, ComposeServicesByName) {
  const auto compose = [](const std::string& url) {
    return "services:\n  w:\n    image: lmsysorg/sglang:v0.5.18\n    ports: [\"8000:30000\"]\n"
           "    command: sglang serve --model-path Qwen/Qwen3-8B\n  r:\n"
           "    image: lmsysorg/sglang:v0.5.18\n    command: python -m "
           "sglang_router.launch_router --worker-urls " +
           url + "\n";
  };
  EXPECT_EQ(rules_of(compose("http://w:30000")), "");
  EXPECT_EQ(rules_of(compose("http://w:8000")), "deployment/router-worker-port");
  EXPECT_EQ(rules_of(compose("http://other:8000")), "");
}

TEST(Router, PrefillAndDecodeRoles) {
  const std::string pair = kServe + " --disaggregation-mode prefill --port 30000 &\n" + kServe +
                           " --disaggregation-mode decode --port 30001 &\n" + kRouter;
  EXPECT_EQ(rules_of(pair + "--pd-disaggregation --prefill http://localhost:30000 8998 --decode "
                            "http://localhost:30001\n"),
            "");
  EXPECT_EQ(rules_of(pair + "--pd-disaggregation --prefill http://localhost:30001 --decode "
                            "http://localhost:30000\n"),
            "deployment/router-worker-port deployment/router-worker-port");
}

TEST(Router, NamesTheBootstrapPortOfTheServerAtTheUrl) {
  const std::string two = kServe + " --disaggregation-mode prefill --port 30000 &\n" + kServe +
                          " --disaggregation-mode prefill --port 30001 "
                          "--disaggregation-bootstrap-port 9001 --base-gpu-id 1 &\n" +
                          kServe +
                          " --disaggregation-mode decode --port 30002 --base-gpu-id 2 &\n" +
                          kRouter + "--pd-disaggregation --decode http://localhost:30002 ";
  EXPECT_EQ(rules_of(two + "--prefill http://localhost:30000 8998 --prefill "
                           "http://localhost:30001 9001\n"),
            "");
  EXPECT_EQ(rules_of(two + "--prefill http://localhost:30000 8998 --prefill "
                           "http://localhost:30001 8998\n"),
            "deployment/bootstrap-port-differs");
  EXPECT_EQ(rules_of(two + "--prefill http://localhost:30000 9001 --prefill "
                           "http://localhost:30001 8998\n"),
            "deployment/bootstrap-port-differs deployment/bootstrap-port-differs");
  EXPECT_EQ(rules_of(two + "--prefill http://10.0.0.9:30000 1 --prefill $URL 2\n"), "");
}

TEST(Pair, BootstrapPortAndCacheType) {
  const std::string prefill = kServe + " --disaggregation-mode prefill ";
  const std::string decode = kServe + " --disaggregation-mode decode ";
  EXPECT_EQ(rules_of(prefill + "\n" + decode + "\n"), "");
  EXPECT_EQ(rules_of(prefill + "--disaggregation-bootstrap-port 9001\n" + decode + "\n"),
            "deployment/bootstrap-port-differs");
  EXPECT_EQ(rules_of(prefill + "--disaggregation-bootstrap-port 9001 &\n" + decode +
                     "--port 30001 &\n" + kRouter + "--prefill http://localhost:30000 9001\n"),
            "");
  EXPECT_EQ(rules_of(prefill + "--kv-cache-dtype fp8_e5m2\n" + decode + "\n"),
            "deployment/kv-cache-dtypes-differ");
}

}  // namespace
}  // namespace sglint
