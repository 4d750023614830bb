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

// How many columns stand before the carets, and how many carets there are.
std::pair<size_t, size_t> carets_of(const std::string& out) {
  const size_t line = out.find("\n    | ");
  if (line == out.npos) return {};
  const size_t first = out.find('^', line);
  return {first - line - 7, out.find('\n', first) - first};
}

TEST(Output, CaretsStandUnderTheColumnsOfATerminal) {
  struct Row {
    const char* name;
    size_t columns;
  };
  const std::string head = "sglang serve --model-path m --served-model-name ";
  for (const Row& row : {
           Row{"abc", 3}, Row{"模型", 4}, Row{"ｆｕｌｌ", 8}, Row{"한국어", 6},
           Row{"日本語です", 10}, Row{"de\xCC\x81mo", 4},  // e and a combining acute
           Row{"🚀", 2}, Row{"👨‍👩‍👧", 2},      // joined to one
           Row{"👍🏽", 2},                             // with a skin tone
           Row{"❤️", 2},                               // the emoji of a narrow letter
           Row{"❤", 1}, Row{"🇩🇪", 2},                      // a zero-width space
           Row{"naïve", 5}, Row{"สวัสดี", 4}, Row{"\t", 1},  // shown as a blank
           Row{"\x1b", 1},                                 // shown as a picture
       }) {
    const std::string text = head + "'" + row.name + "' --tpsize 2\n";
    EXPECT_EQ(carets_of(text_of(text)), std::pair(head.size() + row.columns + 3, size_t{8}))
        << text;
  }
  // Under the letters themselves.
  EXPECT_EQ(carets_of(text_of("sglang serve --model-path m --tp 模型\n")),
            std::pair(size_t{33}, size_t{4}));
  // The printed column counts letters.
  EXPECT_NE(text_of("sglang serve --model-path m --served-model-name 模型👍🏽 --tpsize 2\n")
                .find("line 1:54\n"),
            std::string::npos);
  // A byte order mark is in no editor's column.
  const std::string marked = "\xEF\xBB\xBFsglang serve --model-path m --tpsize 2\n";
  EXPECT_EQ(carets_of(text_of(marked)), std::pair(size_t{28}, size_t{8}));
  EXPECT_NE(text_of(marked).find("line 1:29\n"), std::string::npos);
  EXPECT_NE(to_github(check(of(marked)), marked, "f").find("col=29,"), std::string::npos);
  // A carriage return within a line is shown, one at its end is not.
  EXPECT_EQ(carets_of(text_of("sglang serve --model-path m --tpsize 2\r\n")),
            std::pair(size_t{28}, size_t{8}));
}

TEST(Output, LongLinesAreCutAroundTheSpan) {
  for (const std::string& letter : {std::string("a"), std::string("模")}) {
    std::string name;
    for (int i = 0; i < 20000; ++i) name += letter;
    const std::string text = "sglang serve --model-path m --served-model-name " + name +
                             " --tpsize 2 --chat-template " + name + " --tp-sizes 3\n";
    const std::string out = text_of(text);
    EXPECT_LT(out.size(), 20000u);
    EXPECT_NE(out.find(letter + " --tpsize 2 --chat-template " + letter), std::string::npos);
    EXPECT_NE(out.find("  1 | …" + letter), std::string::npos);
    EXPECT_NE(out.find(letter + "…\n"), std::string::npos);
    EXPECT_NE(out.find("too long to show"), std::string::npos);
    EXPECT_LT(to_text(upgrade(of(text), "0.5.16", "0.5.18"), text, TextStyle()).size(), 20000u);
    TextStyle all;
    all.resolved = true;
    EXPECT_LT(to_text(check(of(text)), text, all).size(), 40000u);
  }
}

TEST(Output, VeryManyFindingsStayReadable) {
  std::string many;
  for (int i = 0; i < 100; ++i)
    many += "sglang serve --model-path Qwen/Qwen3-8B " +
            std::string(i % 5 ? "--tpsize 2\n" : "--tp 2\n");
  const std::string out = text_of(many);
  EXPECT_LT(out.size(), 150000u);
  EXPECT_NE(out.find("100 launches: 20 accepted, 0 fail later, 80 rejected."), std::string::npos);
  EXPECT_NE(out.find("line 100 [arguments/unknown-flag]"), std::string::npos);
  std::string dashes = "sglang serve --model-path Qwen/Qwen3-8B";
  for (int i = 0; i < 200; ++i) dashes += " \\\n  –tp 2";
  const std::string text = text_of(dashes);
  EXPECT_LT(text.size(), 60000u);
  EXPECT_NE(text.find(" more findings; --format json lists them all"), std::string::npos) << text;
}

TEST(Output, OwnSentencesHaveNoMoreDigitsThanAReaderNeeds) {
  Request request = of("sglang serve --model-path deepseek-ai/DeepSeek-V3 --tp 8");
  request.machine = "h100";
  const std::string out = to_text(check(request), request.text, TextStyle());
  ASSERT_NE(out.find("GiB of weights a GPU do not fit in"), out.npos) << out;
  size_t digits = 0;
  for (const char c : out) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    EXPECT_LT(digits, 6u) << out;
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

TEST(Output, WhatMattersStandsFirst) {
  Request request;
  request.text =
      "sglang serve --model-path acme/unknown-7b --disable-cuda-graph --speculative-algorithm "
      "EAGLE --speculative-eagle-topk 8";
  const std::string text = to_text(check(request), request.text, {});
  const size_t error = text.find("error ["), warning = text.find("warning ["),
               note = text.find("note [");
  EXPECT_LT(error, warning);
  EXPECT_LT(warning, note);
  EXPECT_NE(note, text.npos);

  request.text += " --attention-backend trtllm_mha";
  request.machine = "h100";
  const std::string rejected = to_text(check(request), request.text, {});
  const size_t next = rejected.find("Next, once this is fixed");
  EXPECT_LT(rejected.find("warning ["), next);
  EXPECT_LT(next, rejected.find("error [speculative/"));
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
      "sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp 4 --mamba-ssm-dtype "
      "float16\n");
  EXPECT_NE(out.find(" at once\n"), out.npos) << out;
  EXPECT_NE(out.find("FlashInfer is available.\n"), out.npos) << out;
}

}  // namespace
}  // namespace sglint
