// A suppressed finding stays in the report and does not count; a suppression that does nothing is a
// finding itself.
#include <gtest/gtest.h>

#include "base/json.h"
#include "sglint/sglint.h"

namespace sglint {
namespace {

// On an H100 this is rejected by attention/… or replayssm/…: the rule of the first finding.
constexpr const char* kRejected =
    "sglang serve --model-path Qwen/Qwen3-Next-80B-A3B-Instruct \\\n"
    "  --tp 4 --enable-linear-replayssm --linear-attn-decode-backend flashinfer";
constexpr const char* kRule = "replayssm/needs-triton-or-helion-decode";

Report report_of(std::string text, std::vector<std::string> ignore = {}) {
  Request request;
  request.text = std::move(text);
  request.machine = "h100";
  request.ignore = std::move(ignore);
  return check(request);
}

const Diagnostic* find(const std::vector<Diagnostic>& list, std::string_view rule) {
  for (const Diagnostic& d : list)
    if (d.rule == rule) return &d;
  return nullptr;
}

const Diagnostic* finding(const Report& report, std::string_view rule) {
  if (const Diagnostic* d = find(report.diagnostics, rule)) return d;
  for (const LaunchReport& l : report.launches)
    if (const Diagnostic* d = find(l.diagnostics, rule)) return d;
  return find(report.deployment, rule);
}

std::string all_rejections() {
  std::string rules;
  const Report report = report_of(kRejected);
  for (const Diagnostic& d : report.launches.at(0).diagnostics)
    if (d.severity == "error" && rules.find(d.rule) == rules.npos)
      rules += (rules.empty() ? "" : ", ") + d.rule;
  return rules;
}

TEST(Suppressions, OfTheCommandBelow) {
  ASSERT_TRUE(finding(report_of(kRejected), kRule));
  ASSERT_FALSE(finding(report_of(kRejected), kRule)->suppressed);
  const Report report =
      report_of("# sglint: ignore " + std::string(kRule) + " our image is patched\n" + kRejected);
  const Diagnostic* d = finding(report, kRule);
  ASSERT_TRUE(d);
  ASSERT_TRUE(d->suppressed);
  EXPECT_EQ(*d->suppressed, "our image is patched");
  EXPECT_TRUE(d->suppressed_in_source);
  EXPECT_EQ(report.launches[0].outcome, Outcome::error) << "SGLang rejects it all the same";
  EXPECT_FALSE(finding(report, "suppression/unused"));
}

TEST(Suppressions, ExitCodeAndCombinedFix) {
  EXPECT_EQ(exit_code(report_of(kRejected), "error"), 1);
  const Report one = report_of("# sglint: ignore " + all_rejections() + " patched\n" + kRejected);
  EXPECT_EQ(exit_code(one, "error"), 0);
  EXPECT_EQ(one.launches[0].fixed_command, "") << "what is wanted so is not repaired";
  EXPECT_TRUE(one.launches[0].fixed_edits.empty());
}

TEST(Suppressions, AtTheEndOfTheLastLine) {
  const Report report =
      report_of(std::string(kRejected) + "  # sglint: ignore " + kRule + ": known\n");
  ASSERT_TRUE(finding(report, kRule)->suppressed);
  EXPECT_EQ(*finding(report, kRule)->suppressed, "known");
}

TEST(Suppressions, OnALineOfYaml) {
  const std::string before =
      "services:\n  sglang:\n    image: lmsysorg/sglang:v0.5.18\n    command:\n"
      "      - sglang\n      - serve\n      - --model-path=Qwen/Qwen3-Next-80B-A3B-Instruct\n"
      "      - --tp=4\n      - --enable-linear-replayssm";
  const std::string comment = std::string("# sglint: ignore ") + kRule + " known";
  const std::string flag = "      - --linear-attn-decode-backend=flashinfer";
  const std::string mark = "      " + comment + "\n";
  for (const std::string& text :
       {before + "\n" + flag + "  " + comment + "\n", before + "\n" + mark + flag + "\n",
        comment + "\n" + before + "\n" + flag + "\n"}) {
    const Report report = report_of(text);
    ASSERT_TRUE(finding(report, kRule)) << text;
    EXPECT_TRUE(finding(report, kRule)->suppressed) << text;
    EXPECT_FALSE(finding(report, "suppression/unused")) << text;
  }
  const Report other =
      report_of(before + "\n" + flag + "\n      - --port=30001  " + comment + "\n");
  EXPECT_FALSE(finding(other, "suppression/unused")) << "the launch's last line speaks for it";
}

TEST(Suppressions, OnlyOfItsOwnLaunch) {
  const Report report = report_of("# sglint: ignore " + std::string(kRule) + " one\n" + kRejected +
                                  "\n" + kRejected + "\n");
  ASSERT_EQ(report.launches.size(), 2u);
  EXPECT_TRUE(find(report.launches[0].diagnostics, kRule)->suppressed);
  EXPECT_FALSE(find(report.launches[1].diagnostics, kRule)->suppressed);
}

TEST(Suppressions, UnusedAndUnknown) {
  const std::string text =
      "# sglint: ignore replayssm/needs-no-buffer, no/such-rule, attention/x why\n"
      "sglang serve --model-path Qwen/Qwen3-8B\n";
  const Report report = report_of(text);
  const Diagnostic* unused = finding(report, "suppression/unused");
  const Diagnostic* unknown = finding(report, "suppression/unknown-rule");
  ASSERT_TRUE(unused);
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unused->severity, "warning");
  ASSERT_EQ(unused->spans.size(), 1u);
  EXPECT_EQ(text.substr(unused->spans[0].begin, unused->spans[0].end - unused->spans[0].begin),
            "replayssm/needs-no-buffer");
  EXPECT_EQ(exit_code(report, "error"), 0);
  EXPECT_EQ(exit_code(report, "warning"), 1);
}

std::string after_fix(const std::string& text, std::string_view rule) {
  const Report report = report_of(text);
  const Diagnostic* d = finding(report, rule);
  if (!d || d->fixes.size() != 1) return "no fix";
  std::string out = text;
  for (auto e = d->fixes[0].edits.rbegin(); e != d->fixes[0].edits.rend(); ++e)
    out.replace(e->span.begin, e->span.end - e->span.begin, e->text);
  return out;
}

TEST(Suppressions, FixTakesTheCommentAway) {
  const std::string command = "sglang serve --model-path Qwen/Qwen3-8B";
  EXPECT_EQ(after_fix("# sglint: ignore replayssm/needs-no-buffer why\n" + command + "\n",
                      "suppression/unused"),
            command + "\n");
  EXPECT_EQ(after_fix(command + "  # sglint: ignore no/such why\n", "suppression/unknown-rule"),
            command + "\n");
  const std::string used = std::string("# sglint: ignore ") + kRule;
  EXPECT_EQ(after_fix(used + ", no/such why\n" + kRejected, "suppression/unknown-rule"),
            used + " why\n" + kRejected);
  EXPECT_EQ(after_fix("# sglint: ignore no/such, " + std::string(kRule) + " why\n" + kRejected,
                      "suppression/unknown-rule"),
            used + " why\n" + kRejected);
}

TEST(Suppressions, FixedSourceHoldsNoUnusedOne) {
  const auto fixed = [](const std::string& text) { return fixed_source(report_of(text), text); };
  const std::string command = "sglang serve --model-path Qwen/Qwen3-8B\n";
  const std::string a = "deployment/router-worker-port", b = "deployment/rank-missing";
  EXPECT_EQ(fixed("# sglint: ignore " + a + " why\n" + command), command);
  EXPECT_EQ(fixed("# sglint: ignore " + a + ", " + b + " why\n" + command), command);
  const std::string used = std::string("# sglint: ignore ") + kRule;
  for (const std::string& list :
       {a + ", " + b + ", " + kRule, kRule + (", " + a) + ", " + b, a + ", " + kRule + ", " + b})
    EXPECT_EQ(fixed("# sglint: ignore " + list + " why\n" + kRejected).substr(0, used.size()), used)
        << list;
  // One that may be misspelt stays.
  EXPECT_EQ(fixed("# sglint: ignore no/such why\n" + command),
            "# sglint: ignore no/such why\n" + command);
}

TEST(Suppressions, OfTheRequest) {
  const Report report = report_of(kRejected, {kRule});
  ASSERT_TRUE(finding(report, kRule)->suppressed);
  EXPECT_FALSE(finding(report, kRule)->suppressed_in_source);
  EXPECT_TRUE(finding(report_of(kRejected, {"no/such"}), "suppression/unknown-rule"));
  EXPECT_TRUE(finding(report_of(kRejected, {"deployment/rank-missing"}), "suppression/unused"));
  const Report quiet = report_of(kRejected, {"deployment/rank-missing", "suppression/unused"});
  ASSERT_TRUE(finding(quiet, "suppression/unused"));
  EXPECT_TRUE(finding(quiet, "suppression/unused")->suppressed);
  EXPECT_FALSE(finding(report_of(kRejected, {"suppression/unused"}), "suppression/unused"));
  EXPECT_NE(check_json("{\"text\":\"sglang serve --model-path a\",\"ignore\":\"a/b\"}")
                .find("ignore must be a list"),
            std::string::npos);
}

TEST(Suppressions, WhatIsNoSuppression) {
  for (const char* comment :
       {"# sglint", "# sglint: ignored a/b", "# my sglint: ignore a/b", "x#sglint: ignore a/b"}) {
    const Report report =
        report_of(std::string(comment) + "\nsglang serve --model-path Qwen/Qwen3-8B\n");
    EXPECT_FALSE(finding(report, "suppression/unknown-rule")) << comment;
  }
  EXPECT_TRUE(finding(report_of("# sglint: ignore\nsglang serve --model-path Qwen/Qwen3-8B\n"),
                      "suppression/unknown-rule"));
  EXPECT_TRUE(finding(report_of("sglang serve --model-path Qwen/Qwen3-8B # sglint:ignore a/b"),
                      "suppression/unknown-rule"));
}

TEST(Suppressions, InEveryForm) {
  const std::string source = "# sglint: ignore " + std::string(kRule) + " p\\q 100 %\n" + kRejected;
  const Report report = report_of(source);
  const std::string text = to_text(report, source, {});
  EXPECT_EQ(text.find("requires Triton"), std::string::npos);
  EXPECT_NE(text.find("1 finding suppressed"), std::string::npos);
  const auto json = parse_json(to_json(report));
  ASSERT_TRUE(json);
  const Value& d = (*json)["launches"].as_list()[0]["diagnostics"].as_list()[0];
  EXPECT_EQ(d["suppressed"].as_str(), "p\\q 100 %");
  const std::string sarif = to_sarif(report, source, "a.sh");
  EXPECT_NE(
      sarif.find("\"suppressions\":[{\"kind\":\"inSource\",\"justification\":\"p\\\\q 100 %\""),
      std::string::npos)
      << sarif;
  EXPECT_EQ(to_github(report, source, "a.sh").find(kRule), std::string::npos);
  EXPECT_EQ(to_junit(report, source, "a.sh").find("type=\"" + std::string(kRule)),
            std::string::npos);
}

}  // namespace
}  // namespace sglint
