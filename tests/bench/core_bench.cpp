// Times of the core. `./dev bench` prints them beside their budgets.
#include <benchmark/benchmark.h>

#include "sglint/sglint.h"

namespace {

// As people paste it: a launch with continuations, on a catalogue model.
constexpr const char* kAccepted =
    "python -m sglang.launch_server \\\n  --model-path Qwen/Qwen3-Next-80B-A3B-Instruct \\\n  --tp-size 4 \\\n"
    "  --mem-fraction-static 0.8 \\\n  --context-length 65536 \\\n  --linear-attn-decode-backend triton\n";
constexpr const char* kRejected =
    "python -m sglang.launch_server --model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp-size 4 "
    "--enable-linear-replayssm --linear-attn-decode-backend flashinfer\n";

void check_text(benchmark::State& state, const char* text) {
  sglint::Request request;
  request.text = text;
  request.machine = "h100";
  for (auto _ : state) {
    const sglint::Report report = sglint::check(request);
    benchmark::DoNotOptimize(report.launches.size());
  }
}

BENCHMARK_CAPTURE(check_text, accepted, kAccepted)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(check_text, rejected_with_fixes, kRejected)->Unit(benchmark::kMicrosecond);

void report_as_json(benchmark::State& state) {
  sglint::Request request;
  request.text = kAccepted;
  request.machine = "h100";
  const sglint::Report report = sglint::check(request);
  for (auto _ : state) benchmark::DoNotOptimize(sglint::to_json(report).size());
}
BENCHMARK(report_as_json)->Unit(benchmark::kMicrosecond);

}  // namespace
