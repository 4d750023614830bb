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

TEST(PrintedArgs, LeaveWhatIsNoDefault) {
  const Report report = checked(printed(Release::v0_5_18, kServer));
  ASSERT_EQ(report.launches.size(), 1u);
  const LaunchReport& launch = report.launches[0];
  EXPECT_EQ(launch.outcome, Outcome::ok) << launch.error_message;
  EXPECT_EQ(launch.argv,
            (std::vector<std::string>{"--model-path", "Qwen/Qwen3-8B", "--mem-fraction-static",
                                      "0.862", "--tp-size", "2", "--attention-backend", "fa3"}));
  EXPECT_TRUE(launch.diagnostics.empty());
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
  EXPECT_EQ(report.launches[0].argv.size(), 8u);
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

}  // namespace
}  // namespace sglint
