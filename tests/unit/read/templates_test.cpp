// Helm charts and other templated YAML: what a template writes is unknown, all else is read and
// edited at its place, and the templates stay as they are.
#include <gtest/gtest.h>

#include <string>

#include "arguments/arguments.h"
#include "read/edit_source.h"
#include "read/launch.h"
#include "read/read_rules.h"

namespace sglint {
namespace {

constexpr const char* kChart = R"({{- if .Values.enabled -}}
{{- /* The server.
  args: [ not read */ -}}
{{- $name := include "sglang.fullname" . }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "sglang.fullname" . }}
  labels:
    {{- include "sglang.labels" . | nindent 4 }}
    app: sglang
  {{- with .Values.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  replicas: {{ .Values.replicas | default 1 }}
  template:
    spec:
      {{- with .Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .Chart.Name }}
          image: "lmsysorg/sglang:{{ .Values.image.tag | default "v0.5.17" }}"
          command: ["python3", "-m", "sglang.launch_server"]
          args:
            - --model-path
            - {{ .Values.model | quote }}
            - --tp-size={{ .Values.tp }}
            {{- if .Values.trust }}
            - --trust-remoet-code
            {{- else }}
            - --no-such-thing
            {{- end }}
            - "--context-length"
            - "{{ .Values.context }}"
            {{- range .Values.more }}
            - {{ . | quote }}
            {{- end }}
            {{- toYaml .Values.extraArgs | nindent 12 }}
          env:
            - name: HF_TOKEN
              value: {{ .Values.token | quote }}
            - name: SGLANG_LOG
              value: "x"
            {{- range $key, $value := .Values.env }}
            - name: {{ $key }}
              value: {{ $value | quote }}
            {{- end }}
          resources:
            {{- toYaml .Values.resources | nindent 12 }}
          ports:
            - containerPort: {{ .Values.port }}
      {{- with .Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end }}
)";

struct Row {
  const char* name;
  const char* text;
  const char* argv;  // words joined by one space, launches by " / ", unknown ones in angle brackets
  const char* env = "";
};

std::string words_of(const ReadResult& r) {
  std::string out;
  for (size_t i = 0; i < r.launches.size(); ++i) {
    if (i) out += " / ";
    for (size_t k = 0; k < r.launches[i].argv.size(); ++k) {
      const Token& t = r.launches[i].argv[k];
      out += (k ? " " : "") + (t.unknown ? "<" + t.text + ">" : t.text);
    }
  }
  return out;
}

std::string env_of(const ReadResult& r) {
  std::string out;
  if (r.launches.empty()) return out;
  for (const EnvSetting& e : r.launches[0].env)
    out += (out.empty() ? "" : " ") + e.name + "=" + (e.unknown ? "<" + e.value + ">" : e.value);
  return out;
}

class Templated : public testing::TestWithParam<Row> {};

// Also: what is no unknown word stands at its span, quotes aside.
TEST_P(Templated, IsRead) {
  const std::string text = GetParam().text;
  const ReadResult r = read(text);
  EXPECT_EQ(words_of(r), GetParam().argv) << text;
  EXPECT_EQ(env_of(r), GetParam().env) << text;
  for (const ReadFinding& f : r.findings) EXPECT_NE(f.rule, &kBrokenYaml) << f.message;
  for (const Launch& l : r.launches)
    for (const Token& t : l.argv) {
      const std::string source = text.substr(t.span.begin, t.span.end - t.span.begin);
      const std::string word =
          l.form == Form::yaml_map && t.text[0] == '-' ? t.text.substr(2) : t.text;
      EXPECT_TRUE(t.span.empty() || source.find(word) != source.npos) << source << word;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Templates, Templated,
    testing::Values(
        Row{"Chart", kChart,
            "--model-path <{{ .Values.model | quote }}> <--tp-size={{ .Values.tp }}> "
            "--trust-remoet-code --context-length <{{ .Values.context }}> <{{ . | quote }}> "
            "<{{- toYaml .Values.extraArgs | nindent 12 }}>",
            "HF_TOKEN=<{{ .Values.token | quote }}> SGLANG_LOG=x "
            "{{ $key }}=<{{ $value | quote }}>"},
        Row{"ScriptInFlow",
            "containers:\n- name: s\n  command: [\"sh\", \"-c\", \"python3 -m sglang.launch_server "
            "--model-path {{ .Values.model }} --tp {{ .Values.tp | default 8 }} --port 30000\"]\n",
            "--model-path <{{ .Values.model }}> --tp <{{ .Values.tp | default 8 }}> --port 30000"},
        Row{"QuotesInDoubleQuotes",
            "args:\n- --model-path\n- \"{{ default \"a/b: #c\" .Values.model }}\"\n- --tp\n- '{{ x "
            "| default('2') }}'\n",
            "--model-path <{{ default \"a/b: #c\" .Values.model }}> --tp <{{ x | default('2') }}>"},
        Row{"BlockScalar",
            "containers:\n- name: s\n  command:\n  - sh\n  - -c\n  - |\n"
            "    {{- if .Values.debug }}\n    set -x\n    {{- end }}\n"
            "    python3 -m sglang.launch_server \\\n"
            "      --model-path {{ .Values.model }} \\\n"
            "      {{- if .Values.trust }}\n      --trust-remote-code \\\n      {{- end }}\n"
            "      {{- range .Values.args }}\n      {{ . }} \\\n      {{- end }}\n"
            "      --tp {{ .Values.tp }}\n  env: []\n",
            "--model-path <{{ .Values.model }}> --trust-remote-code <{{ . }}> --tp <{{ .Values.tp "
            "}}>"},
        Row{"FoldedScalar",
            "containers:\n- name: s\n  args:\n  - >-\n    python3 -m sglang.launch_server\n"
            "    --model-path a\n"
            "    {{- with .Values.tp }}\n    --tp {{ . }}\n    {{- end }}\n"
            "    {{- .Values.extra | nindent 4 }}\n    --port 1\n  command: [bash, -c]\n",
            "--model-path a --tp <{{ . }}> <{{- .Values.extra | nindent 4 }}> --port 1"},
        Row{"InlineCondition",
            "args: [\"--model-path\", \"a\", \"--tp={{ if .Values.big }}8{{ else }}4{{ end }}\"]\n",
            "--model-path a <--tp={{ if .Values.big }}8{{ else }}4{{ end }}>"},
        Row{"Jinja",
            "services:\n  s:\n    image: lmsysorg/sglang:v0.5.18\n    command: >\n"
            "      python3 -m sglang.launch_server --model-path {{ model }}\n"
            "      {% if trust %}\n      --trust-remote-code\n      {% else %}\n      --skip\n"
            "      {% endif %}\n      --tp {{ tp }}\n    environment:\n"
            "      A: {{ a }}\n      {% for k, v in env.items() %}\n      {{ k }}: \"{{ v }}\"\n"
            "      {% endfor %}\n",
            "--model-path <{{ model }}> --trust-remote-code --tp <{{ tp }}>",
            "A=<{{ a }}> {{ k }}=<{{ v }}>"},
        Row{"Define",
            "{{- define \"a.name\" -}}\n{{ .Chart.Name }}\n{{- end }}\n"
            "{{ define \"a.labels\" }}\napp: x\n{{ end }}\n"
            "{{- define \"a.args\" -}}\n- --model-path\n- {{ .Values.model }}\n- --tp\n- \"2\"\n"
            "{{- end -}}\n",
            "--model-path <{{ .Values.model }}> --tp 2"},
        Row{"ArgsAreInserted",
            "containers:\n- name: s\n  image: lmsysorg/sglang:v0.5.18\n"
            "  command: [python3, -m, sglang.launch_server]\n  args:\n"
            "    {{- toYaml .Values.args | nindent 4 }}\n  env:\n  - name: A\n    value: \"1\"\n",
            "<{{- toYaml .Values.args | nindent 4 }}>", "A=1"},
        Row{"ItemsBehindInserted",
            "args:\n  {{- toYaml .Values.args | nindent 2 }}\n  - --model-path\n  - a\n",
            "<{{- toYaml .Values.args | nindent 2 }}> --model-path a"},
        Row{"CommandIsInserted",
            "image: sglang:{{ .Values.tag }}\ncommand: {{- toYaml .Values.command | nindent 2 }}\n"
            "args: [--model-path, a]\n",
            "<{{- toYaml .Values.command | nindent 2 }}> --model-path a"},
        Row{"Map",
            "model-path: a\ntp-size: {{ .Values.tp }}\n{{- if .Values.trust }}\n"
            "trust-remote-code: true\n{{- end }}\n{{ toYaml .Values.sglang }}\n",
            "--model-path a --tp-size <{{ .Values.tp }}> --trust-remote-code <{{ toYaml "
            ".Values.sglang }}>"},
        Row{"Key", "{{ .Values.role }}:\n  model-path: a\n  tp-size: 2\n",
            "--model-path a --tp-size 2"},
        Row{"Actions", "run: sglang serve --model-path a --tp ${{ matrix.tp }}\nname: ${{ x }}\n",
            "--model-path a --tp <${{ matrix.tp }}>"}),
    [](const testing::TestParamInfo<Row>& info) { return std::string(info.param.name); });

TEST(Templates, TheDefaultOfTheImageSaysTheRelease) {
  const ReadResult r = read(kChart);
  ASSERT_EQ(r.launches.size(), 1u);
  EXPECT_EQ(r.launches[0].release, Release::v0_5_17);
  std::string all;
  for (const std::string& a : r.launches[0].assumptions) all += a + "\n";
  EXPECT_EQ(all,
            "Image: lmsysorg/sglang:v0.5.17 for lmsysorg/sglang:{{ .Values.image.tag | default "
            "\"v0.5.17\" }}, by its defaults.\n"
            "What stands behind {{- if .Values.trust }}, {{- range .Values.more }}, {{- range "
            "$key, $value := .Values.env }} counts as given, and what stands behind else does "
            "not.\n");
}

TEST(Templates, AMisspeltFlagIsFixedInPlace) {
  const std::string text = kChart;
  const ReadResult r = read(text);
  ASSERT_EQ(r.launches.size(), 1u);
  std::vector<Token> after = r.launches[0].argv;
  after[3].text = "--trust-remote-code";
  after[2].text = "--tp={{ .Values.tp }}";
  Token more;
  more.text = "--disable-radix-cache";
  after.push_back(more);
  const auto edits = edit_source(text, r.launches[0], after, {{"SGLANG_LOG", "y"}});
  ASSERT_TRUE(edits);
  std::string want = text;
  const auto change = [&](const char* from, const char* to) {
    want.replace(want.find(from), std::string(from).size(), to);
  };
  change("--trust-remoet-code\n", "--trust-remote-code\n");
  change("--tp-size={", "--tp={");
  change("value: \"x\"", "value: \"y\"");
  change("nindent 12 }}\n          env",
         "nindent 12 }}\n            - --disable-radix-cache\n          env");
  EXPECT_EQ(apply_edits(text, *edits), want);
}

// Not behind items that a template may leave out, and not between a flag and its value.
TEST(Templates, ANewFlagStandsWhereNoConditionTakesItAway) {
  const std::string text =
      "args:\n- --model-path\n- a\n- --tp\n{{- if .Values.tp }}\n- {{ .Values.tp }}\n{{- end }}\n";
  const ReadResult r = read(text);
  ASSERT_EQ(r.launches.size(), 1u);
  std::vector<Token> after = r.launches[0].argv;
  Token more;
  more.text = "--disable-radix-cache";
  after.push_back(more);
  const auto edits = edit_source(text, r.launches[0], after, {});
  ASSERT_TRUE(edits);
  std::string want = text;
  want.replace(want.find("- --tp"), 0, "- --disable-radix-cache\n");
  EXPECT_EQ(apply_edits(text, *edits), want);
}

// A list of arguments holds strings: what is inserted gets quotes, unless it brings them.
TEST(Templates, AFlagAndItsValueBecomeTwoItems) {
  const char* const kRows[][2] = {
      {"- --tp {{ .Values.tp }}\n", "- --tp\n- \"{{ .Values.tp }}\"\n"},
      {"- \"--tp {{ .Values.tp }}\"\n", "- \"--tp\"\n- \"{{ .Values.tp }}\"\n"},
      {"- --tp {{ .Values.tp | quote }}\n", ""}};
  for (const auto& [item, want] : kRows) {
    const std::string head = "args:\n- --model-path\n- a\n", text = head + item;
    const ReadResult r = read(text);
    ASSERT_EQ(r.findings.size(), 1u) << text;
    EXPECT_EQ(r.findings[0].rule, &kSeveralWordsInOneItem);
    EXPECT_EQ(apply_edits(text, r.findings[0].edits), head + (*want ? want : item));
  }
}

TEST(Templates, NoEditTouchesATemplate) {
  const std::string text = kChart;
  const ReadResult r = read(text);
  ASSERT_EQ(r.launches.size(), 1u);
  const Launch& l = r.launches[0];
  EXPECT_FALSE(edit_source(text, l, l.argv, {{"HF_TOKEN", "y"}}));
  std::vector<Token> after = l.argv;
  after[1].text = "b";
  EXPECT_FALSE(edit_source(text, l, after, {}));
  after = l.argv;
  after.erase(after.begin(), after.begin() + 2);
  EXPECT_FALSE(edit_source(text, l, after, {}));
  // The last variable stands in a range: one more would be there many times.
  EXPECT_FALSE(edit_source(text, l, l.argv, {{"A", "1"}}));
}

TEST(Templates, WhatIsInsertedMayHoldTheRequiredFlags) {
  const ReadResult r = read(
      "containers:\n- name: s\n  image: lmsysorg/sglang:v0.5.18\n"
      "  command: [python3, -m, sglang.launch_server]\n  args:\n  - --tp\n  - \"2\"\n"
      "  {{- toYaml .Values.args | nindent 2 }}\n");
  ASSERT_EQ(r.launches.size(), 1u);
  EXPECT_FALSE(parse_arguments(kReferenceRelease, r.launches[0].argv, {}).error);
}

TEST(Templates, OneThatIsNotClosedIsFoundAtItsPlace) {
  const std::string text =
      "containers:\n- name: s\n  command: [python3, -m, sglang.launch_server]\n  args:\n"
      "  - --model-path\n  - {{ .Values.model\n  - --tp\n  - \"{{ .Values.tp }\"\n";
  const ReadResult r = read(text);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].rule, &kUnclosedTemplate);
  EXPECT_EQ(r.findings[0].span.begin, text.find("{{"));
  EXPECT_EQ(words_of(r).substr(0, 12), "--model-path");
}

TEST(Templates, YamlThatIsBrokenApartFromThemIsFoundAtItsPlace) {
  const std::string text =
      "{{- if .Values.x }}\nmodel-path: a\n{{- end }}\ntp-size: {{ .Values.tp }}\nport: 1: 2\n";
  const ReadResult r = read(text);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].rule, &kBrokenYaml);
  EXPECT_EQ(r.findings[0].span.begin, text.find(": 2\n"));
}

// A hang would be a time-out.
TEST(Templates, MuchOfOneThing) {
  for (const char* unit : {"{{",
                           "{{ ",
                           "{{\n",
                           "{{/*\n",
                           "{{/* */ x\n",
                           "{% ",
                           "{# ",
                           "{{ if x }}",
                           "{{ if x }}\n",
                           "{{ end }}",
                           "{{ else }}\n",
                           "{{ x }}\n",
                           "- {{ x }}\n",
                           "{{ x }}",
                           "{{ \"",
                           "{{ \"\n",
                           "\n",
                           "{{ if x }} y {{ end }}",
                           "{{ define }}\n",
                           "k:\n{{ x }}\n",
                           "{{ x }}\n\n#\n"}) {
    std::string text = "model-path: a\ntp-size: {{ .Values.tp }}\n";
    while (text.size() < (1 << 18)) text += unit;
    const ReadResult r = read(text);
    for (const Launch& l : r.launches) {
      for (const Token& t : l.argv) EXPECT_LE(t.span.end, text.size());
      std::vector<Token> after = l.argv;
      after.push_back(after.back());
      edit_source(text, l, after, {});
    }
  }
}

}  // namespace
}  // namespace sglint
