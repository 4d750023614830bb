#include "base/number.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sglint {
namespace {

// Expected values are what Python 3.11's int() and float() give.
TEST(PythonInt, ReadsWhatPythonReads) {
  EXPECT_EQ(parse_python_int("10"), 10);
  EXPECT_EQ(parse_python_int(" -7\n"), -7);
  EXPECT_EQ(parse_python_int("+1_000"), 1000);
  EXPECT_EQ(parse_python_int("007"), 7);
}

TEST(PythonInt, RefusesWhatPythonRefuses) {
  for (const char* text : {"", " ", "1.0", "1e3", "0x10", "1__0", "_1", "1_", "- 1", "--1", "one"})
    EXPECT_EQ(parse_python_int(text), std::nullopt) << text;
}

TEST(PythonFloat, ReadsWhatPythonReads) {
  EXPECT_EQ(parse_python_float("0.5"), 0.5);
  EXPECT_EQ(parse_python_float(" 1e3 "), 1000.0);
  EXPECT_EQ(parse_python_float(".5"), 0.5);
  EXPECT_EQ(parse_python_float("5."), 5.0);
  EXPECT_EQ(parse_python_float("1_0.2_5"), 10.25);
  EXPECT_EQ(parse_python_float("-Infinity"), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(*parse_python_float("nan")));
}

TEST(PythonFloat, RefusesWhatPythonRefuses) {
  for (const char* text : {"", ".", "1e", "0x1p3", "1_.5", "1._5", "infinit", "1,5"})
    EXPECT_EQ(parse_python_float(text), std::nullopt) << text;
}

}  // namespace
}  // namespace sglint
