// The loader: a plugin that is missing or broken costs no more than itself, and the reason is said.
#include "native/gpu/loader.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace sglint::gpu {
namespace {

std::string file(const std::string& kind) {
  return std::string(PLUGIN_FOLDER) + "/plugin_" + kind + ".so";
}

TEST(Loader, LoadsAndCalls) {
  const Plugin plugin = Plugin::load(file("good"));
  ASSERT_TRUE(plugin.loaded()) << plugin.why_not();
  EXPECT_EQ(plugin.version(), "9.9");
  EXPECT_TRUE(plugin.offers("echo"));
  EXPECT_TRUE(plugin.offers("other"));
  EXPECT_FALSE(plugin.offers("ech"));
  std::string progress;
  const Plugin::Answer answer =
      plugin.call("echo", "{\"a\":1}", [&](const std::string& line) { progress += line; });
  EXPECT_EQ(answer.json, "{\"a\":1}");
  EXPECT_EQ(answer.status, SGLINT_GPU_FOUND_FAULTS);
  EXPECT_EQ(progress, "{\"step\":1}");
  EXPECT_EQ(plugin.call("echo", "{}").json, "{}");  // no progress wanted
}

struct Broken {
  const char* kind;
  const char* says;
};
class BrokenPlugin : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenPlugin, IsRefusedWithAReason) {
  const Plugin plugin = Plugin::load(file(GetParam().kind));
  EXPECT_FALSE(plugin.loaded());
  EXPECT_NE(plugin.why_not().find(GetParam().says), std::string::npos) << plugin.why_not();
  EXPECT_NE(plugin.why_not().find(GetParam().kind), std::string::npos) << plugin.why_not();
  EXPECT_FALSE(plugin.offers("selftest"));
  EXPECT_EQ(plugin.call("selftest", "{}").status, SGLINT_GPU_COULD_NOT_RUN);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BrokenPlugin,
    ::testing::Values(Broken{"wrong_abi", "it has ABI 7, this sglint needs ABI 1"},
                      Broken{"no_symbols", "it is not a plugin of sglint"},
                      Broken{"crashes", "it crashes while it is loaded"},
                      Broken{"exits", "it ends the process while it is loaded"},
                      Broken{"incomplete", "it does not fill in what its ABI promises"}),
    [](const auto& info) { return std::string(info.param.kind); });

TEST(Loader, NamesWhereItLooked) {
  const Plugin plugin = Plugin::load("/nowhere/libsglint_cuda.so");
  EXPECT_FALSE(plugin.loaded());
  EXPECT_EQ(plugin.why_not(), "there is no GPU plugin; looked for /nowhere/libsglint_cuda.so");
}

TEST(Loader, RefusesAFileThatIsNoLibrary) {
  const std::string path = ::testing::TempDir() + "/not_a_library.so";
  FILE* f = std::fopen(path.c_str(), "w");
  ASSERT_NE(f, nullptr);
  std::fputs("text", f);
  std::fclose(f);
  EXPECT_NE(Plugin::load(path).why_not().find("it cannot be loaded"), std::string::npos);
}

TEST(Loader, SearchOrder) {
  EXPECT_EQ(plugin_candidates("x.so"), std::vector<std::string>{"x.so"});
  setenv("SGLINT_PLUGIN", "/opt/p.so", 1);
  EXPECT_EQ(plugin_candidates(""), std::vector<std::string>{"/opt/p.so"});
  EXPECT_EQ(plugin_candidates("x.so"), std::vector<std::string>{"x.so"});
  unsetenv("SGLINT_PLUGIN");
  EXPECT_EQ(plugin_candidates("").back(), "libsglint_cuda.so");
}

}  // namespace
}  // namespace sglint::gpu
