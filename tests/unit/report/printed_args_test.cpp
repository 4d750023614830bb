// A log in which SGLang printed its arguments: server_args=ServerArgs(…).
#include <gtest/gtest.h>

#include <algorithm>

#include "arguments/table.h"
#include "sglint/sglint.h"

namespace sglint {
namespace {

// What a release prints, with some fields set.
std::string printed(Release release, const std::map<std::string, std::string>& set) {
  std::string out = "[2026-01-05 10:11:12] server_args=ServerArgs(";
  const std::string_view* separator = nullptr;
  static constexpr std::string_view kComma = ", ";
  for (int i = 0; i < kFieldCount; ++i) {
    const Field field = static_cast<Field>(i);
    if (!has_field(release, field) || !is_server_args_field(field)) continue;
    const std::string name(field_name(field));
    const auto value = set.find(name);
    if (separator) out += *separator;
    separator = &kComma;
    out += name + "=" +
           (value != set.end() ? value->second
                               : repr(field_defaults(release)[static_cast<size_t>(i)]));
  }
  return out + ", custom_sigquit_handler=None, uses_mamba_radix_cache=True)\n" +
         "[2026-01-05 10:11:20 TP0] Init torch distributed begin.\n";
}

Report checked(std::string text) {
  Request request;
  request.text = std::move(text);
  request.machine = "h100x8";
  return check(request);
}

const std::map<std::string, std::string> kServer = {
    {"model_path", "'Qwen/Qwen3-8B'"},
    {"tokenizer_path", "'Qwen/Qwen3-8B'"},
    {"served_model_name", "'Qwen/Qwen3-8B'"},
    {"random_seed", "463912"},
    {"tp_size", "2"},
    {"attention_backend", "'fa3'"},
    {"mem_fraction_static", "0.862"},
    {"cuda_graph_config", "CudaGraphConfig(decode=PhaseConfig(backend='full', bs=[1, 2]))"}};

TEST(PrintedArgs, LeaveWhatSglangDoesNotChooseByItself) {
  auto set = kServer;
  set["mem_fraction_static"] = "0.7";
  const Report report = checked(printed(Release::v0_5_18, set));
  ASSERT_EQ(report.launches.size(), 1u);
  const LaunchReport& launch = report.launches[0];
  EXPECT_EQ(launch.outcome, Outcome::ok) << launch.error_message;
  const auto has = [&](std::string_view word) {
    return std::find(launch.argv.begin(), launch.argv.end(), word) != launch.argv.end();
  };
  EXPECT_TRUE(has("--model-path") && has("--tp-size") && has("--mem-fraction-static"));
  EXPECT_TRUE(has(R"({"decode": {"backend": "full", "bs": [1, 2]}})"));
  EXPECT_FALSE(has("--attention-backend") || has("--tokenizer-path") || has("--random-seed"));
  EXPECT_TRUE(launch.diagnostics.empty());
}

// What a command resolves to is printed, and read again.
TEST(PrintedArgs, LeadBackToWhatWasTyped) {
  using Argv = std::vector<std::string>;
  for (const Argv& typed :
       {Argv{"--model-path", "Qwen/Qwen3-8B"},
        Argv{"--model-path", "Qwen/Qwen3-8B", "--tp-size", "2", "--attention-backend", "triton"},
        // Rules multiply what is typed here.
        Argv{"--model-path", "deepseek-ai/DeepSeek-R1", "--chunked-prefill-size", "4096",
             "--tp-size", "8", "--dp-size", "8", "--enable-dp-attention"},
        Argv{"--model-path", "Qwen/Qwen2.5-VL-7B-Instruct", "--mem-fraction-static", "0.8"},
        Argv{"--model-path", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--tp-size", "4",
             "--speculative-algorithm", "EAGLE"}}) {
    Request request;
    request.argv = typed;
    request.machine = "h100x8";
    const Report first = check(request);
    ASSERT_EQ(first.launches[0].outcome, Outcome::ok) << first.launches[0].error_message;
    std::map<std::string, std::string> set;
    for (const ResolvedValue& v : first.launches[0].resolved)
      if (v.value[0] != '{')
        set[v.field] = v.value == "null"    ? "None"
                       : v.value == "true"  ? "True"
                       : v.value == "false" ? "False"
                                            : v.value;
    const Report again = checked(printed(Release::v0_5_18, set));
    ASSERT_EQ(again.launches.size(), 1u);
    EXPECT_EQ(again.launches[0].argv, typed);
  }
}

TEST(PrintedArgs, TellTheRelease) {
  for (Release release :
       {Release::v0_5_15_post1, Release::v0_5_16, Release::v0_5_17, Release::v0_5_18}) {
    const Report report = checked(printed(release, kServer));
    ASSERT_EQ(report.launches.size(), 1u);
    EXPECT_EQ(report.launches[0].release, release_name(release));
    EXPECT_EQ(report.launches[0].outcome, Outcome::ok) << report.launches[0].error_message;
  }
}

TEST(PrintedArgs, AreCheckedLikeALaunchButALogIsNotEdited) {
  auto set = kServer;
  set["quantization"] = "'nvfp4_online'";
  const Report report = checked(printed(Release::v0_5_18, set));
  ASSERT_EQ(report.launches.size(), 1u);
  const LaunchReport& launch = report.launches[0];
  EXPECT_NE(launch.outcome, Outcome::ok);
  ASSERT_FALSE(launch.diagnostics.empty());
  for (const VerifiedFix& fix : launch.diagnostics[0].fixes) {
    EXPECT_TRUE(fix.edits.empty());
    EXPECT_FALSE(fix.command.empty());
  }
  EXPECT_TRUE(launch.fixed_edits.empty());
  EXPECT_FALSE(launch.fixed_command.empty());
}

TEST(PrintedArgs, GiveWayToTheCommandItself) {
  const Report report = checked("$ sglang serve --model-path Qwen/Qwen3-8B --tp 2\n" +
                                printed(Release::v0_5_18, kServer));
  ASSERT_EQ(report.launches.size(), 1u);
  EXPECT_EQ(report.launches[0].argv,
            (std::vector<std::string>{"--model-path", "Qwen/Qwen3-8B", "--tp", "2"}));
}

TEST(PrintedArgs, DoNotGiveWayToTheExampleThatIsPrintedToo) {
  const std::string warning =
      "launch_server.py:51: UserWarning: 'python -m sglang.launch_server' is still supported, but "
      "'sglang serve' is the recommended entrypoint.\n"
      "  Example: sglang serve --model-path <model> [options]\n  warnings.warn(\n";
  Report report = checked(warning + printed(Release::v0_5_18, kServer));
  ASSERT_EQ(report.launches.size(), 1u);
  EXPECT_EQ(report.launches[0].argv[1], "Qwen/Qwen3-8B");
  report =
      checked("$ python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2\n" + warning);
  EXPECT_EQ(report.launches.size(), 1u);
}

TEST(PrintedArgs, OfServersAreNotCompared) {
  auto other = kServer;
  other["tp_size"] = "4";
  const std::string one = printed(Release::v0_5_18, kServer);
  const Report report = checked(one + one + printed(Release::v0_5_18, other));
  EXPECT_EQ(report.launches.size(), 2u);
  EXPECT_TRUE(report.deployment.empty());
}

TEST(PrintedArgs, AreNotWhatAProgramSays) {
  const Report report = checked(
      "import sglang\nrun(server_args=ServerArgs(model_path='Qwen/Qwen3-8B', tp_size=1))\n");
  ASSERT_EQ(report.launches.size(), 1u);
  EXPECT_EQ(report.launches[0].argv,
            (std::vector<std::string>{"--model-path", "Qwen/Qwen3-8B", "--tp-size", "1"}));
}

TEST(PrintedArgs, MayBeCutShort) {
  std::string log = printed(Release::v0_5_18, kServer);
  log.resize(log.size() / 2);
  const Report report = checked(log);
  ASSERT_EQ(report.launches.size(), 1u);
  EXPECT_EQ(report.launches[0].outcome, Outcome::ok) << report.launches[0].error_message;
  EXPECT_EQ(report.launches[0].release, "0.5.18");
}

TEST(PrintedArgs, OfAnUnknownReleaseMayHaveOtherFields) {
  std::string log = printed(Release::v0_5_18, kServer);
  log.insert(log.find("tp_size="), "brand_new_field=7, ");
  const Report report = checked(log);
  ASSERT_EQ(report.launches.size(), 1u);
  EXPECT_EQ(report.launches[0].outcome, Outcome::ok) << report.launches[0].error_message;
  EXPECT_EQ(report.launches[0].argv[0], "--model-path");
}

TEST(PrintedArgs, WriteSetsAdaptersAndDashes) {
  auto set = kServer;
  set["lora_target_modules"] = "{'q_proj', 'k_proj'}";
  set["lora_paths"] =
      "[LoRARef(lora_id='1', lora_name='a', lora_path='/l/a', pinned=False), "
      "LoRARef(lora_id='2', lora_name='b', lora_path='/l/b', pinned=False)]";
  set["served_model_name"] = "'-dash'";
  set["max_lora_rank"] = "16";
  set["enable_lora"] = "True";
  const Report report = checked(printed(Release::v0_5_18, set));
  ASSERT_EQ(report.launches.size(), 1u);
  const std::vector<std::string>& argv = report.launches[0].argv;
  EXPECT_EQ(report.launches[0].outcome, Outcome::ok) << report.launches[0].error_message;
  for (const char* word : {"q_proj", "k_proj", "a=/l/a", "b=/l/b", "--served-model-name=-dash"})
    EXPECT_NE(std::find(argv.begin(), argv.end(), word), argv.end()) << word;
}

// What a terminal or a collector of logs puts around the lines.
TEST(PrintedArgs, AreReadFromLogsOfAnyWriting) {
  const std::string log = printed(Release::v0_5_18, kServer);
  const std::vector<std::string> plain = checked(log).launches[0].argv;
  const auto each_line = [&](auto write) {
    std::string out;
    for (size_t i = 0; i < log.size();) {
      const size_t end = log.find('\n', i);
      out += write(log.substr(i, end - i)) + "\n";
      i = end + 1;
    }
    return out;
  };
  std::string colours = log, wrapped;
  colours.insert(log.find("=ServerArgs"), "\x1b[0m");
  colours.insert(log.find("server_args"), "\x1b[1;32m");
  const size_t first = log.find('\n');
  for (size_t i = 0; i < first; i += 120)
    wrapped += log.substr(i, std::min<size_t>(120, first - i)) + "\n";
  wrapped += log.substr(first + 1);
  for (const std::string& text :
       {each_line(
            [](std::string l) { return "{\"log\": \"" + l + "\\n\", \"stream\": \"stderr\"}"; }),
        each_line([](std::string l) {
          return "{\"ts\":\"1\",\"msg\":\"\\u001b[32m" + l + "\\u001b[0m\"}";
        }),
        each_line([](std::string l) { return "sglang-1  | " + l; }),
        each_line([](std::string l) { return "[pod/sglang-0/sglang] " + l; }), colours, wrapped}) {
    const Report report = checked(text);
    ASSERT_EQ(report.launches.size(), 1u) << text.substr(0, 200);
    EXPECT_EQ(report.launches[0].argv, plain) << text.substr(0, 200);
  }
}

// Neither crashes nor takes long, nor makes a launch of what is none.
TEST(PrintedArgs, MayBeHostile) {
  const std::string log = printed(Release::v0_5_18, kServer);
  for (size_t cut = 0; cut < log.size(); cut += 2500) {
    checked("{\"log\": \"" + log.substr(0, cut));
    checked("{\"log\": \"" + log.substr(0, cut) + "\\");
    checked(log.substr(0, cut) + "\x1b[" + log.substr(cut));
    checked(log.substr(0, cut) + "\"" + log.substr(cut));
    checked(log.substr(0, cut) + "(" + log.substr(cut));
    checked(log.substr(0, cut) + "\\u00" + log.substr(cut));
  }
  std::string many;
  for (int i = 0; many.size() < 150000; ++i) {
    auto set = kServer;
    set["port"] = std::to_string(i + 1);
    many += printed(Release::v0_5_18, set);
  }
  EXPECT_GT(checked(many).launches.size(), 8u);
  EXPECT_TRUE(checked("server_args ServerArgs( " + std::string(5000, '=')).launches.empty());
  EXPECT_TRUE(checked("{\"log\": \"server_args=ServerArgs(\"}").launches.empty());
}

}  // namespace
}  // namespace sglint
