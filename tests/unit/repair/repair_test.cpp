// Properties of every fix, over the recordings of what SGLang rejected and over texts of every
// form.
#include "repair/repair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/json.h"
#include "base/text.h"
#include "report/launch_facts.h"
#include "sglint/sglint.h"

namespace sglint {
namespace {

const std::string kGolden = SGLINT_UNIT_DIR "/../golden/";

std::vector<std::string> lines_of(const std::string& file, size_t every) {
  std::vector<std::string> out;
  std::ifstream in(kGolden + file);
  size_t count = 0;
  for (std::string line; std::getline(in, line);)
    if (line.find("\"outcome\":\"ok\"") == line.npos &&
        line.find("\"outcome\": \"ok\"") == line.npos && count++ % every == 0)
      out.push_back(line);
  return out;
}

std::vector<std::string> words(const std::vector<Token>& argv) {
  std::vector<std::string> out;
  for (const Token& t : argv) out.push_back(t.text);
  return out;
}

std::string message_of(const Run& run) {
  if (run.arguments.error) return run.arguments.error->message;
  if (run.resolution->stopped()) return run.resolution->rejection()->message;
  for (const Finding& note : run.resolution->notes())
    if (note.rule->stage == Stage::load && note.rule->severity == Severity::error)
      return note.message;
  return "";
}

TEST(Fixes, IntroduceNoFindingAndAreFinal) {
  size_t fixes = 0, cases = 0;
  for (const char* file : {"cases/argparse-0.5.18.ndjson", "cases/argparse-0.5.15.post1.ndjson",
                           "cases/general-0.5.18.1.ndjson", "cases/linear-0.5.18.ndjson",
                           "cases/linear-0.5.16.ndjson"}) {
    for (const std::string& line : lines_of(file, 12)) {
      const Value request = parse_json(line).value_or(Value());
      SCOPED_TRACE(str(request["id"]));
      std::string why;
      const std::optional<LaunchFacts> given = launch_facts(request, &why);
      ASSERT_TRUE(given) << why;
      const Facts facts = facts_of(*given, given->launches[0]);
      const Repaired repaired = repair(facts, given->launches[0].argv);
      ++cases;
      for (const Problem& problem : repaired.problems) {
        for (const CheckedFix& fix : problem.fixes) {
          ++fixes;
          Facts after = facts;
          after.env = fix.after.env;
          const std::string left = message_of(*run_launch(after, fix.after.argv));
          EXPECT_EQ(fix.accepted, left.empty()) << fix.title;
          bool known = left.empty();
          for (const Problem& p : repaired.problems)
            known = known || (p.message == left && &p != &problem);
          EXPECT_TRUE(known) << fix.title << " brings " << left;
        }
      }
      if (!repaired.fixed_run) continue;
      const Repaired again = repair(*repaired.fixed_facts, repaired.fixed.argv);
      for (const Problem& left : again.problems) EXPECT_TRUE(left.at_load) << left.message;
      EXPECT_EQ(words(again.fixed.argv), words(repaired.fixed.argv));
    }
  }
  EXPECT_GT(cases, 100u);
  EXPECT_GT(fixes, cases);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at != text.npos) text.replace(at, from.size(), to);
  return text;
}

// Edits do not overlap, what lies outside them stays, and a second pass has nothing to do.
TEST(Fixes, EditTextsInPlace) {
  std::ifstream in(kGolden + "text/texts.ndjson");
  size_t edited = 0;
  for (std::string line; std::getline(in, line);) {
    const Value row = parse_json(line).value_or(Value());
    SCOPED_TRACE(str(row["id"]));
    Request request;
    request.text = std::string(row["text"].as_str());
    for (const std::string name : {"trust-remote-code", "port", "tp-size", "mem-fraction-static"})
      request.text = replaced(request.text, name, name + "x");
    const Report report = check(request);
    const std::string fixed = fixed_source(report, request.text);
    std::vector<SourceEdit> edits;
    for (const LaunchReport& launch : report.launches)
      edits.insert(edits.end(), launch.fixed_edits.begin(), launch.fixed_edits.end());
    std::sort(edits.begin(), edits.end(),
              [](const SourceEdit& a, const SourceEdit& b) { return a.span.begin < b.span.begin; });
    std::string rebuilt;
    uint32_t at = 0;
    for (const SourceEdit& e : edits) {
      ASSERT_LE(at, e.span.begin);
      ASSERT_LE(e.span.begin, e.span.end);
      rebuilt += request.text.substr(at, e.span.begin - at) + e.text;
      at = e.span.end;
    }
    EXPECT_EQ(rebuilt + request.text.substr(at), fixed);
    if (edits.empty()) continue;
    ++edited;
    request.text = fixed;
    EXPECT_EQ(fixed_source(check(request), fixed), fixed);
  }
  EXPECT_GT(edited, 20u);
}

LaunchReport checked(const char* text) {
  Request request;
  request.text = text;
  Report report = check(request);
  return report.launches.empty() ? LaunchReport() : report.launches[0];
}

TEST(Fixes, OfArgumentsAreTheSmallest) {
  const LaunchReport value = checked("sglang serve --model-path Qwen/Qwen3-8B --tp two");
  ASSERT_EQ(value.diagnostics.size(), 1u);
  ASSERT_EQ(value.diagnostics[0].fixes.size(), 1u);
  EXPECT_EQ(value.diagnostics[0].fixes[0].title, "Remove --tp two");
  EXPECT_EQ(value.diagnostics[0].fixes[0].price, "tp_size is 1, the default");
  EXPECT_EQ(
      checked("sglang serve --model-path Qwen/Qwen3-8B --tpp 2").diagnostics[0].fixes[0].title,
      "Replace --tpp by --tp");
  EXPECT_EQ(checked("sglang serve --model-path Qwen/Qwen3-8B \xE2\x80\x94tp 2").fixed_command,
            "sglang serve --model-path Qwen/Qwen3-8B --tp 2");
  EXPECT_EQ(checked("sglang serve --tp two --model-path Qwen/Qwen3-8B --tp two").fixed_command,
            "sglang serve --model-path Qwen/Qwen3-8B");
}

TEST(Fixes, PrintVariablesSoThatAShellExpandsThem) {
  const std::pair<const char*, const char*> cases[] = {
      {"--tp $TP", "--tp $TP"},
      {"--tp ${TP} $MORE", "--tp ${TP} $MORE"},
      {"--host \"a b/$H\"", "--host \"a b/$H\""},
      {"--host '\"'$H'\\'", "--host \"\\\"$H\\\\\""},
      {"--dist-init-addr $(hostname -i | awk '{print \")\"}'):5000",
       "--dist-init-addr \"$(hostname -i | awk '{print \")\"}'):5000\""},
      {"--host `cat x`", "--host \"`cat x`\""},
      {"--host ${H:-a b}", "--host 'a b'"},
      {"\"${MORE[@]}\"", "\"${MORE[@]}\""},
      {"--served-model-name 'a $b'", "--served-model-name 'a $b'"},
      {"--host '<h> x'", "--host '<h> x'"},
  };
  for (const auto& [given, printed] : cases)
    EXPECT_EQ(
        checked(
            ("sglang serve --model-path Qwen/Qwen3-8B --pp-size two " + std::string(given)).c_str())
            .fixed_command,
        "sglang serve --model-path Qwen/Qwen3-8B " + std::string(printed));
  EXPECT_EQ(checked("export A=$(a b)\nsglang serve --model-path Qwen/Qwen3-8B --pp-size two")
                .fixed_command,
            "A=\"$(a b)\" sglang serve --model-path Qwen/Qwen3-8B");
}

TEST(Fixes, OfReplaySsmAddOneFlag) {
  const LaunchReport report = checked(
      "sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-linear-replayssm");
  ASSERT_FALSE(report.diagnostics.empty());
  ASSERT_GE(report.diagnostics[0].fixes.size(), 2u);
  EXPECT_EQ(report.diagnostics[0].fixes[0].title, "Add --disable-overlap-schedule");
  EXPECT_NE(report.diagnostics[0].fixes[0].price, "");
  EXPECT_EQ(report.diagnostics[0].fixes[1].title, "Add --disable-radix-cache");
  EXPECT_NE(report.diagnostics[0].fixes[1].price, "");
}

std::string first_fixes(const char* arguments) {
  std::string out;
  const LaunchReport report =
      checked(("sglang serve --model-path Qwen/Qwen3-8B " + std::string(arguments)).c_str());
  for (const Diagnostic& d : report.diagnostics)
    if (!d.fixes.empty()) out += (out.empty() ? "" : " | ") + d.fixes[0].title;
  return out;
}

TEST(Fixes, ComeSmallestFirst) {
  const LaunchReport gpus = checked("sglang serve --model-path Qwen/Qwen3-8B --tp 16");
  ASSERT_GE(gpus.diagnostics[0].fixes.size(), 2u);
  EXPECT_EQ(gpus.diagnostics[0].fixes[0].title, "Set --tp to 8");
  EXPECT_NE(gpus.diagnostics[0].fixes[1].title.find("--nnodes"), std::string::npos);
}

TEST(Fixes, OfOddValues) {
  EXPECT_EQ(first_fixes("--page-size -5"), "Remove --page-size");
  EXPECT_EQ(first_fixes("--page-size -5 --trust-remote-code"), "Remove --page-size");
  EXPECT_EQ(first_fixes("--tp S --trust-remote-code"), "Remove --tp S");
  EXPECT_EQ(first_fixes("--tp -x --trust-remote-code"), "Remove --tp -x");
  EXPECT_EQ(first_fixes("--tp --page-size 16"), "Remove --tp");
  EXPECT_EQ(first_fixes("--served-model-name -x --tp 2"), "Write --served-model-name=-x");
  EXPECT_EQ(first_fixes("--tp S --dp-size -"), "Remove --tp S | Remove --dp-size -");
  EXPECT_EQ(first_fixes("--mem-fraction-static -0.5"), "Remove --mem-fraction-static");
}

TEST(Fixes, DoNotTurnASwitchAround) {
  const LaunchReport code =
      checked("sglang serve --model-path Qwen/Qwen3-8B --no-trust-remote-code");
  ASSERT_EQ(code.diagnostics.size(), 1u);
  ASSERT_EQ(code.diagnostics[0].fixes.size(), 1u);
  EXPECT_EQ(code.diagnostics[0].fixes[0].title,
            "Remove --no-trust-remote-code behind --model-path");
  EXPECT_EQ(code.diagnostics[0].fixes[0].price,
            "none: it says what holds without --trust-remote-code");
  EXPECT_EQ(code.fixed_command, "sglang serve --model-path Qwen/Qwen3-8B");
  // Given both ways, the removal is not free.
  const LaunchReport both =
      checked("sglang serve --model-path Qwen/Qwen3-8B --disable-cuda-graph --enable-cuda-graph");
  EXPECT_EQ(both.diagnostics[0].fixes[0].price, "");
}

TEST(Fixes, DoNotOpenTheServerUnasked) {
  const LaunchReport bare = checked("sglang serve --model-path Qwen/Qwen3-8B --tp S --api-key");
  ASSERT_EQ(bare.diagnostics.size(), 2u);
  EXPECT_EQ(bare.diagnostics[0].fixes[0].title, "Remove --tp S");
  ASSERT_EQ(bare.diagnostics[1].fixes.size(), 1u);
  EXPECT_EQ(bare.diagnostics[1].fixes[0].title, "Remove --api-key");
  EXPECT_EQ(bare.diagnostics[1].fixes[0].price, "opens the server: whoever reaches it may use it");
  EXPECT_EQ(bare.fixed_command, "");
  EXPECT_TRUE(bare.fixed_edits.empty());
  const LaunchReport kept =
      checked("sglang serve --model-path Qwen/Qwen3-8B --tp S --api-key abcdef --port 8000");
  EXPECT_EQ(kept.fixed_command,
            "sglang serve --model-path Qwen/Qwen3-8B --api-key *** --port 8000");
}

TEST(Fixes, DoNotTakeTlsAwayUnasked) {
  for (const char* tls :
       {"--ssl-keyfile /k", "--ssl-certfile /c", "--ssl-certfile /c --ssl-keyfile"}) {
    SCOPED_TRACE(tls);
    const LaunchReport report =
        checked(("sglang serve --model-path Qwen/Qwen3-8B --tp S " + std::string(tls)).c_str());
    ASSERT_GE(report.diagnostics.size(), 2u);
    EXPECT_EQ(report.diagnostics[0].fixes[0].title, "Remove --tp S");
    ASSERT_FALSE(report.diagnostics[1].fixes.empty());
    for (const auto& fix : report.diagnostics[1].fixes)
      EXPECT_EQ(fix.price.find("the server speaks plain HTTP"), 0u) << fix.price;
    EXPECT_EQ(report.fixed_command, "");
    EXPECT_TRUE(report.fixed_edits.empty());
  }
  EXPECT_EQ(
      checked("sglang serve --model-path Qwen/Qwen3-8B --tp S --ssl-certfile /c --ssl-keyfile /k")
          .fixed_command,
      "sglang serve --model-path Qwen/Qwen3-8B --ssl-certfile /c --ssl-keyfile /k");
}

TEST(Fixes, OfConfigFilesHaveAPrice) {
  const LaunchReport missing = checked("sglang serve --model-path Qwen/Qwen3-8B --config a.json");
  ASSERT_EQ(missing.diagnostics.size(), 1u);
  ASSERT_FALSE(missing.diagnostics[0].fixes.empty());
  EXPECT_EQ(missing.diagnostics[0].fixes[0].title, "Remove --config a.json");
  EXPECT_EQ(missing.diagnostics[0].fixes[0].price, "the settings in a.json are not applied");
  const LaunchReport bare = checked("sglang serve --model-path Qwen/Qwen3-8B --config");
  ASSERT_EQ(bare.diagnostics.size(), 1u);
  EXPECT_EQ(bare.diagnostics[0].fixes[0].price, "none: no file is given");
}

TEST(Fixes, OfRepeatedAndOldFlags) {
  const std::string text =
      "sglang serve --model-path Qwen/Qwen3-8B --tp-size 2 --port 1234 --tp 4 "
      "--cuda-graph-max-bs=64 --disable-cuda-graph";
  const LaunchReport report = checked(text.c_str());
  ASSERT_EQ(report.diagnostics.size(), 3u);
  const char* expected[][2] = {
      {"Remove the earlier --tp-size 2", "--port 1234 --tp 4 --cuda-graph-max-bs=64"},
      {"Write --cuda-graph-max-bs-decode instead of --cuda-graph-max-bs",
       "--tp 4 --cuda-graph-max-bs-decode=64 --disable-cuda-graph"},
      {"Write --cuda-graph-backend-decode=disabled --cuda-graph-backend-prefill=disabled instead "
       "of --disable-cuda-graph",
       "--cuda-graph-backend-decode=disabled --cuda-graph-backend-prefill=disabled"}};
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(report.diagnostics[i].fixes.size(), 1u) << report.diagnostics[i].message;
    const VerifiedFix& fix = report.diagnostics[i].fixes[0];
    EXPECT_EQ(fix.title, expected[i][0]);
    EXPECT_EQ(fix.price.substr(0, 5), "none:");
    EXPECT_TRUE(fix.accepted);
    EXPECT_NE(fix.command.find(expected[i][1]), std::string::npos) << fix.command;
    EXPECT_FALSE(fix.edits.empty());
  }
}

TEST(Fixes, SayInTheConfigWhatTheCheckpointSays) {
  const LaunchReport report = checked(
      "sglang serve --model-path nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4 "
      "--json-model-override-args '{\"a b\": 1}'");
  ASSERT_FALSE(report.fixed_argv.empty());
  const Value overrides = parse_json(report.fixed_argv[3]).value_or(Value());
  EXPECT_EQ(overrides["a b"], Value(1));
  EXPECT_EQ(overrides["quantization_config"]["quant_method"], "modelopt_mixed");
  EXPECT_EQ(overrides["quantization_config"]["quantized_layers"].as_dict().size(), 1u);
  // The loader takes the layers from the checkpoint's file only as long as this is missing.
  EXPECT_FALSE(overrides["quantization_config"].has("kv_cache_quant_algo"));
}

}  // namespace
}  // namespace sglint
