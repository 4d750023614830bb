// Files that a launch names: what is said while they are not given, and which they are.
#include <gtest/gtest.h>

#include "sglint/sglint.h"

namespace sglint {
namespace {

Request text(std::string launch) {
  Request request;
  request.text = std::move(launch);
  request.machine = "h100";
  return request;
}

LaunchReport only(const Request& request) {
  Report report = check(request);
  EXPECT_EQ(report.launches.size(), 1u);
  return report.launches.empty() ? LaunchReport() : std::move(report.launches[0]);
}

TEST(NamedFiles, AConfigThatIsNotGivenIsUnknownAndNotMissing) {
  const LaunchReport launch = only(text("sglang serve --config prod.yaml --port 30001\n"));
  EXPECT_EQ(launch.outcome, Outcome::ok);
  EXPECT_TRUE(launch.diagnostics.empty());
  EXPECT_EQ(launch.unknown_values, 1);
  ASSERT_EQ(launch.assumptions.size(), 2u);
  EXPECT_EQ(launch.assumptions[0],
            "prod.yaml was not given to this check: nothing is said of what it sets.");
}

TEST(NamedFiles, WhatDoesNotRestOnTheConfigIsStillFound) {
  EXPECT_EQ(only(text("sglang serve --config prod.yaml --tp two\n")).error_message,
            "argument --tp-size/--tensor-parallel-size: invalid int value: 'two'");
  EXPECT_EQ(only(text("sglang serve --config prod.json\n")).error_message,
            "Config file must be YAML format, got: .json");
}

TEST(NamedFiles, AGivenConfigIsRead) {
  Request request = text("sglang serve --config ./conf/prod.yaml\n");
  request.files["conf/prod.yaml"] = "model-path: Qwen/Qwen3-8B\ntp-size: 3\n";
  const LaunchReport launch = only(request);
  EXPECT_EQ(launch.model, "Qwen/Qwen3-8B");
  EXPECT_EQ(launch.unknown_values, 0);
  const std::string content = request.files.begin()->second;
  request.files = {{"./conf/prod.yaml", content}};  // under the name that files_named() gives
  EXPECT_EQ(only(request).model, "Qwen/Qwen3-8B");
}

// The arguments alone come with all that there is.
TEST(NamedFiles, OfArgumentsAloneAreMissingWhereTheyAreNotGiven) {
  Request request;
  request.argv = {"--config", "prod.yaml"};
  EXPECT_EQ(only(request).error_message, "Config file not found: prod.yaml");
  request.argv = {"--model-path", "Qwen/Qwen3-8B",  "--ssl-keyfile",
                  "key.pem",      "--ssl-certfile", "cert.pem"};
  EXPECT_EQ(only(request).error_message,
            "SSL key file not found: 'key.pem'. Please check the --ssl-keyfile path.");
}

TEST(NamedFiles, CertificatesAreTakenToExist) {
  const LaunchReport launch =
      only(text("sglang serve --model-path Qwen/Qwen3-8B --ssl-keyfile key.pem --ssl-certfile "
                "certs/cert.pem\n"));
  EXPECT_EQ(launch.outcome, Outcome::ok) << launch.error_message;
  ASSERT_GE(launch.assumptions.size(), 2u);
  EXPECT_EQ(launch.assumptions[0], "key.pem exists on the server.");
}

std::string listed(const Request& request) {
  std::string out;
  for (const NamedFile& file : files_named(request))
    out += (file.kind == NamedFile::Kind::config ? "config " : "model ") + file.path + "; ";
  return out;
}

TEST(NamedFiles, AreListedForACallerWithADisk) {
  EXPECT_EQ(listed(text("sglang serve --config prod.yaml --model-path ./llama "
                        "--speculative-draft-model-path=/m/draft\n"
                        "sglang serve --config prod.yaml --model /m/llama\n")),
            "config prod.yaml; model ./llama; model /m/draft; model /m/llama; ");
  EXPECT_EQ(listed(text("sglang serve --config $F --model-path $MODEL --config=x.yaml\n")), "");
  EXPECT_EQ(listed(text("no launch")), "");
  Request request = text("sglang serve --config ./a.yaml --model-path m\n");
  request.files["a.yaml"] = "tp-size: 2\n";
  request.extra_models["m"] = "{}";
  EXPECT_EQ(listed(request), "");
}

// The config may name the model.
TEST(NamedFiles, ThatAGivenConfigNamesAreListed) {
  Request request = text("sglang serve --config a.yaml\n");
  request.files["a.yaml"] = "model-path: /models/llama\ntp-size: 2\n";
  EXPECT_EQ(listed(request), "model /models/llama; ");
}

}  // namespace
}  // namespace sglint
