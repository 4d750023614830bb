// The reader stays linear: 1 MiB in under 50 ms. `./dev bench` prints it beside its budget.
#include <benchmark/benchmark.h>

#include <string>

#include "read/launch.h"

namespace {

void read_repeated(benchmark::State& state, const char* unit) {
  std::string text;
  const std::string launch =
      "\nsglang serve --model-path a --tp 2\n";  // so that nothing is skipped
  while (text.size() + std::string(unit).size() + launch.size() <= sglint::kMaxText) text += unit;
  text += launch;
  for (auto _ : state) benchmark::DoNotOptimize(sglint::read(text).launches.size());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}

BENCHMARK_CAPTURE(
    read_repeated, log,
    "[2026-11-29 12:00:00 TP0] Load weight end. type=Qwen3, dtype=bf16, mem usage=13.1 GB.\n")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_repeated, script,
                  "# a remark\nexport A=1\necho \"$A\" 'b c' > log 2>&1\nmake -j2 all \\\n  x=y\n")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_repeated, yaml, "a:\n- b: c\n  d: 'e f'\n")->Unit(benchmark::kMillisecond);

void read_launch(benchmark::State& state) {
  const std::string text =
      "python -m sglang.launch_server \\\n  --model-path Qwen/Qwen3-Next-80B-A3B-Instruct \\\n  "
      "--tp-size 4 \\\n"
      "  --mem-fraction-static 0.8 \\\n  --json-model-override-args '{\"a\": 1}'\n";
  for (auto _ : state) benchmark::DoNotOptimize(sglint::read(text).launches.size());
}
BENCHMARK(read_launch)->Unit(benchmark::kMicrosecond);

}  // namespace
