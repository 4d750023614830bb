// The reader stays linear: 1 MiB in under 50 ms, whatever it is full of. `./dev bench` prints it
// beside its budget.
#include <benchmark/benchmark.h>

#include <string>

#include "arguments/arguments.h"
#include "read/launch.h"

namespace {

void read_text(benchmark::State& state, const std::string& text) {
  for (auto _ : state) benchmark::DoNotOptimize(sglint::read(text).launches.size());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}

// `unit` up to 1 MiB, with a launch at the end so that nothing is skipped.
void repeated(benchmark::State& state, const char* unit) {
  const std::string launch = "\nsglang serve --model-path a --tp 2\n";
  const std::string_view part = unit;
  std::string text;
  while (text.size() + part.size() + launch.size() <= sglint::kMaxText) text += part;
  read_text(state, text + launch);
}

// One argument list of 1 MiB.
void words(benchmark::State& state, const char* unit) {
  std::string text = "sglang serve --model-path a";
  const std::string_view part = unit;
  while (text.size() + part.size() <= sglint::kMaxText) text += part;
  read_text(state, text);
}

// What people paste.
#define TEXT(name, unit) BENCHMARK_CAPTURE(repeated, name, unit)->Unit(benchmark::kMillisecond)
TEXT(log,
     "[2026-11-29 12:00:00 TP0] Load weight end. type=Qwen3, dtype=bf16, mem usage=13.1 GB.\n");
TEXT(script, "# a remark\nexport A=1\necho \"$A\" 'b c' > log 2>&1\nmake -j2 all \\\n  x=y\n");
TEXT(prose, "It's what you'd run on a host with 8 GPUs, see https://example.com/x?y=z (or not).\n");
TEXT(markdown, "Some prose\n\n```bash\nls -l\n```\n\n* `a` and `b`\n");
TEXT(yaml, "a:\n- b: c\n  d: 'e f'\n");
TEXT(yaml_model, "- name: model\n  image: sglang\n  args: [a, b]\n  n: {x: 1}\n");
TEXT(json, "{\"a\": [\"b\", 1, {\"c\": \"sglang\"}]}\n");
TEXT(python, "def f(x):\n    y = [\"a\", 'b', x]  # remark\n    return g(y, f\"{x}\")\n");
TEXT(powershell, "$env:A = \"1\"\nGet-Item `\n  -Path 'b c' | Out-Null\n");
TEXT(cmd, "set A=1\necho %A% ^\n  x \"b c\"\n");
TEXT(dockerfile, "FROM x\nRUN a \\\n  && b\nENV A=1\nCMD [\"a\", \"b\"]\n");
TEXT(systemd, "[Service]\nEnvironment=A=1\nExecStart=/bin/a b \\\n  c\n");
TEXT(launches, "sglang serve --model-path a --tp 2\n");

// What nobody pastes but a fuzzer.
TEXT(inline_code, "x `sglang`");
TEXT(inline_code_lines, "x `sglang` y\n");
TEXT(dashes, "- - ");
TEXT(dollar_brace, "${");
TEXT(dollar_paren, "\"$(");
TEXT(quotes, "\"'");
TEXT(brackets, "[");
TEXT(braces, "{a: ");
TEXT(lists, "[\"--model\",");
TEXT(placeholders, "<a {{");
TEXT(triples, "'''");
TEXT(continuations, "x\\\n");
TEXT(comments, "#\n");
TEXT(backticks, "`");
TEXT(prompts, "a@b:~$ ");
TEXT(heredocs, "<<E\n");
TEXT(anchors, "&a [*a, ");
TEXT(variables, "A=$A$A\n");
#undef TEXT

BENCHMARK_CAPTURE(words, flags, " --a b")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(words, braces, " {\"a\"")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(words, dashes,
                  " \xE2\x80\x93"
                  "a")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(words, quoted, " 'sglang x'")->Unit(benchmark::kMillisecond);

const char* const kLaunch =
    "python -m sglang.launch_server \\\n  --model-path Qwen/Qwen3-Next-80B-A3B-Instruct \\\n  "
    "--tp-size 4 \\\n  --mem-fraction-static 0.8 \\\n  --json-model-override-args '{\"a\": 1}' \\\n"
    "  --reasoning-parser qwen3 --trust-remote-code --port 30000 --host 0.0.0.0\n";

void read_launch(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sglint::read(kLaunch).launches.size());
}
BENCHMARK(read_launch)->Unit(benchmark::kMicrosecond);

// At most 10 µs for a usual command.
void parse_launch(benchmark::State& state) {
  const sglint::ReadResult result = sglint::read(kLaunch);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        sglint::parse_arguments(sglint::kReferenceRelease, result.launches[0].argv, {}).error);
}
BENCHMARK(parse_launch)->Unit(benchmark::kMicrosecond);

}  // namespace
