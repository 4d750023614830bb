// Every rule's record is run: its bad example fires exactly this rule first, every offered fix that
// is said to be accepted is accepted, and its good example is clean.
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "rules/registry.h"
#include "sglint/sglint.h"

namespace sglint {
namespace {

Request request_of(const Example& example) {
  Request request;
  request.text = example_source(example);
  request.machine = std::string(example.machine);
  request.release =
      std::string(example.release.empty() ? release_name(kReferenceRelease) : example.release);
  return request;
}

bool fires(const Report& report, const Rule& rule) {
  for (const Diagnostic& d : report.diagnostics)
    if (d.rule == rule.id) return true;
  for (const LaunchReport& launch : report.launches)
    for (const Diagnostic& d : launch.diagnostics)
      if (d.rule == rule.id) return true;
  for (const Diagnostic& d : report.deployment)
    if (d.rule == rule.id) return true;
  return false;
}

class RuleExample : public testing::TestWithParam<const Rule*> {};

// What stops SGLang stands first; a finding of the reader or of the load stage and a warning only
// have to be there.
TEST_P(RuleExample, BadFiresThisRuleFirst) {
  const Rule& rule = *GetParam();
  if (rule.bad.empty()) return;  // the record says why there is none
  const Report report = check(request_of(rule.bad));
  ASSERT_EQ(report.error, "");
  if (rule.stage == Stage::read || rule.stage == Stage::load || rule.stage == Stage::deployment ||
      rule.severity != Severity::error) {
    EXPECT_TRUE(fires(report, rule)) << example_source(rule.bad);
    return;
  }
  ASSERT_EQ(report.launches.size(), 1u);
  const LaunchReport& launch = report.launches[0];
  ASSERT_FALSE(launch.diagnostics.empty()) << example_source(rule.bad);
  EXPECT_EQ(launch.diagnostics[0].rule, rule.id) << launch.diagnostics[0].message;
  EXPECT_EQ(launch.error_type, rule.exception);
}

TEST_P(RuleExample, FixesOfBadAreAccepted) {
  const Rule& rule = *GetParam();
  if (rule.bad.empty()) return;
  const Report report = check(request_of(rule.bad));
  for (const LaunchReport& launch : report.launches) {
    for (const Diagnostic& d : launch.diagnostics) {
      if (d.rule != rule.id) continue;
      for (const VerifiedFix& fix : d.fixes) {
        Request again = request_of(rule.bad);
        again.text = fix.command;
        const Report after = check(again);
        ASSERT_EQ(after.launches.size(), 1u) << fix.command;
        if (fix.accepted) {
          EXPECT_EQ(after.launches[0].outcome, Outcome::ok) << fix.command << "\n"
                                                            << after.launches[0].error_message;
        } else {
          // A launch that load findings stop has no error of ServerArgs, and some have no text.
          EXPECT_FALSE(after.launches[0].outcome != Outcome::ok &&
                       after.launches[0].error_message == d.message)
              << fix.command;
        }
      }
    }
  }
}

TEST_P(RuleExample, GoodIsClean) {
  const Rule& rule = *GetParam();
  if (rule.good.empty()) return;
  const Report report = check(request_of(rule.good));
  ASSERT_EQ(report.launches.size(), rule.stage == Stage::deployment ? 2u : 1u)
      << example_source(rule.good);
  for (const LaunchReport& launch : report.launches)
    EXPECT_EQ(launch.outcome, Outcome::ok) << example_source(rule.good) << "\n"
                                           << launch.error_message;
  EXPECT_FALSE(fires(report, rule));
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleExample, testing::ValuesIn(all_rules()),
                         [](const testing::TestParamInfo<const Rule*>& info) {
                           std::string name(info.param->id);
                           for (char& c : name)
                             if (!isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RuleExample);

TEST(Rules, HaveUniqueIdsAndFullRecords) {
  std::set<std::string_view> seen;
  for (const Rule* rule : all_rules()) {
    EXPECT_TRUE(seen.insert(rule->id).second) << rule->id << " stands twice";
    EXPECT_NE(rule->id.find('/'), std::string_view::npos) << rule->id;
    EXPECT_GE(rule->why.size(), 20u) << rule->id << " does not say why";
    EXPECT_FALSE(rule->source.empty()) << rule->id << " has no source";
  }
}

}  // namespace
}  // namespace sglint
