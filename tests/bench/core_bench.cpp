// Times of the core. `./dev bench` prints them beside their budgets.
#include <benchmark/benchmark.h>

#include "sglint/sglint.h"

namespace {

// As people paste it: a launch with continuations, on a catalogue model.
constexpr const char* kAccepted =
    "python -m sglang.launch_server \\\n  --model-path Qwen/Qwen3-Next-80B-A3B-Instruct \\\n  "
    "--tp-size 4 \\\n"
    "  --mem-fraction-static 0.8 \\\n  --context-length 65536 \\\n  --linear-attn-decode-backend "
    "triton\n";
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

// As the page asks for it after each keystroke: 15 machines, three releases.
void matrix_15_by_3(benchmark::State& state, const char* text) {
  sglint::Request request;
  request.text = text;
  sglint::MatrixOptions over;
  over.releases = {"0.5.16", "0.5.17", "0.5.18"};
  for (auto _ : state)
    benchmark::DoNotOptimize(sglint::to_json(sglint::matrix(request, over)).size());
}
BENCHMARK_CAPTURE(matrix_15_by_3, accepted, kAccepted)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(matrix_15_by_3, rejected, kRejected)->Unit(benchmark::kMillisecond);

void report_as_json(benchmark::State& state) {
  sglint::Request request;
  request.text = kAccepted;
  request.machine = "h100";
  const sglint::Report report = sglint::check(request);
  for (auto _ : state) benchmark::DoNotOptimize(sglint::to_json(report).size());
}
BENCHMARK(report_as_json)->Unit(benchmark::kMicrosecond);

}  // namespace
