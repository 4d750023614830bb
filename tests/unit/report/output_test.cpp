// What no output may do: show a secret, obey a control byte, grow without bound.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sglint/sglint.h"

namespace sglint {
namespace {

Request of(const std::string& text) {
  Request request;
  request.text = text;
  return request;
}

std::string text_of(const std::string& text) { return to_text(check(of(text)), text, TextStyle()); }

TEST(Output, ShowsNoSecretInAnyForm) {
  const std::string secret = "s3cret\\value";
  const std::string token = "hf_ABCDEFGHIJKLMNOPQRSTUV";
  const std::vector<std::string> texts = {
      "HF_TOKEN=" + token + " sglang serve --model-path Qwen/Qwen3-8B --tpsize 2",
      "sglang serve --model-path Qwen/Qwen3-8B --api-key '" + secret + "' --tpsize 2",
      "sglang serve --model-path Qwen/Qwen3-8B --api-key='" + secret + "' --tp 3",
      "sglang serve --model-path Qwen/Qwen3-8B --apikey '" + secret + "'",
      "sglang serve --model-path Qwen/Qwen3-8B --port '" + token + "'",
      "sglang serve --model-path https://user:s3cretvalue@host/x --tpsize 2",
      "sglang serve --model-path 'https://host/x?token=s3cretvalue' --tpsize 2",
      "sglang serve --model-path Qwen/Qwen3-8B --json-model-override-args "
      "'{\"token\": \"s3cretvalue\"' --tp 2",
      "docker run -e HF_TOKEN=s3cretvalue lmsysorg/sglang:v0.5.18 sglang serve --model-path "
      "Qwen/Qwen3-8B –tp 2",
      "kind: Pod\nspec:\n  containers:\n  - name: a\n    env:\n    - name: HF_TOKEN\n      "
      "value: s3cretvalue\n    command: [sglang, serve, --model-path, Qwen/Qwen3-8B, \"--tp 2\", "
      "--api-key s3cretvalue]\n",
      "api_key: s3cretvalue\nmodel_path: Qwen/Qwen3-8B\ntp_sizes: 2\n",
      std::string("sglang serve --model-path Qwen/Qwen3-8B --tp 'x\ncurl -H 'Authorization: "
                  "Bearer s3cretvalue' http://h\n"),
      "Engine(model_path='Qwen/Qwen3-8B', api_key='s3cretvalue', tp_sizes=2)",
  };
  for (const std::string& text : texts) {
    const Report report = check(of(text));
    TextStyle all;
    all.resolved = true;
    for (const std::string& out :
         {to_json(report), to_text(report, text, all), why(report, "api_key")})
      for (const std::string& s :
           {secret, std::string("s3cret\\\\value"), token, std::string("s3cretvalue")})
        EXPECT_EQ(out.find(s), std::string::npos) << text << "\n" << out;
  }
}

TEST(Output, ControlBytesDoNotReachTheTerminal) {
  for (const char* text :
       {"sglang serve --model-path Qwen/Qwen3-8B --port 1\x1b[31mx",
        "\x1b]0;x\x07 --tp x --model-path a",
        "sglang serve --model-path 'a\rb' --\x9b"
        "31m x --tp \x7f",
        "sglang serve --model-path \xC2\x9B"
        "31m --tp x",
        "sglang serve --model-path \xE2\x80\xAE --tp x", "model-path: a\ntp-size: \"\\e[31m\"\n",
        "sglang serve --model-path $'a\\x1b[0m' --tp 1\x08",
        "sglang serve --model-path $'a\\e[0m' --served-model-name $'\\e[1m' --no\x1b[2m 1",
        "sglang serve --model-path Qwen/Qwen3-8B --mamba-scheduler-strategy $'\\e[1m'",
        "services:\n  \"a\\e[1m\":\n    image: lmsysorg/sglang\n    command: sglang serve --model "
        "a\n"}) {
    Request request = of(text);
    MatrixOptions few;
    few.machines = {"h100"};
    const std::string out = text_of(text) + to_text(matrix(request, few), TextStyle()) +
                            to_text(upgrade(request, "0.5.16", "0.5.18"), text, TextStyle());
    for (const char c : out)
      EXPECT_FALSE((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F) << text;
    EXPECT_EQ(out.find("\xC2\x9B"), std::string::npos);
    EXPECT_EQ(out.find("\xE2\x80\xAE"), std::string::npos);
    // The eight-bit form of ESC [ may only stand in the picture of ESC.
    for (size_t at = out.find('\x9b'); at != std::string::npos; at = out.find('\x9b', at + 1))
      EXPECT_EQ(out.substr(at - 2, 2), "\xE2\x90") << out;
  }
}

TEST(Output, IntegersBeyond64BitsAreWrittenAsPythonDoes) {
  const std::string big = "99999999999999999999";
  const std::string line =
      "{\"id\":1,\"model\":\"Qwen/Qwen3-8B\",\"machine\":\"h100\",\"argv\":"
      "[\"--model-path\",\"Qwen/Qwen3-8B\",";
  const auto batch = [&](const std::string& words) {
    return check_batch_line(line + words + "]}");
  };
  EXPECT_NE(batch("\"--port\",\"" + big + "\"").find("\"port\":" + big), std::string::npos);
  EXPECT_NE(batch("\"--port=-00" + big + "\"").find("\"port\":-" + big), std::string::npos);
  EXPECT_NE(batch("\"--context-length\",\"" + big + "\"").find("context_length (" + big + ")"),
            std::string::npos);
  // One that fits is left alone.
  EXPECT_NE(batch("\"--port\",\"9223372036854775807\"").find("\"port\":9223372036854775807"),
            std::string::npos);
  // The search for a size that fits ends.
  for (const char* flag : {"--tp", "--ep-size"})
    EXPECT_NE(batch(std::string("\"") + flag + "\",\"" + big + "\"").find(big), std::string::npos);
}

TEST(Output, StrayWordsAreOneFinding) {
  std::string text = "sglang serve --model-path Qwen/Qwen3-8B";
  for (int i = 0; i < 50000; ++i) text += " x" + std::to_string(i);
  const Report report = check(of(text));
  ASSERT_EQ(report.launches.size(), 1u);
  EXPECT_EQ(report.launches[0].outcome, Outcome::usage_error);
  EXPECT_LE(report.launches[0].diagnostics.size(), 2u);
  EXPECT_LT(to_text(report, text, TextStyle()).size(), 20000u);
  EXPECT_LT(to_json(report).size(), 20 * text.size());
}

TEST(Output, VerdictSaysWhatIsUnknown) {
  const std::string text =
      "sglang serve --model-path Qwen/Qwen3-8B --served-model-name <name> --host $HOST";
  const Report report = check(of(text));
  ASSERT_EQ(report.launches.size(), 1u);
  EXPECT_EQ(report.launches[0].outcome, Outcome::ok);
  EXPECT_EQ(report.launches[0].unknown_values, 2);
  EXPECT_NE(text_of(text).find("as far as known: 2 values are unknown."), std::string::npos);
  size_t listed = 0;
  for (const std::string& a : report.launches[0].assumptions)
    listed += a.find("<name>") != a.npos || a.find("$HOST") != a.npos;
  EXPECT_EQ(listed, 2u);
}

TEST(Output, SaysWhichReleaseStandsForAnUnknownOne) {
  struct Row {
    const char* image;
    const char* release;
    const char* assumed;
  };
  for (const Row& row : {
           Row{"lmsysorg/sglang:v0.5.17", "0.5.17", ""},
           Row{"lmsysorg/sglang:v0.4.9", "0.5.15.post1",
               "Release: 0.5.15.post1, the nearest to v0.4.9 of those that are known."},
           Row{"lmsysorg/sglang:latest", "0.5.18",
               "Release: 0.5.18, because latest does not say which one it is."},
           Row{"lmsysorg/sglang@sha256:ab", "0.5.18",
               "Release: 0.5.18, because sha256:ab does not say which one it is."},
       }) {
    const Report report =
        check(of(std::string("docker run ") + row.image + " sglang serve --model-path a"));
    ASSERT_EQ(report.launches.size(), 1u);
    EXPECT_EQ(report.launches[0].release, row.release);
    std::string assumed;
    for (const std::string& a : report.launches[0].assumptions)
      if (a.find("Release:") == 0) assumed = a;
    EXPECT_EQ(assumed, row.assumed);
    Request request = of(std::string("docker run ") + row.image + " sglang serve --model-path a");
    request.release = "0.5.16";
    const Report asked = check(request);
    EXPECT_EQ(asked.launches[0].release, "0.5.16");
    for (const std::string& a : asked.launches[0].assumptions) EXPECT_NE(a.find("Release:"), 0u);
  }
}

TEST(Output, NothingToCheckIsSaidInOneSentence) {
  for (const char* text : {"", "  \n\t\n", "pip install sglang", "pip install sglang==0.5.17\n"}) {
    const std::string out = text_of(text);
    EXPECT_NE(out.find("No SGLang launch command was found."), std::string::npos) << out;
  }
}

TEST(Output, ShowsAFixAsADiff) {
  const std::string text =
      "# first\nsglang serve --model-path Qwen/Qwen3-8B \\\n  --tpp 2 \\\n  --port 8000\n";
  const std::string out = text_of(text);
  EXPECT_NE(out.find("       -   --tpp 2 \\\n       +   --tp 2 \\\n"), std::string::npos) << out;
  EXPECT_EQ(out.find("- # first"), std::string::npos);
  // A long line is cut around the change.
  const std::string wide = text_of("sglang serve --model-path Qwen/Qwen3-8B --served-model-name " +
                                   std::string(300, 'x') + " --tpp 2\n");
  EXPECT_NE(wide.find("xxx --tpp 2\n"), std::string::npos) << wide;
  EXPECT_NE(wide.find("- …xxx"), std::string::npos) << wide;
}

TEST(Output, IndentsMessagesOfSeveralLines) {
  EXPECT_NE(text_of("sglang serve --model-path Qwen/Qwen3-8B --tp 16")
                .find("CUDA error: invalid device ordinal\n  GPU device may be out of range"),
            std::string::npos);
}

TEST(Output, BatchKnowsWhatToIgnore) {
  const std::string request = R"({"argv":["--model-path","Qwen/Qwen3-8B","--tp","two"],"ignore":[)";
  const std::string plain = check_batch_line(request + "]}");
  EXPECT_NE(plain.find(R"("rules":["arguments/invalid-int"])"), plain.npos) << plain;
  EXPECT_EQ(plain.find(R"("fixed_argv":null)"), plain.npos) << plain;
  const std::string ignored = check_batch_line(request + R"("arguments/invalid-int"]})");
  EXPECT_NE(ignored.find(R"("outcome":"usage_error")"), plain.npos) << ignored;
  EXPECT_NE(ignored.find(R"("rules":[])"), plain.npos) << ignored;
  EXPECT_NE(ignored.find(R"("fixed_argv":null)"), plain.npos) << ignored;
}

TEST(Text, ALongValueDoesNotNarrowTheReasonsOfTheOthers) {
  // The state pool's value is a sentence; a reason keeps its line.
  const std::string out = text_of(
      "sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp 4 --mamba-ssm-dtype float16\n");
  EXPECT_NE(out.find(" at once\n"), out.npos) << out;
  EXPECT_NE(out.find("FlashInfer is available.\n"), out.npos) << out;
}

}  // namespace
}  // namespace sglint
