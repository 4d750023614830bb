// decode.cuh's contract in the plainest form: one thread a channel of the output, fp64 sums
// straight from global memory, the state rebuilt from checkpoint and ring by its definition. The
// fast kernel's check on the device.
#pragma once

#include "native/gpu/cuda/kernels/common.cuh"

namespace sglint::gpu {

template <Gate kGate, typename State>
__global__ void decode_simple_kernel(const __grid_constant__ DecodeParams p) {
  const int K = p.heads.head_k, V = p.heads.head_v, H = p.heads.k_heads, HV = p.heads.v_heads;
  const int v = threadIdx.x, hv = blockIdx.x, row = blockIdx.y, h = hv / (HV / H);
  const int gates = kGate == Gate::kKda ? K : 1;
  __nv_bfloat16* out = p.out + (static_cast<size_t>(row) * HV + hv) * V + v;
  const int slot = p.slot[row];
  if (slot < 0) {
    *out = __float2bfloat16_rn(0.f);
    return;
  }
  const int length = p.ring_length;
  const int m = length > 0 ? p.write_pos[row] : 0;
  const bool flush = m >= length - 1 || (p.force_flush != nullptr && p.force_flush[row] != 0);
  const size_t head = static_cast<size_t>(slot) * HV + hv,
               key_head = static_cast<size_t>(slot) * H + h;

  const __nv_bfloat16* token = p.qkv + static_cast<size_t>(row) * (2 * H * K + HV * V);
  const __nv_bfloat16 *q = token + h * K, *k = token + (H + h) * K;
  double qq = 0, kk = 0, kq = 0;
  for (int c = 0; c < K; ++c) {
    qq += double(to_float(q[c])) * to_float(q[c]);
    kk += double(to_float(k[c])) * to_float(k[c]);
    kq += double(to_float(q[c])) * to_float(k[c]);
  }
  const double q_norm = p.gate.scale / sqrt(qq + kNormEpsilon),
               k_norm = 1 / sqrt(kk + kNormEpsilon);

  auto g_now = [&](int c) -> double {
    const int gate = kGate == Gate::kKda ? c : 0;
    const double x = double(to_float(p.a[(static_cast<size_t>(row) * HV + hv) * gates + gate])) +
                     p.gate.dt_bias[static_cast<size_t>(hv) * gates + gate];
    const double rate = exp(double(p.gate.a_log[hv]));
    if (kGate == Gate::kKda && p.gate.safe_gate) return p.gate.lower_bound / (1 + exp(-rate * x));
    return -rate * (x > 20 ? x : log1p(exp(x)));
  };
  auto g_ring = [&](int j, int c) -> double {
    return p.ring_g[(head * length + j) * gates + (kGate == Gate::kKda ? c : 0)];
  };
  State* state = static_cast<State*>(p.state) + (head * V + v) * K;

  // Channel c of row v of S', rebuilt.
  auto decayed_state = [&](int c) -> double {
    const double now = g_now(c);
    double after = 0, sum = 0;  // after: decays of the entries later than j
    for (int j = m - 1; j >= 0; --j) {
      const double key = double(to_float(p.ring_k[(key_head * length + j) * K + c])) *
                         p.ring_k_rnorm[key_head * length + j];
      sum += load_ring_d(p, (head * length + j) * V + v) * exp(after + now) * key;
      after += g_ring(j, c);
    }
    return double(to_float(state[c])) * exp(after + now) + sum;
  };

  double state_q = 0, state_k = 0;
  for (int c = 0; c < K; ++c) {
    const double s = decayed_state(c);
    state_q += s * to_float(q[c]) * q_norm;
    state_k += s * to_float(k[c]) * k_norm;
  }
  double beta = 1 / (1 + exp(-double(to_float(p.b[static_cast<size_t>(row) * HV + hv]))));
  if (p.gate.round_beta) beta = to_float(__float2bfloat16_rn(float(beta)));
  const double d = beta * (to_float(token[2 * H * K + hv * V + v]) - state_k);
  *out = __float2bfloat16_rn(float(state_q + d * kq * q_norm * k_norm));

  if (flush) {
    for (int c = 0; c < K; ++c) {
      const double s = decayed_state(c) + d * to_float(k[c]) * k_norm;
      if constexpr (sizeof(State) == 4)
        state[c] = float(s);
      else if constexpr (std::is_same_v<State, __half>)
        state[c] = __float2half_rn(float(s));
      else
        state[c] = __float2bfloat16_rn(float(s));
    }
    return;
  }
  store_ring_d(p, (head * length + m) * V + v, float(d));
  for (int c = v; c < K; c += V) {
    if (hv % (HV / H) == 0) p.ring_k[(key_head * length + m) * K + c] = k[c];
    if (kGate == Gate::kKda) p.ring_g[(head * length + m) * K + c] = float(g_now(c));
  }
  if (v == 0) {
    if (hv % (HV / H) == 0) p.ring_k_rnorm[key_head * length + m] = float(k_norm);
    if (kGate == Gate::kGdn) p.ring_g[head * length + m] = float(g_now(0));
  }
}

}  // namespace sglint::gpu
