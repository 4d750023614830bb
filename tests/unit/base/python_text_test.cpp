#include "base/python_text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/json.h"

namespace sglint {
namespace {

// Expected values are what Python 3.11's int() and float() give.
TEST(PythonInt, ReadsWhatPythonReads) {
  EXPECT_EQ(python_int("10"), 10);
  EXPECT_EQ(python_int(" -7\n"), -7);
  EXPECT_EQ(python_int("+1_000"), 1000);
  EXPECT_EQ(python_int("007"), 7);
}

TEST(PythonInt, RefusesWhatPythonRefuses) {
  for (const char* text : {"", " ", "1.0", "1e3", "0x10", "1__0", "_1", "1_", "- 1", "--1", "one"})
    EXPECT_EQ(python_int(text), std::nullopt) << text;
}

TEST(PythonFloat, ReadsWhatPythonReads) {
  EXPECT_EQ(python_float("0.5"), 0.5);
  EXPECT_EQ(python_float(" 1e3 "), 1000.0);
  EXPECT_EQ(python_float(".5"), 0.5);
  EXPECT_EQ(python_float("5."), 5.0);
  EXPECT_EQ(python_float("1_0.2_5"), 10.25);
  EXPECT_EQ(python_float("-Infinity"), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(*python_float("nan")));
  EXPECT_EQ(python_float("00012.50"), 12.5);
  EXPECT_EQ(python_float("1.e3"), 1000.0);
  EXPECT_EQ(python_float("1_0e1_0"), 1e11);
  EXPECT_EQ(python_float("1e400"), HUGE_VAL);
  EXPECT_EQ(python_float("-1e400"), -HUGE_VAL);
  EXPECT_EQ(python_float("1e-400"), 0.0);
  EXPECT_EQ(python_float("0e999"), 0.0);
  EXPECT_TRUE(std::signbit(*python_float("-0")));
  EXPECT_EQ(python_float(" 1\xC2\xA0"), 1.0);
  EXPECT_EQ(python_float("0.1000000000000000055511151231257827021181583404541015625"), 0.1);
  EXPECT_EQ(python_float(std::string(400, '1') + "e-399"), 1.1111111111111112);
  EXPECT_EQ(python_float("1.5999999999999999999999999999999e-333"), 0.0);
  EXPECT_EQ(python_float("1.e-324"), 0.0);
  EXPECT_EQ(python_float("2.4703282292062327e-324"), 0.0);
  EXPECT_EQ(python_float("5e-324"), 5e-324);
  EXPECT_EQ(python_float("1.1234567890123456789012345678901234567890e309"), HUGE_VAL);
  EXPECT_EQ(python_float("1.7976931348623158e308"), 1.7976931348623157e308);
  EXPECT_EQ(python_float("1.7976931348623159e308"), HUGE_VAL);
}

TEST(LeadingNumber, IsTakenOffTheFront) {
  std::string_view text = "79.65 GiB";
  EXPECT_EQ(leading_number(text), 79.65);
  EXPECT_EQ(text, " GiB");
  EXPECT_EQ(leading_number(text), std::nullopt);
  EXPECT_EQ(text, " GiB");
  std::string_view version = "12.8.1";
  EXPECT_EQ(leading_number(version), 12.8);
  EXPECT_EQ(version, ".1");
}

TEST(PythonFloat, RefusesWhatPythonRefuses) {
  for (const char* text : {"", ".", "1e", "0x1p3", "1e5.0", "+", "1_.5", "1._5", "infinit", "1,5"})
    EXPECT_EQ(python_float(text), std::nullopt) << text;
}

TEST(JsonNumbers, AreThoseOfPython) {
  const auto number = [](const std::string& text) {
    return parse_json(text).value_or(Value("no"));
  };
  EXPECT_EQ(repr(number("-7")), "-7");
  EXPECT_EQ(repr(number("0.25")), "0.25");
  EXPECT_EQ(repr(number("1e3")), "1000.0");
  EXPECT_EQ(repr(number("9223372036854775807")), "9223372036854775807");
  EXPECT_EQ(repr(number("-9223372036854775808")), "-9223372036854775808");
  EXPECT_EQ(repr(number("9223372036854775808")), "9.223372036854776e+18");
  EXPECT_EQ(repr(number("NaN")), "nan");
  EXPECT_EQ(repr(number("-Infinity")), "-inf");
  // RapidJSON's own conversion crashes here.
  EXPECT_EQ(repr(number("1.5999999999999999999999999999999e-333")), "0.0");
  EXPECT_EQ(repr(number("0." + std::string(340, '0') + std::string(40, '7'))), "0.0");
  EXPECT_EQ(repr(number("2.4703282292062328e-324")), "5e-324");
  EXPECT_EQ(repr(number("[1, 2.5]")), "[1, 2.5]");
  EXPECT_FALSE(parse_json("01"));
  EXPECT_FALSE(parse_json("1."));
}

}  // namespace
}  // namespace sglint
