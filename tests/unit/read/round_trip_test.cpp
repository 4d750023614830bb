// Random arguments, quoted for a form and read back, are the same arguments.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "read/launch.h"
#include "read/quoting.h"

namespace sglint {
namespace {

std::string random_word(std::mt19937& random, bool line_breaks) {
  static const std::string kLetters = "abcXYZ019 -_=./:,{}[]\"'\\$`*?!~#%^&|;()@+\xC3\xA9";
  std::string word;
  const size_t n = 1 + random() % 12;
  for (size_t i = 0; i < n; ++i) {
    const size_t at = random() % (kLetters.size() - 1);
    if (static_cast<unsigned char>(kLetters[at]) >= 0x80)
      word += "\xC3\xA9";
    else
      word += kLetters[at];
  }
  if (line_breaks && random() % 16 == 0) word += "\nz";
  return word;
}

void expect_same(const std::vector<std::string>& argv, const std::string& text) {
  const ReadResult r = read(text);
  ASSERT_EQ(r.launches.size(), 1u) << text;
  ASSERT_EQ(r.launches[0].argv.size(), argv.size()) << text;
  for (size_t i = 0; i < argv.size(); ++i) EXPECT_EQ(r.launches[0].argv[i].text, argv[i]) << text;
}

std::vector<std::string> random_argv(std::mt19937& random, bool line_breaks = true) {
  std::vector<std::string> argv{"--model-path", "a"};
  const size_t n = random() % 6;
  for (size_t i = 0; i < n; ++i) {
    argv.push_back("--flag" + std::to_string(i));
    argv.push_back(random_word(random, line_breaks));
  }
  return argv;
}

TEST(RoundTrip, Shell) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<std::string> argv = random_argv(random);
    std::string text = "python3 -m sglang.launch_server";
    for (const std::string& w : argv) text += (random() % 3 ? " " : " \\\n  ") + quote_shell(w);
    expect_same(argv, text);
  }
}

TEST(RoundTrip, ShellInShell) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    const std::vector<std::string> argv = random_argv(random);
    std::string inner = "sglang serve";
    for (const std::string& w : argv) inner += " " + quote_shell(w);
    expect_same(argv, "docker run --gpus all img bash -c " + quote_shell(inner));
  }
}

TEST(RoundTrip, Json) {
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    const std::vector<std::string> argv = random_argv(random);
    std::string text = "[\"sglang\", \"serve\"";
    for (const std::string& w : argv) text += ", " + quote_json(w);
    expect_same(argv, text + "]");
  }
}

TEST(RoundTrip, PythonList) {
  std::mt19937 random(6);
  for (int i = 0; i < 1000; ++i) {
    const std::vector<std::string> argv = random_argv(random);
    std::string text = "import subprocess\nsubprocess.run([\"sglang\", \"serve\"";
    for (const std::string& w : argv) text += ", " + quote_json(w);
    expect_same(argv, text + "])\n");
  }
}

TEST(RoundTrip, PowerShell) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::string> argv = random_argv(random, false);
    for (std::string& w : argv)
      for (char& c : w)
        if (c == '"') c = 'q';  // its meaning depends on PowerShell's version
    std::string text = "$env:A = \"1\"\nsglang serve";
    for (const std::string& w : argv) text += (random() % 3 ? " " : " `\n  ") + quote_powershell(w);
    expect_same(argv, text);
  }
}

TEST(RoundTrip, Cmd) {
  std::mt19937 random(8);
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::string> argv = random_argv(random, false);
    for (std::string& w : argv)
      for (char& c : w)
        if (c == '%') c = 'p';  // no quote keeps %NAME% from being replaced
    std::string text = "@echo off\nsglang serve";
    for (const std::string& w : argv) text += (random() % 3 ? " " : " ^\n  ") + quote_cmd(w);
    expect_same(argv, text);
  }
}

TEST(RoundTrip, YamlFlowList) {
  std::mt19937 random(9);
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::string> argv = random_argv(random);
    for (std::string& w : argv)
      for (char& c : w)
        if (c == '$') c = 'd';
    std::string text = "services:\n  s:\n    command: [sglang, serve";
    for (const std::string& w : argv) text += ", " + quote_json(w);
    expect_same(argv, text + "]\n");
  }
}

TEST(RoundTrip, Kubernetes) {
  std::mt19937 random(4);
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::string> argv = random_argv(random);
    for (std::string& w : argv)
      for (char& c : w)
        if (c == '$') c = 'd';  // $(NAME) is substituted there
    std::string text = "spec:\n  containers:\n  - command: [sglang, serve]\n    args:\n";
    for (const std::string& w : argv) text += "    - " + quote_yaml(w, true) + "\n";
    expect_same(argv, text);
  }
}

TEST(RoundTrip, ShellInYamlBlock) {
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    std::vector<std::string> argv = random_argv(random, false);
    for (std::string& w : argv)
      for (char& c : w)
        if (c == '$') c = 'd';
    std::string text =
        "spec:\n  containers:\n  - command: [sh, -c]\n    args:\n    - |\n      sglang serve";
    for (const std::string& w : argv) text += " \\\n        " + quote_shell(w);
    expect_same(argv, text + "\n");
  }
}

}  // namespace
}  // namespace sglint
