#include <cmath>

#include "native/gpu/cuda/measure/timing.h"
#include "native/gpu/cuda/selftest/lockstep.h"
#include "native/gpu/cuda/selftest/tests.h"

namespace sglint::gpu {
namespace {

constexpr int kDrafts = 6, kRows = 5, kSlots = 12;

struct Errors {
  double output = 0, state = 0, untouched = 0;
};

// Rounds of verify and fold against the reference; accepted counts from 0 to all, some rows tracked
// or padded.
Errors run(Device& device, const reference::Problem& p, Dtype dtype, int rounds, Fault fault) {
  const bool kda = p.gate == reference::Gate::kKda;
  const size_t K = p.head_k, V = p.head_v, H = p.k_heads, HV = p.v_heads,
               gates = p.gates_per_head();
  const size_t slot_size = p.state_size(), width = p.qkv_width();
  Tokens tokens(device, p, kRows, 23);
  reference::States states(p, kSlots);
  states.s = tokens.draw(kSlots * slot_size, 0, 0.3);
  reference::Window window(p, kSlots, kDrafts);
  Trial trial(device, tokens, {dtype, dtype, 0, false}, kSlots, Fault::kNone);
  trial.set_states(states.s);

  const size_t tokens_count = kRows * kDrafts;
  Array<__nv_bfloat16> qkv(device, tokens_count * width, "draft q, k, v"),
      a(device, tokens_count * HV * gates, "a"), b(device, tokens_count * HV, "b"),
      out(device, tokens_count * HV * V, "draft outputs"),
      window_v(device, kSlots * HV * kDrafts * V, "the window's v"),
      window_k(device, kSlots * H * kDrafts * K, "its k");
  Array<float> window_g(device, kSlots * HV * kDrafts * gates, "its g"),
      window_beta(device, kSlots * HV * kDrafts, "its beta");
  Array<int32_t> accepted(device, kRows, "accepted"), track_slot(device, kRows, "tracks"),
      track_step(device, kRows, "tracks");
  if (!device.ok()) return {NAN, NAN, NAN};

  Errors errors;
  double difference = 0, norm = 0;
  for (int round = 0; round < rounds && device.ok(); ++round) {
    std::vector<int32_t> slot(kRows), count(kRows);
    std::vector<reference::Track> track(kRows);
    std::vector<int32_t> tracked_slot(kRows), tracked_step(kRows);
    for (int row = 0; row < kRows; ++row) {
      slot[row] = (row * 2 + round) % (kSlots - 2);
      count[row] = static_cast<int32_t>(tokens.random() % (kDrafts + 1));
      // One slot that no row uses collects snapshots.
      if (row == round % kRows) track[row] = {kSlots - 1, count[row] - 1};
      tracked_slot[row] = track[row].slot, tracked_step[row] = track[row].step;
    }
    if (round % 3 == 2) slot[1] = -1;
    std::vector<reference::Step> steps;
    std::vector<__nv_bfloat16> all_qkv(qkv.size()), all_a(a.size()), all_b(b.size());
    auto gather = [&](std::vector<__nv_bfloat16>& to, const std::vector<double>& from, size_t each,
                      int t) {
      for (size_t row = 0; row < kRows; ++row)
        for (size_t i = 0; i < each; ++i)
          to[(row * kDrafts + t) * each + i] =
              __float2bfloat16_rn(static_cast<float>(from[row * each + i]));
    };
    for (int t = 0; t < kDrafts; ++t) {
      tokens.next();
      tokens.set_rows(slot, std::vector<int32_t>(kRows, 0));
      gather(all_qkv, tokens.step.qkv, width, t);
      gather(all_a, tokens.step.a, HV * gates, t);
      gather(all_b, tokens.step.b, HV, t);
      steps.push_back(tokens.step);
    }
    qkv.upload(all_qkv), a.upload(all_a), b.upload(all_b);
    accepted.upload(count), track_slot.upload(tracked_slot), track_step.upload(tracked_step);
    out.fill(0xff);

    const Gate gate = kda ? Gate::kKda : Gate::kGdn;
    VerifyParams v{tokens.heads,
                   tokens.gate,
                   kRows,
                   kDrafts,
                   qkv.data(),
                   a.data(),
                   b.data(),
                   tokens.slot.data(),
                   trial.states(),
                   out.data(),
                   kDrafts,
                   window_v.data(),
                   window_k.data(),
                   window_g.data(),
                   window_beta.data(),
                   fault};
    device.check(launch_verify(v, gate, dtype, device.stream()), "verify");
    const auto got = out.download();
    std::vector<double> want;
    const std::vector<double> before = states.s;
    verify(p, tokens.weights, steps, states, window, want);
    for (size_t t = 0; t < kDrafts; ++t)
      for (size_t row = 0; row < kRows; ++row)
        for (size_t i = 0; i < HV * V; ++i) {
          const double w = want[(t * kRows + row) * HV * V + i];
          const double g = __bfloat162float(got[(row * kDrafts + t) * HV * V + i]);
          difference += (g - w) * (g - w), norm += w * w;
        }
    // Verify leaves the states alone; what it read stays within the state's rounding of the
    // reference.
    for (int s = 0; s < kSlots; ++s) {
      const double e = relative_error(trial.state(s), &before[s * slot_size]);
      errors.untouched = std::isnan(e) || e > errors.untouched ? e : errors.untouched;
    }

    FoldParams f{tokens.heads,
                 kRows,
                 tokens.slot.data(),
                 accepted.data(),
                 track_slot.data(),
                 track_step.data(),
                 trial.states(),
                 kDrafts,
                 window_v.data(),
                 window_k.data(),
                 window_g.data(),
                 window_beta.data(),
                 fault};
    device.check(launch_fold(f, gate, dtype, device.stream()), "fold");
    fold(p, window, slot, count, track, states);
    for (int s = 0; s < kSlots; ++s) {
      const double e = relative_error(trial.state(s), &states.s[s * slot_size]);
      errors.state = std::isnan(e) || e > errors.state ? e : errors.state;
    }
  }
  errors.output = norm > 0 ? std::sqrt(difference / norm) : NAN;
  return errors;
}

}  // namespace

void test_speculative(Device& device, const Settings& settings, std::vector<Result>& results) {
  for (Gate gate : {Gate::kGdn, Gate::kKda})
    for (Dtype dtype : {Dtype::kF32, Dtype::kBf16}) {
      reference::Problem p;
      p.gate = gate == Gate::kKda ? reference::Gate::kKda : reference::Gate::kGdn;
      p.k_heads = 2;
      p.v_heads = gate == Gate::kKda ? 2 : 4;
      const Errors e =
          run(device, p, dtype, settings.depth == Depth::kQuick ? 12 : 40, settings.fault);
      const std::string rule =
          std::string("gpu/speculative/") + gate_name(gate) + "/" + dtype_name(dtype);
      const bool wide = dtype == Dtype::kF32;
      results.push_back(at_most(rule + "/verify-output", e.output, wide ? 2e-3 : 1.2e-2,
                                "relative error",
                                "outputs of the draft tokens differ from the fp64 reference"));
      results.push_back(at_most(rule + "/verify-reads-only", e.untouched, wide ? 1e-5 : 2e-2,
                                "relative error", "verify changed a state"));
      results.push_back(at_most(
          rule + "/folded-state", e.state, wide ? 1e-5 : 2e-2, "relative error",
          "a state, its rollback or its snapshot after the fold differs from the fp64 reference"));
    }
}

}  // namespace sglint::gpu
