#include "rules/environment_notes.h"

#include <gtest/gtest.h>

namespace sglint {
namespace {

// Rule ids and messages of the notes that one variable gets.
std::vector<std::string> notes(const char* name, const char* value,
                               Release release = kReferenceRelease) {
  Facts facts;
  facts.release = release;
  facts.env.put(name, value);
  const Arguments arguments = parse_arguments(release, {{"--model-path"}, {"x"}}, {});
  Resolution r(facts, arguments);
  note_environment(r);
  std::vector<std::string> out;
  for (const Finding& f : r.notes()) out.push_back(std::string(f.rule->id) + ": " + f.message);
  return out;
}

using Notes = std::vector<std::string>;

TEST(EnvironmentNotes, SlipsAreRecognized) {
  EXPECT_EQ(notes("SGLANG_USE_MODELSCOP", "1"),
            Notes{"environment/unknown-variable: SGLang does not know the environment variable "
                  "SGLANG_USE_MODELSCOP; did you mean SGLANG_USE_MODELSCOPE?"});
}

TEST(EnvironmentNotes, UndeclaredButReadVariablesAreLeftAlone) {
  for (const char* name :
       {"SGLANG_USE_AITER_AR", "SGLANG_HOST_IP", "SGLANG_MOE_CONFIG_DIR", "NCCL_DEBUG"})
    EXPECT_EQ(notes(name, "1"), Notes{}) << name;
}

TEST(EnvironmentNotes, OnIsNotABoolean) {
  EXPECT_EQ(notes("SGLANG_USE_MODELSCOPE", "on"),
            Notes{"environment/value-not-understood: Invalid value for SGLANG_USE_MODELSCOPE: "
                  "\"on\" is not a valid boolean value, using default \"False\""});
  EXPECT_EQ(notes("SGLANG_USE_MODELSCOPE", "True"), Notes{});
}

TEST(EnvironmentNotes, OldNames) {
  EXPECT_EQ(notes("SGLANG_GC_LOG", "1"),
            Notes{"environment/old-name: Environment variable SGLANG_GC_LOG is an old name; use "
                  "SGLANG_LOG_GC."});
  EXPECT_EQ(
      notes("SGLANG_NSA_FUSE_TOPK", "1"),
      Notes{"environment/old-name: Environment variable SGLANG_NSA_FUSE_TOPK is an old name; use "
            "SGLANG_DSA_FUSE_TOPK."});
}

TEST(EnvironmentNotes, VariablesOfOtherReleases) {
  EXPECT_EQ(
      notes("SGLANG_RUST_BUILD_MODE", "auto", Release::v0_5_16),
      Notes{"environment/not-in-this-release: SGLang 0.5.16 does not know the environment variable "
            "SGLANG_RUST_BUILD_MODE; 0.5.18 does."});
}

}  // namespace
}  // namespace sglint
