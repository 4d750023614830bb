// The records of the reader's findings: `bad.text` fires the rule, its edits make it silent, and
// `good.text` does not fire it.
#include "read/read_rules.h"

#include <gtest/gtest.h>

#include "read/edit_source.h"
#include "read/launch.h"

namespace sglint {
namespace {

const ReadFinding* found(const ReadResult& r, const Rule* rule) {
  for (const ReadFinding& f : r.findings)
    if (f.rule == rule) return &f;
  return nullptr;
}

class ReadRule : public testing::TestWithParam<const Rule*> {};

TEST_P(ReadRule, BadFiresAndItsFixSilencesIt) {
  const Rule* rule = GetParam();
  if (rule->bad.text.empty()) return;  // the record says why there is none
  const ReadResult r = read(rule->bad.text);
  const ReadFinding* f = found(r, rule);
  ASSERT_NE(f, nullptr) << rule->bad.text;
  EXPECT_FALSE(r.launches.empty());
  EXPECT_LE(f->span.end, rule->bad.text.size());
  if (f->edits.empty()) return;
  EXPECT_FALSE(f->edit_title.empty());
  std::vector<TextEdit> all;  // one finding for each place
  for (const ReadFinding& each : r.findings)
    if (each.rule == rule) all.insert(all.end(), each.edits.begin(), each.edits.end());
  const std::string fixed = apply_edits(rule->bad.text, all);
  EXPECT_EQ(found(read(fixed), rule), nullptr) << fixed;
}

TEST_P(ReadRule, GoodIsSilent) {
  const Rule* rule = GetParam();
  if (rule->good.text.empty()) return;
  const ReadResult r = read(rule->good.text);
  EXPECT_TRUE(r.findings.empty()) << r.findings[0].message;
  EXPECT_EQ(r.launches.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(All, ReadRule, testing::ValuesIn(read_rules()), [](const auto& info) {
  std::string name(info.param->id);
  for (char& c : name)
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace sglint
