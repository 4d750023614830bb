// Speculative verify and its commit by folding, for GDN and KDA.
//
// Verify runs T draft tokens through the recurrence from a state that it only reads, and keeps each
// token's raw inputs (v, k before the norm, g, beta) in the slot's window. Fold replays the
// accepted prefix of that window from the state into the state; what was not accepted is rolled
// back by not folding it. Both keep a block's rows of the state in registers: one read (and for
// fold one write) of the state, whatever T.
#pragma once

#include "native/gpu/cuda/kernels/common.cuh"

namespace sglint::gpu {

inline constexpr int kFoldRows = 4;  // rows a group of eight lanes holds in registers
inline constexpr int kFoldTileRows = kWarps * kGroups * kFoldRows;

// The rows of the state that a lane's group holds, and the recurrence on them.
template <Gate kGate, typename State, int kHeadK>
struct StateRows {
  using L = Lane<State, kHeadK>;
  static constexpr int kChannels = L::kChannels;
  float s[kFoldRows][kChannels];

  __device__ __forceinline__ void load(const State* rows, int lane8) {
#pragma unroll
    for (int r = 0; r < kFoldRows; ++r) L::load_state(rows + r * kHeadK, lane8, s[r]);
  }
  __device__ __forceinline__ void store(State* rows, int lane8) const {
#pragma unroll
    for (int r = 0; r < kFoldRows; ++r) L::store_state(rows + r * kHeadK, lane8, s[r]);
  }
  __device__ __forceinline__ float dot(const float* x, int lane8) const {
    float sums[kFoldRows];
#pragma unroll
    for (int r = 0; r < kFoldRows; ++r) {
      sums[r] = 0;
#pragma unroll
      for (int i = 0; i < kChannels; ++i) sums[r] += s[r][i] * x[i];
    }
    return sum8_transposed<kFoldRows>(sums, lane8);
  }
  // One token; alpha has one element for GDN, one a channel for KDA.
  __device__ __forceinline__ void advance(const float* alpha, const float* k, float v, float beta,
                                          int lane8, int group) {
#pragma unroll
    for (int r = 0; r < kFoldRows; ++r)
#pragma unroll
      for (int i = 0; i < kChannels; ++i) s[r][i] *= alpha[kGate == Gate::kKda ? i : 0];
    const float d = beta * (v - dot(k, lane8));
#pragma unroll
    for (int r = 0; r < kFoldRows; ++r) {
      const float d_row = __shfl_sync(kAll, d, group * kLanesPerRow + r);
#pragma unroll
      for (int i = 0; i < kChannels; ++i) s[r][i] += d_row * k[i];
    }
  }
};

template <Gate kGate, typename State, int kHeadK>
__global__ void __launch_bounds__(kThreads) verify_kernel(const __grid_constant__ VerifyParams p) {
  using Rows = StateRows<kGate, State, kHeadK>;
  using L = typename Rows::L;
  constexpr int kChannels = Rows::kChannels, kGates = kGate == Gate::kKda ? kChannels : 1;
  const int lane8 = threadIdx.x % kLanesPerRow, group = threadIdx.x % 32 / kLanesPerRow;
  const int hv = blockIdx.y, row = blockIdx.z;
  const int K = kHeadK, V = p.heads.head_v, H = p.heads.k_heads, HV = p.heads.v_heads;
  const int h = hv / (HV / H);
  const int first_row = blockIdx.x * kFoldTileRows + threadIdx.x / kLanesPerRow * kFoldRows;
  const int own_row = first_row + lane8 % kFoldRows;
  const bool owner = lane8 < kFoldRows;
  const int slot = p.slot[row];
  if (slot < 0) {
    for (int t = 0; owner && t < p.drafts; ++t)
      p.out[((static_cast<size_t>(row) * p.drafts + t) * HV + hv) * V + own_row] =
          __float2bfloat16_rn(0.f);
    return;
  }
  const size_t head = static_cast<size_t>(slot) * HV + hv,
               key_head = static_cast<size_t>(slot) * H + h;
  State* state = static_cast<State*>(p.state) + (head * V + first_row) * K;
  Rows rows;
  rows.load(state, lane8);
  const float exp_a_log = __expf(p.gate.a_log[hv]);
  for (int t = 0; t < p.drafts; ++t) {
    const size_t at = static_cast<size_t>(row) * p.drafts + t;
    const __nv_bfloat16* token = p.qkv + at * (2 * H * K + HV * V);
    const auto k_packed = L::load_packed(token + (H + h) * K, lane8);
    const __nv_bfloat16 v = token[2 * H * K + hv * V + own_row];
    float q[kChannels], k[kChannels], alpha[kGates], g[kGates];
    L::unpack(L::load_packed(token + h * K, lane8), q);
    L::unpack(k_packed, k);
    if constexpr (kGate == Gate::kKda) {
      const size_t gate_at = static_cast<size_t>(hv) * K;
      float bias[kChannels];
      L::unpack(L::load_packed(p.a + at * HV * K + gate_at, lane8), g);
      L::load_floats(p.gate.dt_bias + gate_at, lane8, bias);
#pragma unroll
      for (int i = 0; i < kChannels; ++i)
        g[i] = log_decay<kGate>(p.gate, exp_a_log, g[i] + bias[i]);
    } else {
      g[0] = log_decay<kGate>(p.gate, exp_a_log, to_float(p.a[at * HV + hv]) + p.gate.dt_bias[hv]);
    }
#pragma unroll
    for (int i = 0; i < kGates; ++i) alpha[i] = __expf(g[i]);
    const float beta = beta_of(p.gate, p.b[at * HV + hv]);
    float qq = 0, kk = 0;
#pragma unroll
    for (int i = 0; i < kChannels; ++i) qq += q[i] * q[i], kk += k[i] * k[i];
    const float q_norm = rsqrtf(sum8(qq) + kNormEpsilon) * p.gate.scale,
                k_norm = rsqrtf(sum8(kk) + kNormEpsilon);
#pragma unroll
    for (int i = 0; i < kChannels; ++i) q[i] *= q_norm, k[i] *= k_norm;

    rows.advance(alpha, k, to_float(v), beta, lane8, group);
    const float o = rows.dot(q, lane8);
    if (owner) p.out[(at * HV + hv) * V + own_row] = __float2bfloat16_rn(o);

    if (owner) p.window_v[(head * p.window_length + t) * V + own_row] = v;
    if (blockIdx.x == 0 && threadIdx.x < kLanesPerRow) {
      if (hv % (HV / H) == 0)
        L::store_packed(p.window_k + (key_head * p.window_length + t) * K, lane8, k_packed);
      if constexpr (kGate == Gate::kKda)
        L::store_floats(p.window_g + (head * p.window_length + t) * K, lane8, g);
      else if (lane8 == 0)
        p.window_g[head * p.window_length + t] = g[0];
      if (lane8 == 0) p.window_beta[head * p.window_length + t] = beta;
    }
  }
  if (planted(p, Fault::kVerifyWritesState)) rows.store(state, lane8);
}

template <Gate kGate, typename State, int kHeadK>
__global__ void __launch_bounds__(kThreads) fold_kernel(const __grid_constant__ FoldParams p) {
  using Rows = StateRows<kGate, State, kHeadK>;
  using L = typename Rows::L;
  constexpr int kChannels = Rows::kChannels, kGates = kGate == Gate::kKda ? kChannels : 1;
  const int lane8 = threadIdx.x % kLanesPerRow, group = threadIdx.x % 32 / kLanesPerRow;
  const int hv = blockIdx.y, row = blockIdx.z;
  const int K = kHeadK, V = p.heads.head_v, H = p.heads.k_heads, HV = p.heads.v_heads;
  const int first_row = blockIdx.x * kFoldTileRows + threadIdx.x / kLanesPerRow * kFoldRows;
  const int own_row = first_row + lane8 % kFoldRows;
  const int slot = p.slot[row];
  int accepted = p.accepted[row];
  if (slot < 0 || accepted <= 0) return;
  if (planted(p, Fault::kFoldOneTooMany)) accepted = min(accepted + 1, p.window_length);
  const size_t head = static_cast<size_t>(slot) * HV + hv;
  const size_t key_head = static_cast<size_t>(slot) * H + hv / (HV / H);
  const int track_slot = p.track_slot != nullptr ? p.track_slot[row] : -1;
  const int track_step = track_slot >= 0 ? p.track_step[row] : -1;
  State* state = static_cast<State*>(p.state) + (head * V + first_row) * K;
  Rows rows;
  rows.load(state, lane8);
  for (int t = 0; t < accepted; ++t) {
    float k[kChannels], alpha[kGates];
    L::unpack(L::load_packed(p.window_k + (key_head * p.window_length + t) * K, lane8), k);
    if constexpr (kGate == Gate::kKda)
      L::load_floats(p.window_g + (head * p.window_length + t) * K, lane8, alpha);
    else
      alpha[0] = p.window_g[head * p.window_length + t];
#pragma unroll
    for (int i = 0; i < kGates; ++i) alpha[i] = __expf(alpha[i]);
    float kk = 0;
#pragma unroll
    for (int i = 0; i < kChannels; ++i) kk += k[i] * k[i];
    const float k_norm = rsqrtf(sum8(kk) + kNormEpsilon);
#pragma unroll
    for (int i = 0; i < kChannels; ++i) k[i] *= k_norm;
    const float v = to_float(p.window_v[(head * p.window_length + t) * V + own_row]);
    rows.advance(alpha, k, v, p.window_beta[head * p.window_length + t], lane8, group);
    if (t == track_step)
      rows.store(static_cast<State*>(p.state) +
                     ((static_cast<size_t>(track_slot) * HV + hv) * V + first_row) * K,
                 lane8);
  }
  rows.store(state, lane8);
}

}  // namespace sglint::gpu
