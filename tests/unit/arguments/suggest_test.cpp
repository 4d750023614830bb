#include "arguments/suggest.h"

#include <gtest/gtest.h>

#include "arguments/option_index.h"
#include "arguments/other_names.h"
#include "arguments/rules.h"

namespace sglint {
namespace {

std::string first(const std::vector<std::string>& words) { return words.empty() ? "" : words[0]; }

TEST(SuggestFlag, FindsWhatWasMeant) {
  const struct {
    const char* word;
    const char* better;
    const Rule* rule;
  } cases[] = {
      {"--tp_size", "--tp-size", &kUnknownFlag},
      {"--TP-Size=2", "--tp-size=2", &kUnknownFlag},
      {"-tp-size", "--tp-size", &kUnknownFlag},
      {"-tp", "--tp-size", &kFlagOfOtherServer},
      {"--mem-fration-static", "--mem-fraction-static", &kUnknownFlag},
      {"--trust-remote-cod", "--trust-remote-code", &kUnknownFlag},
      {"--kv-dtype", "--kv-cache-dtype", &kUnknownFlag},
      {"--max-model-len=4096", "--context-length=4096", &kFlagOfOtherServer},
      {"--gpu-memory-utilization", "--mem-fraction-static", &kFlagOfOtherServer},
      {"--enforce-eager", "--disable-cuda-graph", &kFlagOfOtherServer},
      {"--enable-chunked-prefill", "", &kFlagOfOtherServer},
      {"--enable-deepep-waterfill", "--enable-waterfill", &kFlagOfOtherRelease},
      {"--enable-deepep-moe", "--moe-a2a-backend=deepep", &kFlagOfOtherRelease},
      {"--quite-another-thing", "", &kUnknownFlag},
      {"--enabel-metrics", "--enable-metrics", &kUnknownFlag},
      {"--disabel-cuda-graph", "--disable-cuda-graph", &kUnknownFlag},
      {"--skip-tokenizer-ini", "--skip-tokenizer-init", &kUnknownFlag},
      {"--nodes", "--nnodes", &kUnknownFlag},
      {"--disablecuda-graph", "--disable-cuda-graph", &kUnknownFlag},
      {"--mis", "--enable-mis", &kUnknownFlag},
      {"--cudagraph-gc", "--enable-cudagraph-gc", &kUnknownFlag},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.word);
    const FlagSuggestions got = suggest_flag(Release::v0_5_18, c.word);
    EXPECT_EQ(first(got.words), c.better);
    EXPECT_EQ(got.rule, c.rule);
  }
}

TEST(SuggestFlag, NeverTurnsTheMeaningAround) {
  for (const char* word : {"--no-trust-remote-code",
                           "--no_trust_remote_code",
                           "--notrust-remote-code",
                           "--disable-trust-remote-code",
                           "--enable-cuda-graph",
                           "--cuda-graph",
                           "--enable-radix-cache",
                           "--radix-cache",
                           "--enable-overlap-schedule",
                           "--enable-custom-all-reduce",
                           "--disable-metrics",
                           "--no-metrics",
                           "--disable-multimodal",
                           "--disable-dp-attention",
                           "--disable-torch-compile",
                           "--disable-lora",
                           "--no-skip-tokenizer-init",
                           "--tokenizer-init",
                           "--enable-mtp",
                           "--enable-mla",
                           "--enabel-mtp",
                           "--enable-overlap"}) {
    SCOPED_TRACE(word);
    EXPECT_EQ(first(suggest_flag(Release::v0_5_18, word).words), "");
  }
}

TEST(SuggestFlag, KnowsTheSwitchForTheOpposite) {
  const struct {
    const char* word;
    const char* opposite;
  } cases[] = {
      {"--no-trust-remote-code", "--trust-remote-code"},
      {"--enable-cuda-graph", "--disable-cuda-graph"},
      {"--enable_radix_cache", "--disable-radix-cache"},
      {"--disable-metrics", "--enable-metrics"},
      {"--no-skip-tokenizer-init", "--skip-tokenizer-init"},
      {"--enable-trust-remote-code", ""},
      {"--no-cuda-graph", ""},
      {"--no-tp-size", ""},
      {"--enable-mtp", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.word);
    EXPECT_EQ(opposite_switch(Release::v0_5_18, c.word), c.opposite);
  }
}

TEST(SuggestFlag, KnowsTheOtherReleases) {
  const FlagSuggestions older = suggest_flag(Release::v0_5_16, "--enable-linear-replayssm-spec");
  EXPECT_EQ(older.rule, &kFlagOfOtherRelease);
  EXPECT_EQ(first(older.words), "--enable-gdn-replayssm-spec");
  EXPECT_EQ(suggest_flag(Release::v0_5_16, "--linear-attn-verify-backend").rule,
            &kFlagOfOtherRelease);
}

TEST(SuggestFullName, PutsTheMeaningOfAnotherReleaseFirst) {
  EXPECT_EQ(first(suggest_full_name(Release::v0_5_18, "--dist=600")), "--dist-timeout=600");
  // Unique until 0.5.17 brought a second flag that begins so.
  EXPECT_EQ(first(suggest_full_name(Release::v0_5_17, "--mm-p")), "--mm-process-config");
}

TEST(SuggestValue, FindsWhatWasMeant) {
  const auto suggest = [](const char* flag, const char* value) {
    return first(suggest_value(*option_index(Release::v0_5_18).find(flag)->option, value));
  };
  EXPECT_EQ(suggest("--dtype", "fp16"), "float16");
  EXPECT_EQ(suggest("--dtype", "BFloat16"), "bfloat16");
  EXPECT_EQ(suggest("--attention-backend", "flashinfr"), "flashinfer");
  EXPECT_EQ(suggest("--tool-call-parser", "deepseek_v3"), "deepseekv3");
  EXPECT_EQ(suggest("--kv-cache-dtype", "fp8"), "fp8_e4m3");
  EXPECT_EQ(suggest("--tp-size", "2.0"), "2");
  EXPECT_EQ(suggest("--mem-fraction-static", "85%"), "0.85");
  EXPECT_EQ(suggest("--context-length", "32K"), "32k");
  EXPECT_EQ(suggest("--mm-process-config", "{'a': 1}"), R"({"a": 1})");
  EXPECT_EQ(suggest("--dtype", "something"), "");
  // Not misspelt: something else.
  EXPECT_EQ(suggest("--dtype", "float8"), "");
  EXPECT_EQ(suggest("--quantization", "fp4"), "");
  EXPECT_EQ(suggest("--quantization", "nvfp4"), "");
  EXPECT_EQ(suggest("--quantization", "int4"), "");
  EXPECT_EQ(suggest("--quantization", "modelopt-fp4"), "modelopt_fp4");
}

// A name that SGLang knows would never be looked up; a target that no release knows helps nobody.
TEST(OtherNames, AreUnknownHereAndLeadToAKnownFlag) {
  for (const OtherName& other : other_server_flags()) {
    SCOPED_TRACE(other.there);
    EXPECT_EQ(option_index(kReferenceRelease).find(other.there), nullptr);
    if (other.here.empty()) continue;
    const std::string_view flag = other.here.substr(0, other.here.find('='));
    EXPECT_NE(option_index(kReferenceRelease).find(flag), nullptr) << other.here;
  }
  for (const OtherName& other : renamed_flags()) {
    if (other.here.empty()) continue;
    const std::string_view flag = other.here.substr(0, other.here.find('='));
    bool known = false;
    for (int r = 0; r < kReleaseCount; ++r)
      known = known || option_index(static_cast<Release>(r)).find(flag);
    EXPECT_TRUE(known) << other.here;
  }
  for (const OtherValue& other : other_server_values()) {
    bool offered = false;
    for (const OptionName& n : option_index(kReferenceRelease).all()) {
      if (n.option->dest == kNoField || field_name(n.option->dest) != other.field) continue;
      for (std::string_view choice : n.option->choices) {
        offered = offered || choice == other.here;
        EXPECT_NE(choice, other.there) << other.field;
      }
    }
    EXPECT_TRUE(offered) << other.field << " " << other.here;
  }
}

}  // namespace
}  // namespace sglint
