#include "base/yaml.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace sglint {
namespace {

std::string loaded(std::string_view text) {
  YamlError error;
  const std::optional<Value> v = load_yaml(text, &error);
  return v ? to_json(*v) : error.exception + ": " + error.python_message("c.yaml");
}

// What yaml.safe_load of PyYAML 6.0.3 gives.
TEST(Yaml, ResolvesScalarsAsPyYaml) {
  const struct {
    const char *text, *json;
  } rows[] = {{"012", "10"},
              {"08000", "\"08000\""},
              {"0x1F", "31"},
              {"0xFFFFFFFFFFFFFFFFFFFF", "\"1208925819614629174706175\""},  // text: as it prints
              {"-07777777777777777777777777", "\"-37778931862957161709567\""},
              {"0b10", "2"},
              {"0o17", "\"0o17\""},
              {"1_000", "1000"},
              {"+12", "12"},
              {"1:30", "90"},
              {"12:30:00", "45000"},
              {"190:20:30.15", "685230.15"},
              {".5", "0.5"},
              {"1e3", "\"1e3\""},
              {"1.0e+3", "1000.0"},
              {"yes", "true"},
              {"Off", "false"},
              {"y", "\"y\""},
              {"~", "null"},
              {"Null", "null"},
              {"", "null"},
              {"'2'", "\"2\""},
              {"!!str 5", "\"5\""},
              {"!!int '7'", "7"},
              {"2020-01-01", "\"2020-01-01\""},
              {"2001-12-14t21:59:43.10-05:00", "\"2001-12-14 21:59:43.100000-05:00\""}};
  for (const auto& row : rows)
    EXPECT_EQ(loaded("a: " + std::string(row.text) + "\n"),
              "{\"a\":" + std::string(row.json) + "}");
}

TEST(Yaml, MergesAndAnchors) {
  EXPECT_EQ(loaded("a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\n"),
            "{\"a\":{\"p\":1,\"q\":2},\"b\":{\"p\":1,\"q\":3}}");
  EXPECT_EQ(loaded("a: 1\na: 2\n"), "{\"a\":2}");
}

TEST(Yaml, FailsInPyYamlsWords) {
  EXPECT_EQ(
      loaded("tp-size: 2: 3\n"),
      "ScannerError: mapping values are not allowed here\n  in \"c.yaml\", line 1, column 11");
  EXPECT_EQ(loaded("a: [1, 2\nb: 3\n"),
            "ParserError: while parsing a flow sequence\n  in \"c.yaml\", line 1, column "
            "4\nexpected ',' or ']', but got ':'\n  in \"c.yaml\", line 2, column 2");
  EXPECT_EQ(loaded("a: !foo 3\n"),
            "ConstructorError: could not determine a constructor for the tag '!foo'\n  in "
            "\"c.yaml\", line 1, column 4");
  EXPECT_EQ(loaded("a: *nope\n"),
            "ComposerError: found undefined alias 'nope'\n  in \"c.yaml\", line 1, column 4");
  EXPECT_EQ(loaded("a: 1\nb:2"),
            "ScannerError: while scanning a simple key\n  in \"c.yaml\", line 2, column 1\n"
            "could not find expected ':'\n  in \"c.yaml\", line 2, column 4");
  EXPECT_EQ(loaded("a: b\n\tc: 1\n"),
            "ScannerError: while scanning for the next token\nfound character '\\t' that cannot "
            "start any token\n  in \"c.yaml\", line 2, column 1");
  EXPECT_EQ(loaded("a: [1]---\n"),
            "ParserError: while parsing a block mapping\n  in \"c.yaml\", line 1, column 1\n"
            "expected <block end>, but found '<scalar>'\n  in \"c.yaml\", line 1, column 7");
  EXPECT_EQ(loaded("a: 1\n---\nb: @x\n"),
            "ComposerError: expected a single document in the stream\n  in \"c.yaml\", line 1, "
            "column 1\nbut found another document\n  in \"c.yaml\", line 2, column 1");
  EXPECT_EQ(loaded("...\n"),
            "ParserError: while parsing a block node\nexpected the node content, but found "
            "'<document end>'\n  in \"c.yaml\", line 1, column 1");
}

TEST(Yaml, SpansAreBytes) {
  const std::string text = "é: ü\nk: &a !!str 'x y'\nl:\n- |\n  a\n  b\n- z\n";
  const YamlStream s = parse_yaml(text);
  ASSERT_EQ(s.documents.size(), 1u);
  const YamlNode& root = *s.documents[0];
  const auto cut = [&](const YamlNode& n) {
    return text.substr(n.span.begin, n.span.end - n.span.begin);
  };
  EXPECT_EQ(cut(*root.pairs[0].second), "ü");
  EXPECT_EQ(cut(*root.pairs[1].second), "'x y'");
  EXPECT_EQ(cut(*root.pairs[2].second->items[0]), "|\n  a\n  b");
  EXPECT_EQ(cut(*root.pairs[2].second), "- |\n  a\n  b\n- z");
}

TEST(Yaml, DeepNestingAndBombsEnd) {
  EXPECT_TRUE(parse_yaml(std::string(100000, '[')).error.has_value());
  std::string bomb = "a0: &a0 [x]\n";
  for (int i = 1; i < 40; ++i)
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            ", *a" + std::to_string(i - 1) + "]\n";
  EXPECT_TRUE(load_yaml(bomb).has_value());
}

}  // namespace
}  // namespace sglint
