// Texts that are broken: a finding with a place, the rest read where that makes sense, never a
// crash.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "read/launch.h"
#include "read/read_rules.h"

namespace sglint {
namespace {

bool has(const ReadResult& r, const Rule& rule) {
  for (const ReadFinding& f : r.findings)
    if (f.rule == &rule) return true;
  return false;
}

void expect_sound(const std::string& text, const ReadResult& r) {
  for (const ReadFinding& f : r.findings) {
    EXPECT_LE(f.span.begin, f.span.end);
    EXPECT_LE(f.span.end, text.size());
    for (const TextEdit& e : f.edits) {
      EXPECT_LE(e.span.begin, e.span.end);
      EXPECT_LE(e.span.end, text.size());
    }
  }
  for (const Launch& l : r.launches)
    for (const Token& t : l.argv) {
      EXPECT_LE(t.span.begin, t.span.end);
      EXPECT_LE(t.span.end, text.size());
    }
}

TEST(BadInput, LinesThatAllLackTheirBackslashAreOneFinding) {
  const ReadResult r = read("sglang serve\n  --model-path a\n  --tp 2\n  --port 1\n");
  ASSERT_EQ(r.launches.size(), 1u);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].message,
            "The line before --model-path has no continuation: the shell ends the command there. "
            "2 more below it have none either.");
  EXPECT_EQ(r.findings[0].edits.size(), 3u);
}

TEST(BadInput, OtherBlocksOfAPageNeedNotBeWellFormed) {
  const ReadResult r = read(
      "# SGLang\n```\n\"fmt\": \"e4m3\",\n\"size\": 128,\n},\n```\n"
      "```bash\nsglang serve --model-path a\n```\n");
  EXPECT_EQ(r.launches.size(), 1u);
  EXPECT_TRUE(r.findings.empty());
  EXPECT_TRUE(read("It's sglang's page.\n```bash\nls \"x\"\n```\n").findings.empty());
}

TEST(BadInput, UnclosedQuoteEndsWithItsLine) {
  const std::string text = "sglang serve --model-path 'a \\\nsglang serve --model-path b\n";
  const ReadResult r = read(text);
  EXPECT_TRUE(has(r, kUnclosedQuote));
  EXPECT_EQ(r.launches.size(), 2u);
  expect_sound(text, r);
}

TEST(BadInput, YamlBeforeTheBrokenLineIsRead) {
  const std::string text = "model-path: a\ntp-size: 2\nport: 1: 2\n";
  const ReadResult r = read(text);
  ASSERT_TRUE(has(r, kBrokenYaml));
  ASSERT_EQ(r.launches.size(), 1u);
  EXPECT_EQ(r.launches[0].argv.size(), 4u);
  expect_sound(text, r);
}

TEST(BadInput, NulByte) {
  const std::string text = std::string("sglang serve --model a") + '\0' + "b --tp 2";
  const ReadResult r = read(text);
  EXPECT_TRUE(has(r, kNulByte));
  EXPECT_EQ(r.launches.size(), 1u);
}

// One finding that says what the bytes are; nothing of them is read or shown.
void expect_refused(const std::string& text, const Rule& rule, const std::string& says) {
  const ReadResult r = read(text);
  ASSERT_EQ(r.findings.size(), 1u) << says;
  EXPECT_EQ(r.findings[0].rule, &rule) << says;
  EXPECT_NE(r.findings[0].message.find(says), std::string::npos) << r.findings[0].message;
  EXPECT_TRUE(r.findings[0].span.empty());
  EXPECT_TRUE(r.launches.empty());
}

// The bytes of a text of ASCII in an encoding of `width` bytes a letter.
std::string wide(const std::string& text, size_t width, bool big) {
  std::string out;
  for (const char c : text) {
    std::string letter(width, '\0');
    letter[big ? width - 1 : 0] = c;
    out += letter;
  }
  return out;
}

TEST(BadInput, WideEncodingsAreNamed) {
  const std::string text = "sglang serve --model a --tp 2\r\n";
  for (const bool big : {false, true}) {
    const std::string mark = big ? "\xFE\xFF" : "\xFF\xFE", zeros(2, '\0');
    expect_refused(wide(text, 2, big), kUtf16, "UTF-16");
    expect_refused(mark + wide(text, 2, big), kUtf16, "UTF-16");
    expect_refused(wide(text, 4, big), kUtf16, "UTF-32");
    expect_refused((big ? zeros + mark : mark + zeros) + wide(text, 4, big), kUtf16, "UTF-32");
  }
  // A comment in Chinese before the command.
  expect_refused(
      wide("# ", 2, false) + "\x21\x6A\x8B\x57\x21\x6A\x8B\x57" + wide("\n" + text, 2, false),
      kUtf16, "UTF-16");
}

TEST(BadInput, WhatIsNoTextIsNamed) {
  using namespace std::string_literals;
  expect_refused(std::string(4096, '\0'), kNulByte, "nothing but NUL bytes");
  expect_refused("\x1F\x8B\x08\0\0\0\0\0\x02\xFF"s, kNotText, "a gzip file");
  expect_refused("\x89PNG\r\n\x1A\n\0\0\0\rIHDR"s, kNotText, "a PNG image");
  expect_refused("PK\3\4\x14\0\0\0\x08\0"s, kNotText, "a zip archive");
  expect_refused("\1\2\3\0\xF0\xF1"s, kNotText, "binary data");
  expect_refused("\x89PNG\r\n\x1A\n"s + std::string(kMaxText + 1, '\0'), kNotText, "a PNG image");
}

TEST(BadInput, LogsThatBeginWithNulBytesAreRead) {
  const ReadResult r = read(std::string(5000, '\0') + "\nsglang serve --model a --tp 2\n");
  EXPECT_TRUE(has(r, kNulByte));
  EXPECT_EQ(r.launches.size(), 1u);
}

TEST(BadInput, Latin1IsReadByteByByte) {
  const ReadResult r = read("# d\xE9marrer\nsglang serve --model a --tp 2\n");
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].rule, &kNotUtf8);
  EXPECT_EQ(r.launches.size(), 1u);
}

TEST(BadInput, AliasesOfAliasesDoNotGrow) {
  std::string text = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string n = std::to_string(i), last = std::to_string(i - 1);
    text += "a" + n + ": &a" + n + " [*a" + last + ", *a" + last + "]\n";
  }
  for (const char* rest :
       {"model-path: a\ntp-size: 1\nenable-x: 1\njson-model-override-args: {x: *a39}\n",
        "f:\n  model-path: a\n  tp-size: 1\n  cuda-graph-bs: [*a39]\n"})
    expect_sound(text + rest, read(text + rest));
}

TEST(BadInput, LaunchInALargeDumpOfOtherThings) {
  std::string text;
  while (text.size() < 200000) text += "other:\n- b: c\n  d: 'e f'\nmore: {x: 1}\n";
  const std::string launch = "mine:\n- x: y\n- command: [sglang, serve, --model, a]\n";
  const ReadResult r = read(text + launch + text);
  ASSERT_EQ(r.launches.size(), 1u);
  ASSERT_EQ(r.launches[0].argv.size(), 2u);
  EXPECT_EQ(r.launches[0].argv[1].span.begin, text.size() + launch.size() - 3);
}

TEST(BadInput, TooManyWords) {
  std::string text = "sglang serve --model a";
  while (text.size() < kMaxText - 10) text += " x";
  const ReadResult r = read(text);
  EXPECT_TRUE(has(r, kTooManyWords));
  ASSERT_EQ(r.launches.size(), 1u);
  EXPECT_LT(r.launches[0].argv.size(), 70000u);
}

// Each of these once took time that grows with the square of the text, or worse.
TEST(BadInput, VariablesOfVariables) {
  std::string doubled = "A=x\n", exported, commands;
  while (doubled.size() < (1 << 18)) doubled += "A=$A$A\n";
  for (int i = 0; exported.size() < (1 << 17); ++i) {
    exported += "export A" + std::to_string(i) + "=1\n";
    commands += "x $A\n";
  }
  for (const std::string& noise : {doubled, exported + commands}) {
    const std::string text = noise + "sglang serve --model a\n";
    expect_sound(text, read(text));
  }
}

TEST(BadInput, InvalidUtf8) {
  for (const char* bytes : {"\xFF", "\xC3", "\xE2\x82", "\xC0\x80", "\xF5\x80\x80\x80"}) {
    const std::string text = std::string("sglang serve --model a") + bytes + " --tp 2";
    const ReadResult r = read(text);
    EXPECT_TRUE(has(r, kNotUtf8));
    EXPECT_EQ(r.launches.size(), 1u);
    expect_sound(text, r);
  }
}

TEST(BadInput, OverOneMebibyteIsRefused) {
  std::string text = "sglang serve --model a ";
  text.resize(kMaxText + 1, 'x');
  const ReadResult r = read(text);
  EXPECT_TRUE(has(r, kTextTooLong));
  EXPECT_TRUE(r.launches.empty());
}

TEST(BadInput, OfTooManyLaunchesTheRestIsNamed) {
  std::string shell, calls = "from sglang import ServerArgs\n";
  for (int i = 0; i < 3000; ++i) {
    shell += "sglang serve --model-path a --port " + std::to_string(i) + "\n";
    calls += "ServerArgs(model_path='a')\n";
  }
  for (const std::string& text : {shell, calls}) {
    const ReadResult r = read(text);
    EXPECT_EQ(r.launches.size(), 1000u);
    ASSERT_TRUE(has(r, kTooManyLaunches));
    EXPECT_EQ(r.findings.back().message,
              "The text launches SGLang 3000 times; only the first 1000 of them are checked.");
    EXPECT_GT(r.findings.back().span.begin, r.launches.back().span.begin);
  }
}

TEST(BadInput, EmptyTextsAreNothing) {
  for (const char* text : {"",  " ", "\n\n", "#",   "\\", "'",    "\"",  "`",  "$",   "${", "$(",
                           "<", "[", "{",    "---", "- ", "\\\n", "```", "<<", "A=(", "--"}) {
    const ReadResult r = read(text);
    EXPECT_TRUE(r.launches.empty()) << text;
    expect_sound(text, r);
  }
}

TEST(BadInput, CutAnywhere) {
  const std::string texts[] = {
      "export A='x y'\ndocker run --gpus all -e B=\"$A\" lmsysorg/sglang:v0.5.18 bash -c \"sglang "
      "serve --model 'a b' --x '{\\\"y\\\": [1]}'\" > log 2>&1 &\n",
      "services:\n  s: &a\n    image: x\n    environment: {A: \"1\"}\n    command: [\"bash\", "
      "'-c', \"sglang serve \\\\\\n --model ${M:-a}\"]\n  t:\n    <<: *a\n",
      "FROM x\nENV A=1 \\\n  B=2\nENTRYPOINT [\"sglang\", \"serve\"]\nCMD [\"--model\", "
      "\"a\\u00e9\"]\n",
      "$env:A = \"1\"\n$a = @('--model', 'a')\nsglang serve @a `\n  --x \"`$b\"\n",
      "cmd = [\"sglang\", \"serve\", f\"--model={m}\"]\nos.system(\"\"\"python -m "
      "sglang.launch_server --model a\"\"\")\n",
  };
  for (const std::string& whole : texts)
    for (size_t n = 0; n <= whole.size(); ++n) {
      const std::string text = whole.substr(0, n);
      expect_sound(text, read(text));
    }
}

TEST(BadInput, Noise) {
  std::mt19937 random(7);
  const std::string letters = " \n\t\\'\"`$(){}[]<>|&;#:-=~^%@!*,.abcM1\xE2\x80\x93";
  for (int round = 0; round < 300; ++round) {
    std::string text = round % 2 ? "sglang serve --model a " : "";
    const size_t n = random() % 400;
    for (size_t i = 0; i < n; ++i) text += letters[random() % letters.size()];
    if (round % 3 == 0) text += " python -m sglang.launch_server --model x";
    expect_sound(text, read(text));
  }
}

// A hang would be a time-out of this test. tests/bench measures the time.
TEST(BadInput, MuchOfOneThing) {
  for (const char* unit : {"$(",
                           "${",
                           "\"",
                           "'",
                           "`",
                           "\\\n",
                           "<a",
                           "{{",
                           "[",
                           "{",
                           "- ",
                           "a: ",
                           "\"$(",
                           "x\\\n",
                           "A=( ",
                           "#\n",
                           "--a ",
                           "<<E\n",
                           "sglang serve --model a\n",
                           "[\"--model\",",
                           "'''",
                           "`a`a",
                           "&a [*a, ",
                           "\n\n- - "}) {
    std::string text;
    while (text.size() < (1 << 15)) text += unit;
    expect_sound(text, read(text));
  }
}

}  // namespace
}  // namespace sglint
