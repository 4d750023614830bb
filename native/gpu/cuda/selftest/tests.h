// The self-test of one GPU, in the order in which it runs: what must be right first, then how fast
// it is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "native/gpu/cuda/measure/timing.h"
#include "native/gpu/cuda/selftest/result.h"

namespace sglint::gpu {

enum class Depth { kQuick, kNormal, kFull };

// The model whose shapes are timed: heads of one GPU, after tensor parallelism.
struct ModelShape {
  std::string name = "qwen3-next";
  Gate gate = Gate::kGdn;
  Heads heads = {16, 32, 128, 128};
  bool safe_gate = false;
  int layers = 0;  // of linear attention; 0: unknown
};

struct Settings {
  Depth depth = Depth::kNormal;
  ModelShape model;
  Dtype state = Dtype::kF32;
  int ring_length = 16;
  std::vector<int> batches;  // to time; empty: chosen by depth
  Fault fault = Fault::kNone;
  std::function<void(const Result&)> progress;  // may be empty
};

struct Timing {
  int rows = 0;
  double plain_us = 0, cycle_us = 0, mixed_us = 0;
  double plain_floor_us = 0, replay_floor_us = 0;
};

struct GpuReport {
  std::vector<Result> results;
  Ceilings ceilings;
  std::vector<Timing> timings;
};

// Kernels against the CPU reference (fp64), in lockstep over random traffic.
void test_numerics(Device& device, const Settings& settings, std::vector<Result>& results);
// Ring lengths, head groupings and head dims, in short runs.
void test_shapes(Device& device, const Settings& settings, std::vector<Result>& results);
// Buffered against plain, fast against simple, run against run, at the model's shape.
void test_consistency(Device& device, const Settings& settings, std::vector<Result>& results);
// Speculative verify and fold.
void test_speculative(Device& device, const Settings& settings, std::vector<Result>& results);
// Copy and read against what this card should reach; kernel times against the floor; whether replay
// pays.
void test_speed(Device& device, const Settings& settings, GpuReport& report);

GpuReport run_selftest(int device, const Settings& settings);

}  // namespace sglint::gpu
