// Helm charts from the text to the report: what is wrong is found and mended at its place, and no
// verdict rests on what a template writes.
#include <gtest/gtest.h>

#include "sglint/sglint.h"

namespace sglint {
namespace {

std::string chart(const std::string& args, const std::string& image = "lmsysorg/sglang:v0.5.18") {
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    {{- include \"x\" . | nindent 4 "
         "}}\nspec:\n  containers:\n  - name: s\n    image: " +
         image + "\n    command: [python3, -m, sglang.launch_server]\n    args:\n" + args +
         "    resources:\n      limits:\n        nvidia.com/gpu: {{ .Values.gpus }}\n";
}

Report report_of(const std::string& text) {
  Request request;
  request.text = text;
  request.machine = "h100x2";
  return check(request);
}

const std::string kModel = "    - --model-path\n    - Qwen/Qwen3-8B\n";

TEST(TemplateReports, ARightChartHasNoFinding) {
  const Report r = report_of(
      chart(kModel + "    - --tp\n    - {{ .Values.tp | quote }}\n    {{- if .Values.trust }}\n"
                     "    - --trust-remote-code\n    {{- end }}\n"
                     "    {{- toYaml .Values.extraArgs | nindent 4 }}\n"));
  ASSERT_EQ(r.launches.size(), 1u);
  EXPECT_EQ(r.launches[0].outcome, Outcome::ok);
  EXPECT_TRUE(r.launches[0].diagnostics.empty()) << r.launches[0].diagnostics[0].message;
  EXPECT_TRUE(r.diagnostics.empty());
  EXPECT_EQ(exit_code(r, "warning"), 0);
}

TEST(TemplateReports, TooManyGpusAreOnlySaidOfANumber) {
  const auto findings = [](const std::string& tp) {
    return report_of(chart(kModel + "    - --tp\n    - " + tp + "\n")).launches[0].diagnostics;
  };
  EXPECT_FALSE(findings("\"8\"").empty());
  EXPECT_TRUE(findings("\"{{ .Values.tp }}\"").empty());
  EXPECT_TRUE(findings("{{ .Values.tp | default 8 | quote }}").empty());
}

TEST(TemplateReports, AMisspeltFlagIsFoundAndFixedInPlace) {
  const std::string text = chart(kModel +
                                 "    {{- if .Values.trust }}\n    - --trust-remoet-code\n"
                                 "    {{- end }}\n    - --tp={{ .Values.tp }}\n");
  const Report r = report_of(text);
  ASSERT_EQ(r.launches.size(), 1u);
  ASSERT_FALSE(r.launches[0].diagnostics.empty());
  const Diagnostic& d = r.launches[0].diagnostics[0];
  EXPECT_EQ(d.rule, "arguments/unknown-flag");
  const size_t at = text.find("--trust-remoet-code");
  ASSERT_FALSE(d.spans.empty());
  EXPECT_EQ(d.spans[0].begin, at);
  ASSERT_FALSE(d.fixes.empty());
  ASSERT_EQ(d.fixes[0].edits.size(), 1u);
  EXPECT_EQ(d.fixes[0].edits[0].span.begin, at);
  EXPECT_EQ(d.fixes[0].edits[0].text, "--trust-remote-code");
}

TEST(TemplateReports, WhatIsInsertedMayNameTheModel) {
  for (const std::string& text :
       {chart("    - --port\n    - \"1\"\n    {{- toYaml .Values.args | nindent 4 }}\n"),
        std::string("python -m sglang.launch_server $EXTRA_ARGS")}) {
    const Report r = report_of(text);
    ASSERT_EQ(r.launches.size(), 1u);
    EXPECT_TRUE(r.launches[0].diagnostics.empty()) << r.launches[0].diagnostics[0].message;
  }
}

}  // namespace
}  // namespace sglint
