#include <algorithm>
#include <cmath>
#include <cstdio>

#include "native/gpu/cuda/selftest/lockstep.h"
#include "native/gpu/cuda/selftest/tests.h"

namespace sglint::gpu {
namespace {

// Relative errors against fp64. An output is bf16, whose rounding alone is 1.7e-3. A 16-bit state
// is rounded on every step by plain decode and on every flush by replay: replay drifts less.
struct Limits {
  double output, state;
};
Limits limits(const Variant& v) {
  const bool replay = v.ring_length > 0;
  // A ring narrower than the state rounds every d that is kept: as a state of that type does on a
  // flush.
  switch (replay && v.state == Dtype::kF32 ? v.ring : v.state) {
    case Dtype::kF32:
      return {2e-3, 1e-5};
    case Dtype::kBf16:
      // A ring of one or two entries flushes, and so rounds, about as often as plain decode.
      return v.ring_length > 2 ? Limits{4e-3, 4e-3} : Limits{1.2e-2, 1.2e-2};
    case Dtype::kF16:
      return replay ? Limits{2.2e-3, 1e-3} : Limits{2.6e-3, 1.6e-3};
  }
  return {0, 0};
}
// bf16 states and rings, products on tensor cores.
Variant tensor_cores(int length, Tile tile = Tile::kAuto) {
  return {Dtype::kBf16, Dtype::kBf16, length, false, Products::kTensorCores, tile};
}
bool has_tensor_core_kernels(const Device& device) {
  int major = 0;
  return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device.index()) ==
             cudaSuccess &&
         major >= 9;
}
// Of one head of one row, against the limit of all: its norm can be small.
constexpr double kWorstRow = 12;
// Errors reach a plateau: the last quarter may not be worse than the second but for noise.
constexpr double kGrowth = 1.3;

void judge(const std::string& rule, const Variant& v, const Outcome& o,
           std::vector<Result>& results) {
  const Limits limit = limits(v);
  results.push_back(at_most(rule + "/output", o.output_error, limit.output, "relative error",
                            "outputs differ from the fp64 reference"));
  results.push_back(
      at_most(rule + "/worst-head", o.worst_row, kWorstRow * limit.output, "relative error",
              "one head of one row differs from the fp64 reference, or was not written"));
  results.push_back(at_most(rule + "/state", o.state_error, limit.state, "relative error",
                            "states differ from the fp64 reference after the last flush"));
  if (v.ring_length > 0)
    results.push_back(at_most(rule + "/flushed-state", o.flushed_error, 3 * limit.state,
                              "relative error",
                              "a slot's state was not up to date right after its forced flush"));
  if (!o.guards_intact)
    results.push_back({rule + "/guards", Verdict::kFail, 1, 0, "overwritten zones",
                       "memory beside an array changed"});
}

reference::Problem problem(Gate gate, int k_heads, int v_heads, int head_k = 128,
                           int head_v = 128) {
  reference::Problem p;
  p.gate = gate == Gate::kKda ? reference::Gate::kKda : reference::Gate::kGdn;
  p.k_heads = k_heads;
  p.v_heads = v_heads;
  p.head_k = head_k;
  p.head_v = head_v;
  return p;
}

}  // namespace

void test_numerics(Device& device, const Settings& settings, std::vector<Result>& results) {
  const bool tensor = has_tensor_core_kernels(device);
  if (!tensor)
    results.push_back({"gpu/numerics/tensor-cores", Verdict::kSkipped, 0, 0, "",
                       "kernels with products on tensor cores need compute capability 9.0"});
  struct Case {
    const char* name;
    Gate gate;
    bool safe;
  };
  for (const Case& c : {Case{"gdn", Gate::kGdn, false}, Case{"kda", Gate::kKda, false},
                        Case{"kda-safe-gate", Gate::kKda, true}}) {
    Scenario s;
    s.problem = problem(c.gate, 2, c.gate == Gate::kGdn ? 4 : 2);
    if (c.safe) s.problem.gate_lower_bound = -5;
    s.steps = settings.depth == Depth::kFull ? 960 : 512;
    s.seed = 11 + (c.safe ? 1 : 0);
    std::vector<Variant> variants;
    for (Dtype dtype : {Dtype::kF32, Dtype::kBf16, Dtype::kF16})
      for (int length : {0, 16}) variants.push_back({dtype, dtype, length, false});
    if (tensor)
      for (Tile tile : {Tile::kRows128, Tile::kRows64, Tile::kRows32})
        variants.push_back(tensor_cores(16, tile));
    const std::vector<Outcome> outcomes = run_lockstep(device, s, variants, settings.fault);
    for (size_t i = 0; i < variants.size(); ++i) {
      const std::string rule = std::string("gpu/numerics/") + c.name + "/" + variants[i].name();
      judge(rule, variants[i], outcomes[i], results);
      results.push_back(at_most(rule + "/growth", outcomes[i].growth, kGrowth,
                                "last quarter / second quarter",
                                "the error grows with the number of steps"));
    }
  }
}

void test_shapes(Device& device, const Settings& settings, std::vector<Result>& results) {
  const bool tensor = has_tensor_core_kernels(device);
  for (Gate gate : {Gate::kGdn, Gate::kKda}) {
    const std::string prefix = std::string("gpu/shapes/") + gate_name(gate);
    Scenario s;
    s.steps = settings.depth == Depth::kQuick ? 70 : 140;
    s.slots = 8;
    s.rows = 4;

    // Ring lengths around the sizes that the kernels work in, and a ring narrower or wider than the
    // state.
    s.problem = problem(gate, 1, 2);
    s.seed = 3;
    std::vector<Variant> variants;
    for (int length : {1, 2, 5, 15, 16, 17, 31, 32, 33, 64})
      variants.push_back({Dtype::kF32, Dtype::kF32, length, false});
    variants.push_back({Dtype::kF32, Dtype::kBf16, 16, false});
    variants.push_back({Dtype::kF32, Dtype::kF16, 40, false});
    variants.push_back({Dtype::kBf16, Dtype::kF32, 16, false});
    if (tensor)
      for (int length : {1, 2, 15, 17, 33, 64}) variants.push_back(tensor_cores(length));
    const std::vector<Outcome> outcomes = run_lockstep(device, s, variants, settings.fault);
    for (size_t i = 0; i < variants.size(); ++i) {
      const Variant& v = variants[i];
      judge(prefix + "/" + dtype_name(v.state) + "-ring-" + dtype_name(v.ring) + "-" +
                std::to_string(v.ring_length) +
                (v.products == Products::kTensorCores ? "-tensor-cores" : ""),
            v, outcomes[i], results);
    }

    // Head counts after tensor parallelism, and head dims.
    struct Shape {
      int k_heads, v_heads, head_k, head_v;
    };
    const std::vector<Shape> gdn = {{1, 1, 128, 128},  {2, 8, 128, 128}, {1, 8, 128, 128},
                                    {4, 12, 128, 128}, {2, 4, 64, 64},   {1, 2, 64, 128},
                                    {2, 2, 128, 64}};
    const std::vector<Shape> kda = {
        {1, 1, 128, 128}, {12, 12, 128, 128}, {3, 3, 64, 64}, {2, 4, 128, 64}};
    for (const Shape& shape : gate == Gate::kGdn ? gdn : kda) {
      s.problem = problem(gate, shape.k_heads, shape.v_heads, shape.head_k, shape.head_v);
      s.problem.round_beta_to_bf16 = shape.v_heads % 8 == 0;  // the other convention, once
      s.steps = settings.depth == Depth::kQuick ? 40 : 100;
      std::vector<Variant> some = {{Dtype::kF32, Dtype::kF32, 0, false},
                                   {Dtype::kF32, Dtype::kF32, 16, false},
                                   {Dtype::kBf16, Dtype::kBf16, 16, false}};
      if (tensor && shape.head_k == 128) some.push_back(tensor_cores(16));
      const std::vector<Outcome> o = run_lockstep(device, s, some, settings.fault);
      for (size_t i = 0; i < some.size(); ++i)
        judge(prefix + "/heads-" + std::to_string(shape.k_heads) + "x" +
                  std::to_string(shape.v_heads) + "-dims-" + std::to_string(shape.head_k) + "x" +
                  std::to_string(shape.head_v) + "/" + some[i].name(),
              some[i], o[i], results);
    }
  }
}

}  // namespace sglint::gpu
