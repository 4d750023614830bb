// The CPU reference against itself: buffered decode equals plain decode, whatever the ring does.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <tuple>

#include "native/gpu/reference/gated_delta.h"

namespace sglint::gpu::reference {
namespace {

constexpr double kTolerance = 1e-12;

struct Stream {
  explicit Stream(Problem p, int rows, unsigned seed = 7) : problem(p), rows(rows), random(seed) {
    weights.a_log = draw(p.v_heads, 0, 1);
    weights.dt_bias = draw(static_cast<size_t>(p.v_heads) * p.gates_per_head(), -2, 0.5);
    if (p.gate == Gate::kMamba2) weights.d = draw(p.v_heads, 1, 0.5);
  }
  std::vector<double> draw(size_t n, double mean, double deviation) {
    std::normal_distribution<double> normal(mean, deviation);
    std::vector<double> x(n);
    for (double& v : x) v = normal(random);
    return x;
  }
  Step next(std::vector<int> slot) {
    Step x;
    x.rows = rows;
    x.qkv = draw(static_cast<size_t>(rows) * problem.qkv_width(), 0, 1);
    x.a = draw(static_cast<size_t>(rows) * problem.v_heads * problem.gates_per_head(), 0, 1);
    if (problem.gate != Gate::kMamba2)
      x.b = draw(static_cast<size_t>(rows) * problem.v_heads, 0, 1);
    x.slot = std::move(slot);
    return x;
  }
  Problem problem;
  int rows;
  Weights weights;
  std::mt19937 random;
};

double relative_error(const std::vector<double>& got, const std::vector<double>& want) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    difference += (got[i] - want[i]) * (got[i] - want[i]);
    norm += want[i] * want[i];
  }
  return norm == 0 ? std::sqrt(difference) : std::sqrt(difference / norm);
}

Problem small(Gate gate, int k_heads, int v_heads, int head_k = 16, int head_v = 8) {
  Problem p;
  p.gate = gate;
  p.k_heads = k_heads;
  p.v_heads = v_heads;
  p.head_k = head_k;
  p.head_v = head_v;
  return p;
}

// gate, ring length, value heads per key head, forced flushes, safe gate
using Case = std::tuple<Gate, int, int, bool, bool>;
class BufferedEqualsPlain : public ::testing::TestWithParam<Case> {};

TEST_P(BufferedEqualsPlain, OutputsAndFlushedStates) {
  const auto [gate, length, group, forced, safe] = GetParam();
  Problem p = small(gate, 2, 2 * group);
  if (safe) p.gate_lower_bound = -5;
  const int slots = 6;
  Stream stream(p, 4);
  States plain(p, slots), checkpoint(p, slots);
  plain.s = checkpoint.s = stream.draw(slots * p.state_size(), 0, 0.3);
  Ring ring(p, slots, length);
  // Unwritten entries must never be read.
  std::fill(ring.d.begin(), ring.d.end(), NAN);
  std::fill(ring.k.begin(), ring.k.end(), NAN);
  std::fill(ring.g.begin(), ring.g.end(), NAN);
  std::vector<double> want, got;
  int flushes = 0;
  for (int step = 0; step < 3 * length + 20; ++step) {
    // Rows come, go and move, so that the slots stand at different positions of their rings.
    std::vector<int> slot = {step % 6, (step + 2) % 6, step % 3 == 0 ? -1 : (step + 3) % 6,
                             (step + 5) % 6};
    Step x = stream.next(slot);
    if (forced) x.force_flush = {step % 5 == 1, 0, step % 7 == 2, step % 3 == 0};
    decode_plain(p, stream.weights, x, plain, want);
    decode_replay(p, stream.weights, x, checkpoint, ring, got);
    ASSERT_LE(relative_error(got, want), kTolerance) << "step " << step;
    for (int row = 0; row < x.rows; ++row) {
      if (slot[row] < 0 || ring.cursor[slot[row]] != 0) continue;
      ++flushes;
      const size_t n = p.state_size();
      auto part = [&](const States& s) {
        return std::vector<double>(s.s.begin() + slot[row] * n, s.s.begin() + (slot[row] + 1) * n);
      };
      ASSERT_LE(relative_error(part(checkpoint), part(plain)), kTolerance) << "step " << step;
    }
  }
  EXPECT_GT(flushes, 0);
}

const char* name_of(Gate gate) {
  return gate == Gate::kGdn ? "gdn" : gate == Gate::kKda ? "kda" : "mamba2";
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  const auto [gate, length, group, forced, safe] = info.param;
  return std::string(name_of(gate)) + (safe ? "Safe" : "") + "L" + std::to_string(length) + "x" +
         std::to_string(group) + (forced ? "Forced" : "");
}

INSTANTIATE_TEST_SUITE_P(Gdn, BufferedEqualsPlain,
                         ::testing::Combine(::testing::Values(Gate::kGdn),
                                            ::testing::Values(1, 2, 3, 4, 8, 16, 17, 32, 64),
                                            ::testing::Values(1, 2, 4), ::testing::Bool(),
                                            ::testing::Values(false)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Kda, BufferedEqualsPlain,
                         ::testing::Combine(::testing::Values(Gate::kKda),
                                            ::testing::Values(1, 2, 3, 4, 8, 16, 17, 32, 64),
                                            ::testing::Values(1, 2), ::testing::Bool(),
                                            ::testing::Bool()),
                         case_name);

INSTANTIATE_TEST_SUITE_P(Mamba2, BufferedEqualsPlain,
                         ::testing::Combine(::testing::Values(Gate::kMamba2),
                                            ::testing::Values(1, 2, 3, 4, 8, 16, 17, 32, 64),
                                            ::testing::Values(1, 2, 8), ::testing::Bool(),
                                            ::testing::Values(false)),
                         case_name);

// selective_state_update by hand: two heads of one group, two channels of the state, one of x.
TEST(DecodePlain, Mamba2MatchesItsFormulaByHand) {
  Problem p = small(Gate::kMamba2, 1, 2, 2, 1);
  Weights w{{0.0, 0.5}, {0.25, -0.5}, {0.0, 2.0}};
  States states(p, 1);
  states.s = {3, -1, 0.5, 4};
  // C | B | x, dt, no b
  Step x{1, {0.5, -2, 3, 0.25, 5, 7}, {0.75, 1.5}, {}, {0}, {}};
  std::vector<double> out;
  decode_plain(p, w, x, states, out);
  const double dt[2] = {std::log(1 + std::exp(1.0)), std::log(1 + std::exp(1.0))};
  const double decay[2] = {std::exp(-dt[0]), std::exp(-std::exp(0.5) * dt[1])};
  const double s[4] = {3 * decay[0] + dt[0] * 5 * 3, -decay[0] + dt[0] * 5 * 0.25,
                       0.5 * decay[1] + dt[1] * 7 * 3, 4 * decay[1] + dt[1] * 7 * 0.25};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(states.s[i], s[i], 1e-13);
  EXPECT_NEAR(out[0], 0.5 * s[0] - 2 * s[1], 1e-13);
  EXPECT_NEAR(out[1], 0.5 * s[2] - 2 * s[3] + 2 * 7, 1e-13);
}

// The recurrence written out by hand for one head of two channels.
TEST(DecodePlain, MatchesTheFormulaByHand) {
  Problem p = small(Gate::kKda, 1, 1, 2, 1);
  p.scale = 0.5;
  Weights w{{0.0}, {0.0, 0.5}, {}};
  States states(p, 1);
  states.s = {3, -1};
  Step x{1, {3, 4, 0, 2, 5}, {0.25, -0.5}, {0.0}, {0}, {}};
  std::vector<double> out;
  decode_plain(p, w, x, states, out);
  const double q0 = 3 / std::sqrt(25 + 1e-6) * 0.5, q1 = 4 / std::sqrt(25 + 1e-6) * 0.5;
  const double k1 = 2 / std::sqrt(4 + 1e-6);
  const double s0 = 3 * std::exp(-std::log(1 + std::exp(0.25)));
  const double s1 = -1 * std::exp(-std::log(1 + std::exp(0.0)));
  const double d = 0.5 * (5 - s1 * k1);
  EXPECT_NEAR(states.s[0], s0, 1e-15);
  EXPECT_NEAR(states.s[1], s1 + d * k1, 1e-15);
  EXPECT_NEAR(out[0], s0 * q0 + (s1 + d * k1) * q1, 1e-15);
}

TEST(DecodePlain, ValueHeadsShareTheirKeyHead) {
  Problem p = small(Gate::kGdn, 2, 6);
  Stream stream(p, 1);
  stream.weights.a_log.assign(6, 0.1);
  stream.weights.dt_bias.assign(6, 0.2);
  Step x = stream.next({0});
  for (int hv = 1; hv < 6; ++hv)
    std::copy_n(x.qkv.end() - 6 * p.head_v, p.head_v, x.qkv.end() - (6 - hv) * p.head_v);
  x.a.assign(6, 0.3);
  x.b.assign(6, 0.4);
  States states(p, 1);
  std::vector<double> out;
  decode_plain(p, stream.weights, x, states, out);
  // Equal values, gates and states: the heads of one group agree, the two groups differ.
  for (int i = 0; i < p.head_v; ++i) {
    EXPECT_EQ(out[i], out[2 * p.head_v + i]);
    EXPECT_EQ(out[3 * p.head_v + i], out[5 * p.head_v + i]);
    EXPECT_NE(out[i], out[3 * p.head_v + i]);
  }
}

TEST(DecodeReplay, PaddedRowsTouchNothing) {
  Problem p = small(Gate::kGdn, 1, 2);
  Stream stream(p, 2);
  States states(p, 2);
  states.s = stream.draw(2 * p.state_size(), 0, 1);
  Ring ring(p, 2, 4);
  const auto s = states.s, d = ring.d;
  std::vector<double> out;
  decode_replay(p, stream.weights, stream.next({-1, -1}), states, ring, out);
  EXPECT_EQ(states.s, s);
  EXPECT_EQ(ring.d, d);
  EXPECT_EQ(ring.cursor, (std::vector<int>{0, 0}));
  EXPECT_EQ(out, std::vector<double>(out.size(), 0.0));
}

TEST(DecodeReplay, CopiedSlotContinuesLikeItsSource) {
  Problem p = small(Gate::kKda, 1, 1);
  Stream stream(p, 1);
  States states(p, 2);
  Ring ring(p, 2, 8);
  std::vector<double> out, copy;
  for (int step = 0; step < 5; ++step) {
    Step x = stream.next({0});
    x.force_flush = {step == 4};
    decode_replay(p, stream.weights, x, states, ring, out);
  }
  ring.cursor[1] = 3;  // left by an earlier request
  copy_slot(p, states, ring, 0, 1);
  for (int step = 0; step < 12; ++step) {
    Step x = stream.next({0});
    decode_replay(p, stream.weights, x, states, ring, out);
    x.slot = {1};
    decode_replay(p, stream.weights, x, states, ring, copy);
    ASSERT_EQ(out, copy);
  }
}

TEST(DecodePlain, BetaRoundingIsAConvention) {
  Problem p = small(Gate::kGdn, 1, 1);
  Stream stream(p, 1);
  Step x = stream.next({0});
  States exact(p, 1), rounded(p, 1);
  std::vector<double> a, b;
  decode_plain(p, stream.weights, x, exact, a);
  p.round_beta_to_bf16 = true;
  decode_plain(p, stream.weights, x, rounded, b);
  const double error = relative_error(b, a);
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 1.0 / 256);
}

class VerifyAndFold : public ::testing::TestWithParam<Gate> {};

TEST_P(VerifyAndFold, EqualsPlainDecodeOfTheAcceptedTokens) {
  Problem p = small(GetParam(), 2, 4);
  const int rows = 4, slots = 7, drafts = 5;
  Stream stream(p, rows);
  States states(p, slots);
  states.s = stream.draw(slots * p.state_size(), 0, 1);
  const std::vector<int> slot = {3, -1, 0, 5}, accepted = {2, 3, 0, 5};
  std::vector<Step> steps;
  for (int t = 0; t < drafts; ++t) steps.push_back(stream.next(slot));

  States plain = states;
  std::vector<States> after;
  std::vector<double> want, one, got;
  for (const Step& x : steps) {
    decode_plain(p, stream.weights, x, plain, one);
    want.insert(want.end(), one.begin(), one.end());
    after.push_back(plain);
  }
  Window window(p, slots, drafts);
  const States before = states;
  verify(p, stream.weights, steps, states, window, got);
  EXPECT_LE(relative_error(got, want), kTolerance);
  EXPECT_EQ(states.s, before.s);

  fold(p, window, slot, accepted, {{6, 1}, {1, 0}, {2, 0}, {4, -1}}, states);
  const size_t n = p.state_size();
  auto part = [n](const States& s, int at) {
    return std::vector<double>(s.s.begin() + at * n, s.s.begin() + (at + 1) * n);
  };
  EXPECT_LE(relative_error(part(states, 3), part(after[1], 3)), kTolerance);
  EXPECT_EQ(part(states, 0), part(before, 0));  // nothing accepted: rolled back by not folding
  EXPECT_LE(relative_error(part(states, 5), part(after[4], 5)), kTolerance);
  EXPECT_LE(relative_error(part(states, 6), part(after[1], 3)), kTolerance);  // tracked
  for (int untouched : {1, 2, 4}) EXPECT_EQ(part(states, untouched), part(before, untouched));
}

INSTANTIATE_TEST_SUITE_P(Gates, VerifyAndFold,
                         ::testing::Values(Gate::kGdn, Gate::kKda, Gate::kMamba2),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace sglint::gpu::reference
