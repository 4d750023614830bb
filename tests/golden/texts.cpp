// Compares what the reader makes of pasted texts with what they stand for.
//
// texts FILE.ndjson [--floor PERCENT] [--first N]
//
// A text agrees if it gives exactly the expected argv of every launch and the expected environment.
// Every token's span is cut from the text too: it must be that token's source. With --floor the
// exit code is 1 if agreement is under it, or if any span is wrong.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "read/launch.h"

using namespace sglint;

namespace {

// Without quotes, escapes and line breaks, a token and its source are the same letters.
std::string letters(std::string_view s) {
  std::string out;
  for (const char c : s)
    if (!strchr("'\"\\^` \t\r\n", c)) out += c;
  return out;
}

bool span_is_source(std::string_view text, const Launch& launch, const Token& token) {
  if (token.span.empty()) return token.text == "--model-path";  // implied by a positional model
  if (token.span.end > text.size() || token.span.begin > token.span.end) return false;
  const std::string_view cut = text.substr(token.span.begin, token.span.end - token.span.begin);
  if (contains(cut, "$") || contains(cut, "%")) return true;  // a variable stands there
  std::string want = letters(token.text), have = letters(cut);
  if (launch.form == Form::yaml_map) {
    if (starts_with(want, "--")) want.erase(0, 2);
    for (std::string* s : {&want, &have})
      for (char& c : *s)
        if (c == '_') c = '-';
  }
  return want == have;
}

struct Tally {
  int texts = 0, agree = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  double floor = -1;
  int first = 5;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--floor") && i + 1 < argc) {
      floor = atof(argv[++i]);
    } else if (!strcmp(argv[i], "--first") && i + 1 < argc) {
      first = atoi(argv[++i]);
    } else {
      file = argv[i];
    }
  }
  std::ifstream in(file);
  std::map<std::string, Tally> table;
  int spans = 0, wrong_spans = 0, shown = 0;
  for (std::string line; std::getline(in, line);) {
    const Value row = parse_json(line).value_or(Value());
    const std::string_view text = row["text"].as_str();
    const ReadResult result = read(text);
    Value::List got_argv, got_env;
    for (const Launch& launch : result.launches) {
      Value::List words;
      Value::Dict env;
      for (const Token& t : launch.argv) {
        words.push_back(t.text);
        ++spans;
        if (!span_is_source(text, launch, t)) {
          ++wrong_spans;
          if (shown++ < first)
            printf("%s: the span of %s cuts %s\n", str(row["id"]).c_str(), t.text.c_str(),
                   std::string(text.substr(t.span.begin, t.span.end - t.span.begin)).c_str());
        }
      }
      for (const EnvSetting& e : launch.env) env.emplace_back(e.name, e.value);
      got_argv.push_back(std::move(words));
      got_env.push_back(Value::dict(std::move(env)));
    }
    const auto same_env = [&] {
      const Value::List& want = row["expect_env"].as_list();
      if (want.size() != got_env.size()) return false;
      for (size_t i = 0; i < want.size(); ++i) {
        if (want[i].as_dict().size() != got_env[i].as_dict().size()) return false;
        for (const Value::Item& e : want[i].as_dict())
          if (!(got_env[i].has(e.first) && got_env[i][e.first] == e.second)) return false;
      }
      return true;
    };
    const bool agree = row["expect_argv"] == Value(got_argv) && same_env();
    for (Tally* t : {&table[str(row["form"])], &table["total"]}) {
      ++t->texts;
      t->agree += agree;
    }
    if (!agree && shown++ < first)
      printf("\n%s [%s]\n%s\n  expected %s %s\n  got      %s %s\n", str(row["id"]).c_str(),
             str(row["form"]).c_str(), std::string(text).c_str(),
             to_json(row["expect_argv"]).c_str(), to_json(row["expect_env"]).c_str(),
             to_json(Value(got_argv)).c_str(), to_json(Value(got_env)).c_str());
  }
  printf("\n%-32s %6s %8s\n", "form", "texts", "agree%");
  for (const auto& [form, t] : table)
    if (form != "total")
      printf("%-32s %6d %8.2f\n", form.c_str(), t.texts, 100.0 * t.agree / t.texts);
  const Tally& t = table["total"];
  if (t.texts == 0) {
    fprintf(stderr, "texts: no text in %s\n", file.c_str());
    return 2;
  }
  const double percent = 100.0 * t.agree / t.texts;
  printf("%-32s %6d %8.2f\n%d spans, %d wrong\n", "total", t.texts, percent, spans, wrong_spans);
  if (floor >= 0 && (percent < floor || wrong_spans > 0)) {
    printf("under the floor of %.2f\n", floor);
    return 1;
  }
  return 0;
}
