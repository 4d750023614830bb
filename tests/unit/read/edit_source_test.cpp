// Edits of the user's own text, form by form: before, change, after.
#include "read/edit_source.h"

#include <gtest/gtest.h>

namespace sglint {
namespace {

struct Row {
  const char* name;
  const char* text;
  const char* change;  // "-flag" removes it with its values, "flag value…" sets it; '|' between
                       // changes; "$NAME=v" sets, "$NAME" unsets an environment variable
  const char* after;
};

std::vector<std::string> split(std::string_view s, char by) {
  std::vector<std::string> out;
  size_t i = 0;
  while (i <= s.size()) {
    const size_t end = std::min(s.find(by, i), s.size());
    out.emplace_back(s.substr(i, end - i));
    i = end + 1;
  }
  return out;
}

// What repair/ does with an edit: the flag's tokens are replaced where it was typed, else appended.
std::vector<Token> changed(std::vector<Token> argv, const std::vector<std::string>& words,
                           bool remove) {
  size_t at = argv.size();
  for (size_t i = 0; i < argv.size(); ++i) {
    if (argv[i].text != words[0]) continue;
    size_t end = i + 1;
    while (end < argv.size() && argv[end].text.substr(0, 2) != "--") ++end;
    argv.erase(argv.begin() + static_cast<long>(i), argv.begin() + static_cast<long>(end));
    at = i;
    break;
  }
  if (remove) return argv;
  for (size_t k = 0; k < words.size(); ++k) {
    Token t;
    t.text = words[k];
    argv.insert(argv.begin() + static_cast<long>(at + k), t);
  }
  return argv;
}

class EditSource : public testing::TestWithParam<Row> {};

TEST_P(EditSource, KeepsTheLayout) {
  const Row& row = GetParam();
  const std::string_view text = row.text;
  const ReadResult result = read(text);
  ASSERT_FALSE(result.launches.empty()) << text;
  const Launch& launch = result.launches[0];
  std::vector<Token> after = launch.argv;
  std::vector<EnvChange> env;
  for (const std::string& change : split(row.change, '|')) {
    if (change[0] == '$') {
      const size_t equals = change.find('=');
      if (equals == std::string::npos)
        env.push_back({change.substr(1), std::nullopt});
      else
        env.push_back({change.substr(1, equals - 1), change.substr(equals + 1)});
      continue;
    }
    const bool remove = change.substr(0, 3) == "---";
    after = changed(after, split(remove ? change.substr(1) : change, ' '), remove);
  }
  const auto edits = edit_source(text, launch, after, env);
  ASSERT_TRUE(edits.has_value()) << text;
  for (size_t i = 1; i < edits->size(); ++i)
    EXPECT_LE((*edits)[i - 1].span.end, (*edits)[i].span.begin) << "edits overlap";
  const std::string got = apply_edits(text, *edits);
  EXPECT_EQ(got, row.after);
  // Read again it is what was asked for.
  const ReadResult again = read(got);
  ASSERT_FALSE(again.launches.empty()) << got;
  if (launch.form != Form::yaml_map) {  // there the order of keys is the file's
    std::string want, have;
    for (const Token& t : after) want += t.text + "\n";
    for (const Token& t : again.launches[0].argv) have += t.text + "\n";
    EXPECT_EQ(have, want) << got;
  }
}

const Row kRows[] = {
    {"Replace", "sglang serve --model a --tp 2 --dp 1", "--tp 4",
     "sglang serve --model a --tp 4 --dp 1"},
    {"ReplaceQuoted", "sglang serve --model 'a b' --tp \"2\"", "--tp 4|--model c",
     "sglang serve --model 'c' --tp \"4\""},
    {"Remove", "sglang serve --model a --tp 2 --dp 1", "---tp", "sglang serve --model a --dp 1"},
    {"RemoveLast", "sglang serve --model a --tp 2 > log", "---tp", "sglang serve --model a > log"},
    {"RemoveFirst", "sglang serve --tp 2 --model a", "---tp", "sglang serve --model a"},
    {"Append", "sglang serve --model a", "--x y", "sglang serve --model a --x y"},
    {"AppendBoolean", "sglang serve --model a &", "--x", "sglang serve --model a --x &"},
    {"Continued", "sglang serve \\\n  --model a \\\n  --tp 2 \\\n  --dp 1\n", "--tp 4|---dp|--x y",
     "sglang serve \\\n  --model a \\\n  --tp 4 \\\n  --x y\n"},
    {"ContinuedLast", "sglang serve \\\n  --model a \\\n  --tp 2   # why\n# end\n", "---tp",
     "sglang serve \\\n  --model a   # why\n# end\n"},
    {"ContinuedAppend", "sglang serve \\\n    --model a \\\n    --tp 2\n", "--x 1 2",
     "sglang serve \\\n    --model a \\\n    --tp 2 \\\n    --x 1 2\n"},
    {"MoreValues", "sglang serve --cuda-graph-bs 1 2 4 --model a", "--cuda-graph-bs 8 16 32 64",
     "sglang serve --cuda-graph-bs 8 16 32 64 --model a"},
    {"FewerValues", "sglang serve --cuda-graph-bs 1 2 4 --model a", "--cuda-graph-bs 8",
     "sglang serve --cuda-graph-bs 8 --model a"},
    {"Quoting", "sglang serve --model a", "--x {\"y\":1}",
     "sglang serve --model a --x '{\"y\":1}'"},
    {"InBash", "bash -c 'sglang serve --model a --tp 2'", "--tp 4|--x {y}",
     "bash -c 'sglang serve --model a --tp 4 --x \"{y}\"'"},
    {"InBashDouble", "bash -c \"sglang serve --model a\"", "--x {\"y\":1}",
     "bash -c \"sglang serve --model a --x '{\\\"y\\\":1}'\""},
    {"Array", "A=(\n  --model a\n  --tp 2\n)\nsglang serve \"${A[@]}\"\n", "--x y|---tp",
     "A=(\n  --model a\n  --x y\n)\nsglang serve \"${A[@]}\"\n"},
    {"VariableWords", "C=\"--tp 2 --dp 1\"\nsglang serve $C --model a", "---tp",
     "C=\"--dp 1\"\nsglang serve $C --model a"},
    {"VariableValue", "M=a\nsglang serve --model \"$M\"", "--model b",
     "M=a\nsglang serve --model \"b\""},
    {"Docker",
     "docker run --gpus all \\\n  -e A=1 \\\n  img \\\n  sglang serve \\\n  --model a \\\n  --tp "
     "2\n",
     "---tp|$B=2|$A",
     "docker run --gpus all \\\n  -e B=2 img \\\n  sglang serve \\\n  --model a\n"},
    {"EnvPrefix", "A=1 B=2 sglang serve --model a", "$A=3|$B", "A=3 sglang serve --model a"},
    {"EnvNew", "cd x && sglang serve --model a", "$A=b c",
     "cd x && A='b c' sglang serve --model a"},
    {"EnvExport", "export A=1  \nexport B=2 C=3\nsglang serve --model a", "$A|$C",
     "export B=2\nsglang serve --model a"},
    {"Compose",
     "services:\n  s:\n    environment:\n      A: \"1\"  # one\n    command:\n      - sglang\n     "
     " - serve\n"
     "      - --model\n      - a  # the model\n      - --tp\n      - \"2\"\n    ports: []\n",
     "---tp|--x 8|$B=2|$A=3",
     "services:\n  s:\n    environment:\n      A: \"3\"  # one\n      B: \"2\"\n    command:\n     "
     " - sglang\n      - serve\n"
     "      - --model\n      - a  # the model\n      - --x\n      - \"8\"\n    ports: []\n"},
    {"ComposeFolded",
     "services:\n  s:\n    command: >\n      sglang serve\n      --model a\n      --tp 2\n",
     "---tp|--x y",
     "services:\n  s:\n    command: >\n      sglang serve\n      --model a\n      --x y\n"},
    {"ComposeNewEnvironment", "services:\n  s:\n    command: sglang serve --model a\n", "$A=1",
     "services:\n  s:\n    environment:\n      A: \"1\"\n    command: sglang serve --model a\n"},
    {"Flow", "services:\n  s:\n    command: [sglang, serve, --model, a, --tp, \"2\"]\n",
     "---tp|--x y", "services:\n  s:\n    command: [sglang, serve, --model, a, --x, \"y\"]\n"},
    {"Kubernetes",
     "spec:\n  containers:\n  - name: s\n    command: [sglang, serve]\n    args:\n    - --model\n  "
     "  - a\n    - --tp\n    - '2'\n"
     "    env:\n    - name: A\n      value: '1'\n",
     "--tp 4|$B=2",
     "spec:\n  containers:\n  - name: s\n    command: [sglang, serve]\n    args:\n    - --model\n  "
     "  - a\n    - --tp\n    - '4'\n"
     "    env:\n    - name: A\n      value: '1'\n    - name: B\n      value: \"2\"\n"},
    {"Dockerfile",
     "FROM x\nENV A=1\nCMD [\"sglang\", \"serve\", \"--model\", \"a\", \"--tp\", \"2\"]\n",
     "---tp|--x y|$B=2|$A",
     "FROM x\nENV B=2\nCMD [\"sglang\", \"serve\", \"--model\", \"a\", \"--x\", \"y\"]\n"},
    {"DockerfileComment",
     "CMD [\"sglang\", \"serve\", \"--model\", \"a\", \\\n     # the port\n     \"--port\", "
     "\"7\"]\n",
     "---port", "CMD [\"sglang\", \"serve\", \"--model\", \"a\" \\\n     # the port\n]\n"},
    {"DockerfileComments",
     "CMD [\"sglang\", \"serve\", \\\n  # one\n  \"--tp\", \"2\", \\\n  # two\n  \"--model\", "
     "\"a\"]\n",
     "---tp", "CMD [\"sglang\", \"serve\", \\\n  # one\n \\\n  # two\n  \"--model\", \"a\"]\n"},
    {"PythonComment",
     "c = ['sglang', 'serve',\n  '--model', 'a',  # m\n  '--port',  # p\n  '7'\n]\nrun(c)\n",
     "---port", "c = ['sglang', 'serve',\n  '--model', 'a'  # m\n  # p\n\n]\nrun(c)\n"},
    {"PythonCommentBetween",
     "c = ['sglang', 'serve',\n  '--model', 'a', '--port',  # p\n  '7']\nrun(c)\n", "---port",
     "c = ['sglang', 'serve',\n  '--model', 'a'  # p\n]\nrun(c)\n"},
    {"Json", "[\"sglang\", \"serve\", \"--model\", \"a\"]", "--x {\"y\":1}",
     "[\"sglang\", \"serve\", \"--model\", \"a\", \"--x\", \"{\\\"y\\\":1}\"]"},
    {"Python", "subprocess.run(['sglang', 'serve', '--model', 'a', '--tp', '2'])",
     "--tp 4|---model", "subprocess.run(['sglang', 'serve', '--tp', '4'])"},
    {"Systemd", "[Service]\nEnvironment=A=1\nExecStart=sglang serve --model a --tp 2\n",
     "---tp|$B=2",
     "[Service]\nEnvironment=A=1\nEnvironment=B=2\nExecStart=sglang serve --model a\n"},
    {"SystemdComments",
     "[Service]\nExecStart=sglang serve --model a \\\n# not now: --tp 4\n--tp 3 \\\n; x\n--port "
     "7\n",
     "--tp 1|---port",
     "[Service]\nExecStart=sglang serve --model a \\\n# not now: --tp 4\n--tp 1 \\\n; x\n\n"},
    {"Map", "model-path: a\ntp-size: 2  # two\nenable-metrics: true\nport: 1\n",
     "--tp-size 4|---enable-metrics|--x|--y -1",
     "model-path: a\ntp-size: 4  # two\nport: 1\nx: true\ny: -1\n"},
    {"MapUnderscores", "sglang_config:\n  prefill:\n    model_path: a\n    tp_size: 2\n",
     "---tp-size|--mem-fraction-static 0.8",
     "sglang_config:\n  prefill:\n    model_path: a\n    mem_fraction_static: 0.8\n"},
    {"MapList", "model-path: a\ncuda-graph-bs:\n- 1\n- 2\nport: 1\n", "---cuda-graph-bs",
     "model-path: a\nport: 1\n"},
    {"PowerShell", "$env:A = \"1\"\nsglang serve `\n  --model a `\n  --tp 2\n", "--x y|$B=2|$A=3",
     "$env:A = \"3\"\n$env:B = \"2\"\nsglang serve `\n  --model a `\n  --tp 2 `\n  --x y\n"},
    {"Cmd", "set A=1\nsglang serve ^\n  --model a ^\n  --tp 2\n", "---tp|--x {\"y\":1}|$A=3",
     "set A=3\nsglang serve ^\n  --model a ^\n  --x \"{\\\"y\\\":1}\"\n"},
    {"Flags", "--tp 2 --model a", "---tp", "--model a"},
    {"FlagsLines", "--model a\n--tp 2\n", "--x y", "--model a\n--tp 2\n--x y\n"},
    {"Positional", "sglang serve a --tp 2", "---tp", "sglang serve a"},
    {"YamlEscapes",
     "spec:\n  containers:\n  - command: [sh, -c]\n    args: [\"sglang serve \\\\\\n  --model a "
     "\\\\\\n  --tp 2\"]\n",
     "--x y",
     "spec:\n  containers:\n  - command: [sh, -c]\n    args: [\"sglang serve \\\\\\n  --model a "
     "\\\\\\n  --tp 2 \\\\\\n  --x y\"]\n"},
    {"Call", "e = Engine(model_path=\"a\", tp_size=2, dp_size=1)", "--tp-size 4|---dp-size|--x y",
     "e = Engine(model_path=\"a\", tp_size=4, x=\"y\")"},
    {"CallOtherName", "e = Engine(model_path=\"a\", tp_size=2)", "--fp8-gemm-backend x",
     "e = Engine(model_path=\"a\", tp_size=2, fp8_gemm_runner_backend=\"x\")"},
    {"CallFirst", "Engine(\n  tp_size=2,\n  model_path=a,\n)", "---tp-size|--x",
     "Engine(\n  model_path=a, x=True,\n)"},
    {"CallList", "Engine(model_path='a', cuda_graph_bs=[1, 2], tp_size=1)", "---cuda-graph-bs",
     "Engine(model_path='a', tp_size=1)"},
    {"CallComments",
     "Engine(\n    model_path=\"a\",\n    tp_size=2,  # two cards, see ticket 12\n    port=7,  # "
     "bad (x)\n)\n",
     "---port", "Engine(\n    model_path=\"a\",\n    tp_size=2,  # two cards, see ticket 12\n)\n"},
    {"CallCommentsLast",
     "Engine(\n    model_path=\"a\",\n    tp_size=2,  # two, cards\n    port=7  # bad, (x)\n)\n",
     "---port", "Engine(\n    model_path=\"a\",\n    tp_size=2,  # two, cards\n)\n"},
    {"CallCommentsAdd", "Engine(\n    model_path=\"a\",\n    tp_size=2  # two, cards\n)\n", "--x",
     "Engine(\n    model_path=\"a\",\n    tp_size=2, x=True  # two, cards\n)\n"},
    {"CallBracket", "Engine(model_path=\"a\",  # m\n       port=7)\n", "---port",
     "Engine(model_path=\"a\",  # m\n)\n"},
    {"CallOthers", "Engine(model_path=\"a\", **more, port=7)", "---port",
     "Engine(model_path=\"a\", **more,)"},
    {"MapKey", "model-path: a\ntp_sizes: 2  # two\n", "---tp-sizes|--tp-size 2",
     "model-path: a\ntp_size: 2  # two\n"},
    {"Braces", "sglang serve --model a --x {1..3} --tp 2", "---x", "sglang serve --model a --tp 2"},
};
INSTANTIATE_TEST_SUITE_P(Rows, EditSource, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(EditSource, NothingToDoIsNoEdit) {
  const std::string text = "sglang serve --model a \\\n  --tp 2";
  const ReadResult r = read(text);
  const auto edits = edit_source(text, r.launches[0], r.launches[0].argv);
  ASSERT_TRUE(edits.has_value());
  EXPECT_TRUE(edits->empty());
}

TEST(EditSource, RefusesWhatHasNoPlace) {
  const std::string text = "{\"model_path\": \"a\", \"tp_size\": 2}";
  const ReadResult r = read(text);
  ASSERT_EQ(r.launches.size(), 1u);
  EXPECT_FALSE(edit_source(text, r.launches[0], {}).has_value());
}

}  // namespace
}  // namespace sglint
