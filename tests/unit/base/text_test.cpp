#include "base/text.h"

#include <gtest/gtest.h>

namespace sglint {
namespace {

TEST(Text, EqualsALiteralOnlyAsAWhole) {
  EXPECT_TRUE(equals(std::string_view("triton"), "triton"));
  EXPECT_TRUE(equals(std::string_view(), ""));
  EXPECT_FALSE(equals(std::string_view("tri"), "triton"));
  EXPECT_FALSE(equals(std::string_view("triton_mla"), "triton"));
  EXPECT_FALSE(equals(std::string_view("triton\0", 7), "triton"));
  EXPECT_FALSE(equals(std::string_view("triton\0x", 8), "triton"));
}

TEST(Text, StartsWithALiteral) {
  EXPECT_TRUE(starts_with(std::string_view("--tp"), "--"));
  EXPECT_TRUE(starts_with(std::string_view("--"), "--"));
  EXPECT_TRUE(starts_with(std::string_view("x"), ""));
  EXPECT_FALSE(starts_with(std::string_view("-"), "--"));
  EXPECT_FALSE(starts_with(std::string_view("-\0", 2), "--"));
}

TEST(Text, FillsSlotsAndKeepsDoubledBraces) {
  EXPECT_EQ(fill("got {}, not {}.", {1, "two"}), "got 1, not two.");
  EXPECT_EQ(fill("{}{}", {"a", "b"}), "ab");
  EXPECT_EQ(fill("{{{}}} {{x}}", {3}), "{3} {x}");
  EXPECT_EQ(fill("lone { and } stay {", {}), "lone { and } stay {");
  EXPECT_EQ(fill("too few: {} {}", {1}), "too few: 1 ");
  EXPECT_EQ(fill("", {}), "");
}

}  // namespace
}  // namespace sglint
