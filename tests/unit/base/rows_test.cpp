#include "base/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace sglint {
namespace {

std::vector<std::string> list(std::string_view cell) {
  std::vector<std::string> all;
  for (std::string_view word : Words(cell)) all.emplace_back(word);
  return all;
}

TEST(Rows, WordsStandBetweenBlanks) {
  EXPECT_EQ(list("--model-path --model"), (std::vector<std::string>{"--model-path", "--model"}));
  EXPECT_EQ(list("one"), (std::vector<std::string>{"one"}));
  EXPECT_EQ(list(""), (std::vector<std::string>{}));
  EXPECT_TRUE(Words().empty());
  EXPECT_EQ(Words(std::string_view("a bc")).front(), "a");
  const Words words(std::string_view("a bc d"));
  EXPECT_EQ(*std::find(words.begin(), words.end(), "bc"), "bc");
  EXPECT_EQ(std::find(words.begin(), words.end(), "b"), words.end());
}

TEST(Rows, AreFoundByTheirFirstCell) {
  const std::string_view text = "a\t1\nb\nbb\t2\nbb\t3\nd\t4\n";
  const SortedRows rows(text);
  EXPECT_EQ(rows.from("a"), text);
  EXPECT_EQ(rows.from(""), text);
  EXPECT_EQ(rows.from("b"), "b\nbb\t2\nbb\t3\nd\t4\n");
  EXPECT_EQ(rows.from("bb"), "bb\t2\nbb\t3\nd\t4\n");
  EXPECT_EQ(rows.from("c"), "d\t4\n");
  EXPECT_EQ(rows.from("d"), "d\t4\n");
  EXPECT_EQ(rows.from("e"), "");
  EXPECT_EQ(SortedRows("").from("e"), "");
}

}  // namespace
}  // namespace sglint
