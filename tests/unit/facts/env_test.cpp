#include "facts/env.h"

#include <gtest/gtest.h>

namespace sglint {
namespace {

Environment started(std::initializer_list<std::pair<const char*, const char*>> settings,
                    Release release = kReferenceRelease) {
  Environment env;
  for (const auto& [name, value] : settings) env.put(name, value);
  env.start(release);
  return env;
}

TEST(Environment, BooleansAreFewWords) {
  EXPECT_EQ(started({{"SGLANG_USE_MODELSCOPE", "YES"}}).get("SGLANG_USE_MODELSCOPE"), Value(true));
  EXPECT_EQ(started({{"SGLANG_AUTO_NUMA_BIND", "n"}}).get("SGLANG_AUTO_NUMA_BIND"), Value(false));
}

TEST(Environment, WhatCannotBeReadGivesTheDefault) {
  EXPECT_EQ(started({{"SGLANG_AUTO_NUMA_BIND", "off"}}).get("SGLANG_AUTO_NUMA_BIND"), Value(true));
  EXPECT_EQ(started({{"SGLANG_GRPC_PORT", "x"}}).get("SGLANG_GRPC_PORT"), Value());
  EXPECT_EQ(started({{"SGLANG_GRPC_PORT", " 4_0 "}}).get("SGLANG_GRPC_PORT"), Value(40));
}

TEST(Environment, DefaultsAreThoseOfTheRelease) {
  EXPECT_EQ(started({}, Release::v0_5_17).get("SGLANG_AUTO_NUMA_BIND"), Value(false));
  EXPECT_EQ(started({}, Release::v0_5_18).get("SGLANG_AUTO_NUMA_BIND"), Value(true));
}

TEST(Environment, OldNamesAreReadWhereTheNewOneIsNotSet) {
  EXPECT_EQ(started({{"SGLANG_NSA_FUSE_TOPK", "0"}}).get("SGLANG_DSA_FUSE_TOPK"), Value(false));
  EXPECT_EQ(started({{"SGLANG_NSA_FUSE_TOPK", "0"}, {"SGLANG_DSA_FUSE_TOPK", "1"}})
                .get("SGLANG_DSA_FUSE_TOPK"),
            Value(true));
}

TEST(Environment, RenamedVariablesAreForwardedInTheirNewUnit) {
  const Environment env = started({{"SGLANG_QUEUED_TIMEOUT_MS", "1500"},
                                   {"SGLANG_DISABLE_TP_MEMORY_INBALANCE_CHECK", "true"},
                                   {"SGL_USE_MODELSCOPE", "1"}});
  EXPECT_EQ(env.raw("SGLANG_REQ_WAITING_TIMEOUT"), "1.5");
  EXPECT_EQ(env.get("SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK"), Value(false));
  EXPECT_EQ(env.get("SGLANG_USE_MODELSCOPE"), Value(true));
}

}  // namespace
}  // namespace sglint
