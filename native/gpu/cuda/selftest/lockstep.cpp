#include "native/gpu/cuda/selftest/lockstep.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "native/gpu/cuda/measure/timing.h"

namespace sglint::gpu {
namespace {

std::vector<__nv_bfloat16> to_bf16(const std::vector<double>& x) {
  std::vector<__nv_bfloat16> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = __float2bfloat16_rn(static_cast<float>(x[i]));
  return y;
}

float load(const unsigned char* from, size_t i, Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return reinterpret_cast<const float*>(from)[i];
    case Dtype::kBf16:
      return __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(from)[i]);
    case Dtype::kF16:
      return __half2float(reinterpret_cast<const __half*>(from)[i]);
  }
  return 0;
}

void store(unsigned char* to, size_t i, Dtype dtype, float x) {
  switch (dtype) {
    case Dtype::kF32:
      reinterpret_cast<float*>(to)[i] = x;
      break;
    case Dtype::kBf16:
      reinterpret_cast<__nv_bfloat16*>(to)[i] = __float2bfloat16_rn(x);
      break;
    case Dtype::kF16:
      reinterpret_cast<__half*>(to)[i] = __float2half_rn(x);
      break;
  }
}

struct Sums {
  double difference = 0, norm = 0;
  void add(double got, double want) {
    difference += (got - want) * (got - want);
    norm += want * want;
  }
  void add(const Sums& o) { difference += o.difference, norm += o.norm; }
  // NaN stays NaN: an unwritten output never passes.
  double relative() const {
    return norm == 0 ? std::sqrt(difference) : std::sqrt(difference / norm);
  }
};

double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

}  // namespace

double relative_error(const std::vector<float>& got, const double* want) {
  Sums sums;
  for (size_t i = 0; i < got.size(); ++i) sums.add(got[i], want[i]);
  return sums.relative();
}

Tokens::Tokens(Device& device, const reference::Problem& p, int rows, unsigned seed)
    : random(seed), device_(device), problem_(p) {
  const size_t gates = p.gates_per_head(), n = rows;
  heads = {p.k_heads, p.v_heads, p.head_k, p.head_v};
  weights.a_log = draw(p.v_heads, 0, 0.7);
  weights.dt_bias = draw(p.v_heads * gates, -2, 0.5);
  step.rows = rows;
  qkv = Array<__nv_bfloat16>(device, n * p.qkv_width(), "q, k, v");
  a = Array<__nv_bfloat16>(device, n * p.v_heads * gates, "a");
  b = Array<__nv_bfloat16>(device, n * p.v_heads, "b");
  a_log = Array<float>(device, p.v_heads, "A_log");
  dt_bias = Array<float>(device, p.v_heads * gates, "dt_bias");
  slot = Array<int32_t>(device, n, "slots");
  force_flush = Array<int32_t>(device, n, "forced flushes");
  if (!device.ok()) return;
  a_log.upload(std::vector<float>(weights.a_log.begin(), weights.a_log.end()));
  dt_bias.upload(std::vector<float>(weights.dt_bias.begin(), weights.dt_bias.end()));
  gate = {a_log.data(),
          dt_bias.data(),
          1 / std::sqrt(static_cast<float>(p.head_k)),
          static_cast<float>(p.gate_lower_bound.value_or(0)),
          p.gate_lower_bound.has_value(),
          p.round_beta_to_bf16};
}

std::vector<double> Tokens::draw(size_t n, double mean, double deviation) {
  std::normal_distribution<float> normal(static_cast<float>(mean), static_cast<float>(deviation));
  std::vector<double> x(n);
  for (double& v : x) v = __bfloat162float(__float2bfloat16_rn(normal(random)));
  return x;
}

void Tokens::next() {
  step.qkv = draw(qkv.size(), 0, 1);
  step.a = draw(a.size(), 0, 1);
  step.b = draw(b.size(), 0, 1);
  if (!device_.ok()) return;
  qkv.upload(to_bf16(step.qkv));
  a.upload(to_bf16(step.a));
  b.upload(to_bf16(step.b));
}

void Tokens::set_rows(const std::vector<int32_t>& slots, const std::vector<int32_t>& forced) {
  step.slot = slots;
  step.force_flush = forced;
  if (!device_.ok()) return;
  slot.upload(slots);
  force_flush.upload(forced);
}

std::string Variant::name() const {
  std::string n = dtype_name(state);
  if (ring_length == 0) return n + (simple ? "/plain-simple" : "/plain");
  n += simple ? "/replay-simple" : "/replay";
  if (products == Products::kTensorCores) n += "-tensor-cores";
  if (tile != Tile::kAuto) n += "-" + std::to_string(static_cast<int>(tile) * 16);
  return n;
}

Trial::Trial(Device& device, const Tokens& tokens, const Variant& v, int slots, Fault fault)
    : device_(device), tokens_(tokens), variant_(v), fault_(fault) {
  const Heads& h = tokens.heads;
  const size_t K = h.head_k, V = h.head_v, HV = h.v_heads, n = slots,
               L = std::max(v.ring_length, 1);
  const bool kda = tokens.a.size() != tokens.b.size();
  slot_size_ = HV * V * K;
  states_ = Array<unsigned char>(device, n * slot_size_ * dtype_bytes(v.state), "states");
  ring_d_ = Array<unsigned char>(device, n * HV * L * V * dtype_bytes(v.ring), "the ring's d");
  ring_k_ = Array<__nv_bfloat16>(device, n * h.k_heads * L * K, "the ring's k");
  ring_k_rnorm_ = Array<float>(device, n * h.k_heads * L, "the ring's norms");
  ring_g_ = Array<float>(device, n * HV * L * (kda ? K : 1), "the ring's g");
  out_ = Array<__nv_bfloat16>(device, tokens.step.rows * HV * V, "outputs");
  cursor_ = Array<int32_t>(device, n, "cursors");
  write_pos_ = Array<int32_t>(device, tokens.step.rows, "write positions");
  if (!device.ok()) return;
  // All ones is NaN in every floating type: an entry that nobody wrote is noticed when it is read.
  ring_d_.fill(0xff);
  ring_k_.fill(0xff);
  ring_k_rnorm_.fill(0xff);
  ring_g_.fill(0xff);
  cursor_.fill(0);
  write_pos_.fill(0);
  graph_.capture(device, [&] { return launch(); });
}

cudaError_t Trial::launch() {
  const bool kda = tokens_.a.size() != tokens_.b.size();
  CursorParams c{tokens_.step.rows,
                 variant_.ring_length,
                 tokens_.slot.data(),
                 tokens_.force_flush.data(),
                 cursor_.data(),
                 write_pos_.data(),
                 fault_};
  if (variant_.ring_length > 0)
    if (cudaError_t e = launch_gather_cursors(c, device_.stream()); e != cudaSuccess) return e;
  DecodeParams p{};
  p.heads = tokens_.heads;
  p.gate = tokens_.gate;
  p.rows = tokens_.step.rows;
  p.qkv = tokens_.qkv.data(), p.a = tokens_.a.data(), p.b = tokens_.b.data();
  p.slot = tokens_.slot.data();
  p.state = states_.data();
  p.out = out_.data();
  p.ring_length = variant_.ring_length;
  p.ring_dtype = variant_.ring;
  p.ring_d = ring_d_.data(), p.ring_k = ring_k_.data(), p.ring_k_rnorm = ring_k_rnorm_.data();
  p.ring_g = ring_g_.data();
  p.write_pos = write_pos_.data(), p.force_flush = tokens_.force_flush.data();
  p.products = variant_.products;
  p.fault = fault_;
  const Gate gate = kda ? Gate::kKda : Gate::kGdn;
  if (cudaError_t e = variant_.simple
                          ? launch_decode_simple(p, gate, variant_.state, device_.stream())
                          : launch_decode(p, gate, variant_.state, device_.stream(), variant_.tile);
      e != cudaSuccess || variant_.ring_length == 0)
    return e;
  return launch_advance_cursors(c, device_.stream());
}

void Trial::set_states(const std::vector<double>& states) {
  std::vector<unsigned char> bytes(states.size() * dtype_bytes(variant_.state));
  for (size_t i = 0; i < states.size(); ++i)
    store(bytes.data(), i, variant_.state, static_cast<float>(states[i]));
  if (device_.ok()) states_.upload(bytes);
}

void Trial::set_slot(int slot, const std::vector<double>* state) {
  if (!device_.ok()) return;
  const size_t size = slot_size_ * dtype_bytes(variant_.state);
  if (state == nullptr) {
    device_.fill(states_.data() + slot * size, 0, size);
  } else {
    std::vector<unsigned char> bytes(size);
    for (size_t i = 0; i < slot_size_; ++i)
      store(bytes.data(), i, variant_.state, static_cast<float>((*state)[i]));
    device_.upload(states_.data() + slot * size, bytes.data(), size);
  }
  device_.fill(cursor_.data() + slot, 0, sizeof(int32_t));
}

void Trial::copy_slot(int from, int to) {
  if (!device_.ok()) return;
  const size_t size = slot_size_ * dtype_bytes(variant_.state);
  device_.copy(states_.data() + to * size, states_.data() + from * size, size);
  if (!(kFaultInjection && fault_ == Fault::kCopyKeepsCursor))
    device_.fill(cursor_.data() + to, 0, sizeof(int32_t));
}

void Trial::step() {
  if (!device_.ok()) return;
  out_.fill(0xff);
  graph_.replay(device_);
}

std::vector<float> Trial::outputs() const {
  std::vector<float> x(out_.size(), NAN);
  if (!device_.ok()) return x;
  const auto bf16 = out_.download();
  for (size_t i = 0; i < x.size(); ++i) x[i] = __bfloat162float(bf16[i]);
  return x;
}

std::vector<float> Trial::state(int slot) const {
  std::vector<float> x(slot_size_, NAN);
  if (!device_.ok()) return x;
  const size_t size = slot_size_ * dtype_bytes(variant_.state);
  const auto bytes = states_.download(slot * size, size);
  for (size_t i = 0; i < slot_size_; ++i) x[i] = load(bytes.data(), i, variant_.state);
  return x;
}

std::vector<unsigned char> Trial::output_bits() const {
  std::vector<unsigned char> bits;
  if (!device_.ok()) return bits;
  const auto out = out_.download();
  bits.resize(out.size() * sizeof(out[0]));
  std::memcpy(bits.data(), out.data(), bits.size());
  return bits;
}

std::vector<unsigned char> Trial::state_bits() const {
  return device_.ok() ? states_.download() : std::vector<unsigned char>();
}

bool Trial::guards_intact() const {
  return states_.guards_intact() && ring_d_.guards_intact() && ring_k_.guards_intact() &&
         ring_k_rnorm_.guards_intact() && ring_g_.guards_intact() && out_.guards_intact() &&
         cursor_.guards_intact() && write_pos_.guards_intact();
}

std::vector<Outcome> run_lockstep(Device& device, const Scenario& s,
                                  const std::vector<Variant>& variants, Fault fault) {
  const reference::Problem& p = s.problem;
  std::vector<Outcome> outcomes(variants.size());
  Tokens tokens(device, p, s.rows, s.seed);
  reference::States states(p, s.slots);
  states.s = tokens.draw(s.slots * p.state_size(), 0, 0.3);
  std::vector<Trial> trials;
  trials.reserve(variants.size());
  for (const Variant& v : variants) {
    trials.emplace_back(device, tokens, v, s.slots, fault);
    trials.back().set_states(states.s);
  }
  std::vector<Sums> all(variants.size()), second(variants.size()), last(variants.size());
  std::vector<double> want;
  const size_t head = p.head_v, slot_size = p.state_size();
  auto roll = [&](int sides) { return static_cast<int>(tokens.random() % sides); };

  std::vector<int32_t> slots(s.slots), rows(s.rows), forced(s.rows);
  for (int i = 0; i < s.slots; ++i) slots[i] = i;
  // The last steps flush every slot, so that all states can be compared.
  const int closing = (s.slots + s.rows - 1) / s.rows;
  for (int step = 0; step < s.steps + closing && device.ok(); ++step) {
    const bool end = step >= s.steps;
    if (!end && (step == 0 || roll(6) == 0))
      std::shuffle(slots.begin(), slots.end(), tokens.random);
    for (int row = 0; row < s.rows; ++row) {
      const int i = end ? (step - s.steps) * s.rows + row : row;
      rows[row] = i < s.slots ? slots[i] : -1;
      forced[row] = end || (s.forced_flushes && roll(20) == 0);
      if (!end && s.padding && roll(10) == 0) rows[row] = -1;
    }
    // A request ends and its slot goes to another one that starts from zero.
    if (!end && s.reuse && roll(40) == 0) {
      const int slot = roll(s.slots);
      std::fill_n(states.s.begin() + slot * slot_size, slot_size, 0.0);
      for (Trial& t : trials) t.set_slot(slot, nullptr);
    }
    // A prefix's state is copied into another slot right after it was flushed.
    int from = -1, to = -1;
    if (!end && s.reuse && roll(16) == 0 && rows[0] >= 0) {
      from = rows[0];
      to = (from + 1 + roll(s.slots - 1)) % s.slots;
      forced[0] = 1;
    }
    tokens.next();
    tokens.set_rows(rows, forced);
    decode_plain(p, tokens.weights, tokens.step, states, want);
    for (size_t v = 0; v < trials.size(); ++v) {
      Trial& t = trials[v];
      t.step();
      const std::vector<float> got = t.outputs();
      for (size_t at = 0; at < got.size(); at += head) {
        Sums row;
        for (size_t i = at; i < at + head; ++i) row.add(got[i], want[i]);
        outcomes[v].worst_row = larger(row.relative(), outcomes[v].worst_row);
        all[v].add(row);
        if (step >= s.steps / 4 && step < s.steps / 2) second[v].add(row);
        if (step >= s.steps * 3 / 4 && !end) last[v].add(row);
      }
      for (int row = 0; row < s.rows; ++row)
        if (forced[row] && rows[row] >= 0)
          outcomes[v].flushed_error =
              larger(relative_error(t.state(rows[row]), &states.s[rows[row] * slot_size]),
                     outcomes[v].flushed_error);
      if (from >= 0) t.copy_slot(from, to);
    }
    if (from >= 0)
      std::copy_n(states.s.begin() + from * slot_size, slot_size,
                  states.s.begin() + to * slot_size);
  }
  for (size_t v = 0; v < trials.size(); ++v) {
    Sums sums;
    for (int slot = 0; slot < s.slots; ++slot) {
      const std::vector<float> got = trials[v].state(slot);
      for (size_t i = 0; i < slot_size; ++i) sums.add(got[i], states.s[slot * slot_size + i]);
    }
    outcomes[v].output_error = all[v].relative();
    outcomes[v].state_error = sums.relative();
    outcomes[v].growth = second[v].relative() > 0 ? last[v].relative() / second[v].relative() : 0;
    outcomes[v].guards_intact = device.ok() && trials[v].guards_intact();
  }
  return outcomes;
}

}  // namespace sglint::gpu
