// Real argparse's answers (Python 3.11, a parser built from core/data/arguments) to random words.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "arguments/arguments.h"
#include "arguments/rules.h"
#include "base/json.h"
#include "base/text.h"

namespace sglint {
namespace {

std::vector<Token> tokens(const Value::List& words) {
  std::vector<Token> argv;
  for (const Value& word : words) argv.push_back({std::string(word.as_str()), {}, false, false});
  return argv;
}

TEST(Parser, AgreesWithArgparse) {
  std::ifstream file(SGLINT_UNIT_DIR "/arguments/argparse_cases.ndjson");
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    SCOPED_TRACE(line);
    const std::optional<Value> parsed = parse_json(line);
    ASSERT_TRUE(parsed);
    const Value& c = *parsed;
    const Release release = *parse_release(c["release"].as_str());
    const Arguments got = parse_arguments(release, tokens(c["argv"].as_list()), {});
    if (c["error"] == "EXIT") {
      ASSERT_TRUE(got.error);
      EXPECT_EQ(got.error->rule, &kHelp);
      continue;
    }
    if (!c["error"].is_none()) {
      ASSERT_TRUE(got.error) << "accepted";
      EXPECT_EQ(got.error->message, c["error"].as_str());
      EXPECT_EQ(got.error->exception, "");
      continue;
    }
    EXPECT_FALSE(got.error) << got.error->message;
    const std::vector<Value>& defaults = field_defaults(release);
    for (int i = 0; i < kFieldCount; ++i) {
      const Value* value = c["values"].find(field_name(static_cast<Field>(i)));
      EXPECT_EQ(to_json(got.values[static_cast<size_t>(i)]),
                to_json(value ? *value : defaults[static_cast<size_t>(i)]))
          << field_name(static_cast<Field>(i));
    }
    const Value::List& deprecated = c["deprecated"].as_list();
    ASSERT_EQ(got.logs.size(), deprecated.size());
    for (size_t i = 0; i < deprecated.size(); ++i)
      EXPECT_NE(got.logs[i].message.find(repr(deprecated[i].as_str())), std::string::npos);
  }
  EXPECT_EQ(cases, 640);
}

Arguments parse(std::vector<std::string> words, const Files& files = {},
                Release release = kReferenceRelease) {
  std::vector<Token> argv;
  for (std::string& word : words) argv.push_back({std::move(word), {}, false, false});
  return parse_arguments(release, argv, files);
}

TEST(Parser, KeepsWhereAValueStands) {
  const Arguments a = parse({"--model-path", "m", "--cuda-graph-bs-decode", "1", "2", "--tp=4"});
  ASSERT_FALSE(a.error);
  const Origin& sizes = a.origins[static_cast<size_t>(Field::cuda_graph_bs_decode)];
  EXPECT_EQ(sizes.first_token, 2);
  EXPECT_EQ(sizes.last_token, 4);
  const Origin& tp = a.origins[static_cast<size_t>(Field::tp_size)];
  EXPECT_EQ(tp.first_token, 5);
  EXPECT_EQ(tp.last_token, 5);
  EXPECT_EQ(tp.flag, "--tp-size");
  EXPECT_EQ(a.origins[static_cast<size_t>(Field::dp_size)].kind, Origin::Kind::parser_default);
}

TEST(Parser, PointsAtTheWordThatIsWrong) {
  EXPECT_EQ(parse({"--model-path", "m", "--tp-size", "two"}).error->token, 3);
  EXPECT_EQ(parse({"--model-path", "m", "--tp-size=two"}).error->token, 2);
  EXPECT_EQ(parse({"--model-path", "m", "--nope", "1", "--tp-size", "2"}).error->token, 2);
  EXPECT_EQ(parse({"--model-path", "m", "--dist", "1"}).error->token, 2);
  EXPECT_EQ(parse({"--model-path", "m", "--tp-size"}).error->token, 2);
  EXPECT_EQ(parse({"--tp-size", "2"}).error->token, -1);
  EXPECT_EQ(parse({"--model-path", "m", "--log-level", "loud"}).error->token, 3);
}

// What is said of a flag of another name points at what was typed.
TEST(Parser, PointsAtTheTypedAlias) {
  for (const std::string flag :
       {"--mamba-scheduler-strategy extra_buffer", "--mamba-scheduler-strategy=extra_buffer",
        "--disable-cuda-graph", "--prefill-round-robin-balance"}) {
    const std::string text = "docker run x sglang serve --model-path m " + flag + " --tp 2";
    const ReadResult result = read(text);
    ASSERT_EQ(result.launches.size(), 1u) << text;
    const std::vector<Token>& argv = result.launches[0].argv;
    const Arguments a = parse_arguments(kReferenceRelease, argv, {});
    ASSERT_EQ(a.findings.size(), 1u) << text;
    ASSERT_GE(a.findings[0].token, 0);
    const Span span = argv[static_cast<size_t>(a.findings[0].token)].span;
    EXPECT_EQ(text.substr(span.begin, span.end - span.begin), flag.substr(0, flag.find(' ')));
  }
}

// Engine(x=False) is read by a list of what can be turned off.
TEST(Parser, PythonCallsTurnOffWhatHasANegative) {
  for (const Release release : {Release::v0_5_16, Release::v0_5_17, Release::v0_5_18})
    for (const Option& option : argument_table(release).options) {
      if (option.action != Action::boolean_optional) continue;
      const std::string key(field_name(option.dest));
      const ReadResult result = read("Engine(model_path='m', " + key + "=False)");
      const Arguments a = parse_arguments(release, result.launches[0].argv, {});
      ASSERT_FALSE(a.error) << key << a.error->message;
      EXPECT_EQ(a.values[static_cast<size_t>(option.dest)], Value(false)) << key;
    }
}

// Every argument of Engine(…) that a flag can set is read as that flag.
TEST(Parser, PythonCallsKnowEveryField) {
  for (const Option& option : argument_table(kReferenceRelease).options) {
    if (option.dest == kNoField || option.action != Action::store || !option.choices.empty() ||
        !is_server_args_field(option.dest))
      continue;
    const std::string key(field_name(option.dest));
    const ReadResult result = read("Engine(model_path='m', " + key + "='1')");
    const Arguments a = parse_arguments(kReferenceRelease, result.launches[0].argv, {});
    EXPECT_FALSE(a.error && contains(a.error->message, "unrecognized"))
        << key << " " << a.error->message;
  }
}

TEST(Parser, SaysNothingOfPlaceholders) {
  std::vector<Token> argv = {{"--model-path"}, {"m"},       {"--tp-size"}, {"$TP"},
                             {"--dtype"},      {"<dtype>"}, {"$EXTRA"}};
  for (size_t i : {3u, 5u, 6u}) argv[i].unknown = true;
  const Arguments a = parse_arguments(kReferenceRelease, argv, {});
  EXPECT_FALSE(a.error) << a.error->message;
  EXPECT_EQ(a.values[static_cast<size_t>(Field::tp_size)], Value(1));
  EXPECT_EQ(a.origins[static_cast<size_t>(Field::tp_size)].kind, Origin::Kind::typed);
}

TEST(Parser, AWordThatIsNotKnownMayHoldTheModel) {
  std::vector<Token> argv = {{"--tp-size"}, {"2"}, {"$ARGS"}};
  argv[2].unknown = true;
  const Arguments a = parse_arguments(kReferenceRelease, argv, {});
  EXPECT_FALSE(a.error);
  EXPECT_TRUE(a.origins[static_cast<size_t>(Field::model_path)].unknown);
  argv[2].unknown = false;
  EXPECT_TRUE(parse_arguments(kReferenceRelease, argv, {}).error);
}

TEST(ConfigFile, TypedFlagsWin) {
  const Arguments a = parse({"--tp-size", "4", "--config", "./c.yaml", "--model-path", "m"},
                            {{"c.yaml", "tp-size: 2\ndp-size: 8\n"}});
  ASSERT_FALSE(a.error);
  EXPECT_EQ(a.values[static_cast<size_t>(Field::tp_size)], Value(4));
  EXPECT_EQ(a.values[static_cast<size_t>(Field::dp_size)], Value(8));
  EXPECT_EQ(a.origins[static_cast<size_t>(Field::tp_size)].first_token, 0);
  EXPECT_EQ(a.origins[static_cast<size_t>(Field::dp_size)].kind, Origin::Kind::config_file);
  EXPECT_EQ(a.origins[static_cast<size_t>(Field::model_path)].last_token, 5);
  EXPECT_TRUE(a.findings.empty());
}

TEST(ConfigFile, IsReadOnlyAsAWordOfItsOwn) {
  const Arguments a = parse({"--model-path", "m", "--config=c.yaml"}, {{"c.yaml", "tp-size: 2\n"}});
  ASSERT_FALSE(a.error);
  EXPECT_EQ(a.values[static_cast<size_t>(Field::tp_size)], Value(1));
  ASSERT_EQ(a.findings.size(), 1u);
  EXPECT_EQ(a.findings[0].rule, &kConfigIgnored);
}

struct ConfigCase {
  const char* text;
  const char* exception;
  const char* message;
};

// Recorded from SGLang 0.5.18.
TEST(ConfigFile, RefusesAsSglangDoes) {
  const ConfigCase cases[] = {
      {"1: 2\n", "AttributeError", "'int' object has no attribute 'replace'"},
      {"yes: 1\n", "AttributeError", "'bool' object has no attribute 'replace'"},
      {"null: 1\n", "AttributeError", "'NoneType' object has no attribute 'replace'"},
      {"api-key:\n  d: 2020-01-01\n", "TypeError", "Object of type date is not JSON serializable"},
      {"dllm-fdfo: true\n", "ValueError",
       "Unsupported config option 'dllm_fdfo' with action 'BooleanOptionalAction'"},
      {"a: b\n---\nc: d\n", "ComposerError",
       "expected a single document in the stream\n  in \"c.yaml\", line 1, column 1\nbut found "
       "another document\n  in \"c.yaml\", line 2, column 1"},
      {"a: 'x\n", "ScannerError",
       "while scanning a quoted scalar\n  in \"c.yaml\", line 1, column 4\nfound unexpected end of "
       "stream\n  in \"c.yaml\", line 2, column 1"},
      {"tp-size: .inf\n", "",
       "argument --tp-size/--tensor-parallel-size: invalid int value: 'inf'"},
      {"served-model-name: [[1,2],'x']\n", "", "unrecognized arguments: x"},
      {"tp-size: 2\ndp size: 3\n", "", "unrecognized arguments: --dp size 3"},
      {"'': 1\n", "", "the following arguments are required: --model-path/--model"},
  };
  for (const ConfigCase& c : cases) {
    SCOPED_TRACE(c.text);
    const Arguments a = parse({"--model-path", "m", "--config", "c.yaml"}, {{"c.yaml", c.text}});
    ASSERT_TRUE(a.error);
    EXPECT_EQ(a.error->exception, c.exception);
    EXPECT_EQ(a.error->message, c.message);
  }
}

TEST(ConfigFile, WritesMapsAsPythonDoes) {
  const Arguments a = parse({"--model-path", "m", "--config", "c.yaml"},
                            {{"c.yaml", "api-key: {a: null, b: 1.0e10, c: é}\n"}});
  ASSERT_FALSE(a.error);
  EXPECT_EQ(a.values[static_cast<size_t>(Field::api_key)],
            Value(R"({"a": null, "b": "1.0e10", "c": "\u00e9"})"));
}

}  // namespace
}  // namespace sglint
