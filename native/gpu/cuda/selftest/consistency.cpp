#include <algorithm>
#include <cmath>

#include "native/gpu/cuda/selftest/lockstep.h"
#include "native/gpu/cuda/selftest/tests.h"

namespace sglint::gpu {
namespace {

// Both sides round their outputs to bf16, so equal sums mostly give equal bits; the rest differs in
// the last bit.
double output_limit(Dtype state) {
  return state == Dtype::kF32 ? 1e-3 : state == Dtype::kBf16 ? 1.3e-2 : 3e-3;
}
double state_limit(Dtype state) {
  return state == Dtype::kF32 ? 2e-6 : state == Dtype::kBf16 ? 1.3e-2 : 2e-3;
}

struct Difference {
  double difference = 0, norm = 0;
  void add(const std::vector<float>& a, const std::vector<float>& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      difference += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
      norm += double(b[i]) * b[i];
    }
  }
  double relative() const {
    return norm == 0 ? std::sqrt(difference) : std::sqrt(difference / norm);
  }
};

}  // namespace

void test_consistency(Device& device, const Settings& settings, std::vector<Result>& results) {
  reference::Problem p;
  p.gate = settings.model.gate == Gate::kKda ? reference::Gate::kKda : reference::Gate::kGdn;
  p.k_heads = settings.model.heads.k_heads;
  p.v_heads = settings.model.heads.v_heads;
  p.head_k = settings.model.heads.head_k;
  p.head_v = settings.model.heads.head_v;
  if (settings.model.safe_gate) p.gate_lower_bound = -5;
  const int rows = 16, slots = 24, steps = settings.depth == Depth::kQuick ? 24 : 64;
  for (Dtype dtype : {Dtype::kF32, Dtype::kBf16}) {
    const std::string rule = std::string("gpu/consistency/") + dtype_name(dtype);
    Tokens tokens(device, p, rows, 5);
    const std::vector<double> states = tokens.draw(slots * p.state_size(), 0, 0.3);
    const int length = settings.ring_length;
    const std::vector<Variant> variants = {{dtype, dtype, length, false},
                                           {dtype, dtype, length, false},  // once more
                                           {dtype, dtype, length, true},
                                           {dtype, dtype, 0, false},
                                           {dtype, dtype, 0, true}};
    std::vector<Trial> trials;
    trials.reserve(variants.size());
    for (const Variant& v : variants) {
      trials.emplace_back(device, tokens, v, slots, settings.fault);
      trials.back().set_states(states);
    }
    Difference replay_simple, replay_plain, plain_simple;
    int differing = 0;
    std::vector<int32_t> order(slots), slot(rows), forced(rows);
    for (int i = 0; i < slots; ++i) order[i] = i;
    for (int step = 0; step < steps + 2 && device.ok(); ++step) {
      const bool end = step >= steps;  // two steps that flush every slot
      if (step % 3 == 0 || step == steps) std::shuffle(order.begin(), order.end(), tokens.random);
      for (int row = 0; row < rows; ++row) {
        const int i = end ? (step - steps) * rows + row : row;
        slot[row] = i < slots ? order[i] : -1;
        forced[row] = end || tokens.random() % 32 == 0;
      }
      tokens.next();
      tokens.set_rows(slot, forced);
      for (Trial& t : trials) t.step();
      const auto replay = trials[0].outputs(), plain = trials[3].outputs(),
                 exact = trials[4].outputs();
      if (trials[0].output_bits() != trials[1].output_bits()) ++differing;
      replay_simple.add(replay, trials[2].outputs());
      replay_plain.add(replay, exact);
      plain_simple.add(plain, exact);
    }
    if (trials[0].state_bits() != trials[1].state_bits()) ++differing;
    Difference state_simple, state_plain;
    for (int i = 0; i < slots && device.ok(); ++i) {
      state_simple.add(trials[0].state(i), trials[2].state(i));
      state_plain.add(trials[0].state(i), trials[4].state(i));
    }
    results.push_back(at_most(rule + "/determinism", differing, 0, "steps with other bits",
                              "two runs of the same steps do not give the same bits: a race"));
    results.push_back(at_most(rule + "/fast-against-simple", replay_simple.relative(),
                              output_limit(dtype), "relative error",
                              "the replay kernel differs from its simple version"));
    results.push_back(at_most(rule + "/fast-against-simple-state", state_simple.relative(),
                              state_limit(dtype), "relative error",
                              "states of the replay kernel differ from its simple version's"));
    results.push_back(at_most(rule + "/replay-against-plain", replay_plain.relative(),
                              output_limit(dtype), "relative error",
                              "buffered decode differs from plain decode"));
    results.push_back(at_most(rule + "/replay-against-plain-state", state_plain.relative(),
                              state_limit(dtype), "relative error",
                              "states of buffered decode differ from plain decode's"));
    results.push_back(at_most(rule + "/plain-against-simple", plain_simple.relative(),
                              output_limit(dtype), "relative error",
                              "the plain kernel differs from its simple version"));
  }
}

}  // namespace sglint::gpu
