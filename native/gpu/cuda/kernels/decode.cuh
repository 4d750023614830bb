// One decode step of GDN or KDA, plain or ReplaySSM: a block does some rows of one value head's
// state for one request.
//
// With a checkpoint S0 and ring entries j < m, the state before this token is
//     S = S0 Diag(A) + sum_j d_j (W_j k_j)^T,
// A being the product of all entries' decays and W_j that of the entries after j. S is never formed
// on a step that does not flush. What the step reads is, with alpha this token's decay,
//     S' x = S0 (A alpha x) + sum_j d_j [(alpha W_j k_j) . x]       for x = q and x = k,
// that is two products with S0, 2 m dot products over K and two combinations of the d_j. Then
//     d = beta (v - S' k),  o = S' q + d (k . q),
// and either (d, k, g) is appended at m, or (flush) S0 becomes S' + d k^T. Plain decode is the case
// of no ring and a flush every step. The flush is a branch on the device: one captured graph serves
// every phase.
//
// A block's time is the latency of its loads, so they all leave before the first is needed: the
// rows of S0 by one bulk copy a warp into shared memory, the ring and the token into registers.
// Blocks are short and many; the hardware's block scheduler deals them out, which keeps steps of
// mixed phases balanced.
#pragma once

#include "native/gpu/cuda/kernels/async_copy.cuh"
#include "native/gpu/cuda/kernels/common.cuh"
#include "native/gpu/cuda/kernels/flush.cuh"

namespace sglint::gpu {

inline constexpr int kRingChunk = 16;  // ring entries held in registers at once

// The ring's d of one state row: raw words, converted only once they are needed, so that the loads
// stay in flight.
struct RingD {
  uint32_t word[kRingChunk];

  __device__ __forceinline__ void load(const DecodeParams& p, size_t at, int base, int m) {
    const int V = p.heads.head_v;
    if (p.ring_dtype == Dtype::kF32) {
      const uint32_t* d =
          static_cast<const uint32_t*>(p.ring_d) + at + static_cast<size_t>(base) * V;
#pragma unroll
      for (int e = 0; e < kRingChunk; ++e) word[e] = base + e < m ? d[e * V] : 0;
    } else {
      const uint16_t* d =
          static_cast<const uint16_t*>(p.ring_d) + at + static_cast<size_t>(base) * V;
#pragma unroll
      for (int e = 0; e < kRingChunk; ++e) word[e] = base + e < m ? d[e * V] : 0;
    }
  }
  __device__ __forceinline__ void convert(Dtype dtype) {
    if (dtype == Dtype::kF16) {
#pragma unroll
      for (int e = 0; e < kRingChunk; ++e)
        word[e] =
            __float_as_uint(__half2float(__ushort_as_half(static_cast<unsigned short>(word[e]))));
    } else if (dtype == Dtype::kBf16) {
#pragma unroll
      for (int e = 0; e < kRingChunk; ++e) word[e] <<= 16;
    }
  }
  __device__ __forceinline__ float operator[](int e) const { return __uint_as_float(word[e]); }
};

// KDA: one channel of the ring's g and k, a chunk of entries.
struct RingColumn {
  float g[kRingChunk];
  __nv_bfloat16 k[kRingChunk];

  __device__ __forceinline__ void load(const float* ring_g, const __nv_bfloat16* ring_k, int K,
                                       int base, int m) {
#pragma unroll
    for (int e = 0; e < kRingChunk; ++e)
      if (base + e < m) g[e] = ring_g[(base + e) * K], k[e] = ring_k[(base + e) * K];
  }
};

// Shared memory of a block.
template <Gate kGate, typename State, int kHeadK, int kRows, bool kReplay>
struct DecodeShared {
  using Layout = FlushLayout<kGate, State, kHeadK>;
  static constexpr int kRowsPerWarp = kGroups * kRows;
  static constexpr int kTileRows = kWarps * kRowsPerWarp;
  static constexpr size_t kBarriers =
      sizeof(State) * kTileRows * (kReplay ? Layout::kRowStride : kHeadK);
  static constexpr size_t kTotalDecay = kBarriers + kWarps * sizeof(uint64_t);
  static constexpr size_t kEntries =
      kTotalDecay + (kGate == Gate::kKda ? kHeadK * sizeof(float) : 0);
  static __host__ __device__ constexpr size_t coefficients(int ring_length) {
    return kEntries + (kReplay ? sizeof(typename Layout::Entry) * Layout::kEntryStride *
                                     Layout::rounded(ring_length)
                               : 0);
  }
  static __host__ __device__ constexpr size_t bytes(int ring_length) {
    return coefficients(ring_length) +
           (kReplay ? sizeof(float2) * Layout::rounded(ring_length) : 0);
  }
};

// Blocks that a multiprocessor is to hold: what shared memory allows on sm_90 for 128 rows of fp32,
// else as many as leave each thread the registers it needs.
__host__ __device__ constexpr int decode_blocks_per_sm(int state_bytes, int rows) {
  return state_bytes == 4 && rows == 8 ? 3 : 4;
}

template <Gate kGate, typename State, int kHeadK, int kRows, bool kReplay>
__global__ void __launch_bounds__(kThreads, decode_blocks_per_sm(sizeof(State), kRows))
    decode_kernel(const __grid_constant__ DecodeParams p) {
  using L = Lane<State, kHeadK>;
  using Shared = DecodeShared<kGate, State, kHeadK, kRows, kReplay>;
  using Layout = typename Shared::Layout;
  using Entry = typename Layout::Entry;
  constexpr int kChannels = L::kChannels;
  constexpr bool kKda = kGate == Gate::kKda;

  const int ring_length = kReplay ? p.ring_length : 1;
  extern __shared__ __align__(128) unsigned char shared[];
  State* tile = reinterpret_cast<State*>(shared);
  float* total_decay =
      reinterpret_cast<float*>(shared + Shared::kTotalDecay);  // KDA: A alpha, per channel
  Entry* entries = reinterpret_cast<Entry*>(shared + Shared::kEntries);  // [m, K]
  // Of d_j in S'q and S'k.
  float2* coefficient = reinterpret_cast<float2*>(shared + Shared::coefficients(ring_length));

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane8 = lane % kLanesPerRow, group = lane / kLanesPerRow;
  const int hv = blockIdx.y, row = blockIdx.z;
  const int K = kHeadK, V = p.heads.head_v, H = p.heads.k_heads, HV = p.heads.v_heads;
  int h = hv / (HV / H);
  if (planted(p, Fault::kHeadMapWrong)) h = (h + 1) % H;
  // The row of the state that this lane finishes: sums over a row end in lane (row % 8) of its
  // eight lanes.
  const int warp_row = warp * Shared::kRowsPerWarp, first_row = warp_row + group * kRows;
  const int tile_row = blockIdx.x * Shared::kTileRows;
  const int own_row = tile_row + first_row + lane8 % kRows;
  const bool owner = lane8 < kRows;
  __nv_bfloat16* out = p.out + (static_cast<size_t>(row) * HV + hv) * V + own_row;

  int slot = p.slot[row];
  int m = 0;
  bool flush = true;
  if constexpr (kReplay) {
    m = p.write_pos[row];
    flush = m >= ring_length - 1;
    if (p.force_flush != nullptr && !planted(p, Fault::kFlushLate))
      flush |= p.force_flush[row] != 0;
  }
  if (slot < 0) {
    if (!planted(p, Fault::kPaddedRowWritten)) {
      if (owner) *out = __float2bfloat16_rn(0.f);
      return;
    }
    slot = 0;
  }
  const size_t head = static_cast<size_t>(slot) * HV + hv;
  const size_t key_head = static_cast<size_t>(slot) * H + h;

  // The rows of S0: packed as they lie in memory, or padded where the flush will work on them in
  // place.
  State* state = static_cast<State*>(p.state) + (head * V + tile_row) * K;
  constexpr int kRowBytes = kHeadK * sizeof(State),
                kPaddedBytes = Layout::kRowStride * sizeof(State);
  const int row_stride = kReplay && flush ? Layout::kRowStride : K;
  State* rows = tile + warp_row * row_stride;  // this warp's
  uint64_t* barrier = reinterpret_cast<uint64_t*>(shared + Shared::kBarriers) + warp;
  const WarpRows<Shared::kRowsPerWarp, kRowBytes, kRowBytes> packed{
      barrier, reinterpret_cast<unsigned char*>(rows)};
  const WarpRows<Shared::kRowsPerWarp, kRowBytes, kPaddedBytes> padded{
      barrier, reinterpret_cast<unsigned char*>(rows)};
  {
    const State* from = state + warp_row * K;
    if (planted(p, Fault::kWrongSlot))
      from += (slot % 2 ? -1 : 1) * static_cast<ptrdiff_t>(HV) * V * K;
    if (kReplay && flush)
      padded.start(from, lane);
    else
      packed.start(from, lane);
  }

  // Everything else that comes from memory.
  const __nv_bfloat16* token = p.qkv + static_cast<size_t>(row) * (2 * H * K + HV * V);
  const auto q_packed = L::load_packed(token + h * K, lane8);
  const auto k_packed = L::load_packed(token + (H + h) * K, lane8);
  const __nv_bfloat16 v_in = token[2 * H * K + hv * V + own_row];
  const __nv_bfloat16 b_in = p.b[static_cast<size_t>(row) * HV + hv];
  const int column = threadIdx.x;  // KDA: the channel whose decays this thread follows
  const size_t gate_at = kKda ? static_cast<size_t>(hv) * K + column : hv;
  __nv_bfloat16 a_in{}, k_column{};
  float bias = 0;
  if (!kKda || column < K) {
    a_in = p.a[static_cast<size_t>(row) * HV * (kKda ? K : 1) + gate_at];
    bias = p.gate.dt_bias[gate_at];
    if constexpr (kKda && kReplay) k_column = token[(H + h) * K + column];
  }
  const float a_log = p.gate.a_log[hv];

  const int valid = planted(p, Fault::kStaleRingEntry) ? min(m + 1, ring_length - 1) : m;
  const size_t ring_d_at = kReplay ? head * ring_length * V + own_row : 0;
  const int first_entry =
      warp * kGroups + group;  // of those whose dot products these eight lanes take
  const int last_chunk = max(valid - 1, 0) / kRingChunk * kRingChunk;
  const float* ring_g = p.ring_g + head * ring_length * (kKda ? K : 1) + (kKda ? column : 0);
  const __nv_bfloat16* ring_k = p.ring_k + key_head * ring_length * K;
  RingD ring_d;
  RingColumn ring_column;
  typename L::Packed key{};
  float weight[2] = {0, 0}, g_entry[2] = {0, 0};  // of entries lane and lane + 32
  if constexpr (kReplay) {
    if constexpr (kKda) {
      if (column < K) ring_column.load(ring_g, ring_k + column, K, last_chunk, valid);
    } else {
      if (first_entry < valid) key = L::load_packed(ring_k + first_entry * K, lane8);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (lane + 32 * i < valid) {
        weight[i] = p.ring_k_rnorm[key_head * ring_length + lane + 32 * i];
        if constexpr (!kKda) g_entry[i] = ring_g[lane + 32 * i];
        if (planted(p, Fault::kKeyNormMissing)) weight[i] = 1;
      }
    ring_d.load(p, ring_d_at, 0, valid);
  }

  // q, k: normalised by their eight lanes.
  float q[kChannels], k[kChannels];
  L::unpack(q_packed, q);
  L::unpack(k_packed, k);
  float qq = 0, kk = 0, kq = 0;
#pragma unroll
  for (int i = 0; i < kChannels; ++i) qq += q[i] * q[i], kk += k[i] * k[i], kq += k[i] * q[i];
  const float q_norm =
      rsqrtf(sum8(qq) + kNormEpsilon) * (planted(p, Fault::kScaleMissing) ? 1.f : p.gate.scale);
  const float k_rnorm = rsqrtf(sum8(kk) + kNormEpsilon);
  kq = sum8(kq) * q_norm * k_rnorm;
#pragma unroll
  for (int i = 0; i < kChannels; ++i) q[i] *= q_norm, k[i] *= k_rnorm;

  const float g_now = log_decay<kGate>(p.gate, __expf(a_log), to_float(a_in) + bias);
  const float g_used = planted(p, Fault::kDecayDropped) ? 0.f : g_now;
  float decay = 1;  // GDN: A alpha

  // Decays. GDN: lane j holds entry j's, a suffix sum over the warp. KDA: one thread a channel
  // walks down the ring.
  if constexpr (!kKda) {
    float total = g_used;
    if constexpr (kReplay) {
#pragma unroll
      for (int i = 1; i >= 0; --i) {
        if (i == 1 && ring_length <= 32) continue;
        float suffix = g_entry[i];  // sum over entries j, j+1, …
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
          const float above = __shfl_down_sync(kAll, suffix, step);
          if (lane + step < 32) suffix += above;
        }
        float after = __shfl_down_sync(kAll, suffix, 1);  // without the entry's own
        if (lane == 31) after = 0;
        if (planted(p, Fault::kSuffixProductWrong)) after = suffix;
        weight[i] *= __expf(after + total);
        total += __shfl_sync(kAll, suffix, 0);
      }
    }
    decay = __expf(total);
  } else if (column < K) {
    float suffix = g_used;
    if constexpr (kReplay) {
      for (int base = last_chunk; base >= 0; base -= kRingChunk) {
        if (base < last_chunk) ring_column.load(ring_g, ring_k + column, K, base, valid);
#pragma unroll
        for (int e = kRingChunk - 1; e >= 0; --e)
          if (base + e < valid) {
            const float after =
                planted(p, Fault::kSuffixProductWrong) ? suffix + ring_column.g[e] : suffix;
            entries[(base + e) * Layout::kEntryStride + column] =
                __expf(after) * to_float(ring_column.k[e]);
            suffix += ring_column.g[e];
          }
      }
    }
    total_decay[column] = __expf(suffix);
  }
  if constexpr (kReplay) {
    // For the flush: this token's key after the last entry, and zeros up to a whole step.
    if (flush && column < K)
      for (int e = valid; e < Layout::rounded(valid + 1); ++e) {
        Entry& entry = entries[e * Layout::kEntryStride + column];
        if constexpr (kKda)
          entry = e == valid ? to_float(k_column) * k_rnorm : 0.f;
        else
          entry = e == valid ? token[(H + h) * K + column] : __float2bfloat16_rn(0.f);
      }
  }
  if constexpr (kKda) __syncthreads();

  // The ring's part of S'q and S'k: each group of eight lanes takes every sixteenth entry.
  if constexpr (kReplay) {
    if (planted(p, Fault::kRace) && warp == kWarps - 1) __nanosleep(20000);
    for (int base = 0; base < valid; base += kWarps * kGroups) {
      const int j = base + first_entry;
      const float w0 = __shfl_sync(kAll, weight[0], j % 32),
                  w1 = __shfl_sync(kAll, weight[1], j % 32);
      float entry[kChannels];
      float eq = 0, ek = 0;
      if (j < valid) {
        if constexpr (kKda) {
          L::load_floats(entries + j * Layout::kEntryStride, lane8, entry);
        } else {
          if (base > 0) key = L::load_packed(ring_k + j * K, lane8);
          if (flush) L::store_packed(entries + j * Layout::kEntryStride, lane8, key);
          L::unpack(key, entry);
        }
#pragma unroll
        for (int i = 0; i < kChannels; ++i) eq += entry[i] * q[i], ek += entry[i] * k[i];
      }
      eq = sum8(eq), ek = sum8(ek);
      const float w = j < 32 ? w0 : w1;
      if (j < valid && lane8 == 0) coefficient[j] = {w * eq, w * ek};
    }
    if (!planted(p, Fault::kRace)) __syncthreads();
  }
  float ring_q = 0, ring_k_sum = 0;
  if constexpr (kReplay) {
    for (int base = 0; base < valid; base += kRingChunk) {
      if (base > 0) ring_d.load(p, ring_d_at, base, valid);
      ring_d.convert(p.ring_dtype);
#pragma unroll
      for (int e = 0; e < kRingChunk; ++e)
        if (base + e < valid) {
          const float2 c = coefficient[base + e];
          ring_q += c.x * ring_d[e], ring_k_sum += c.y * ring_d[e];
        }
    }
  }

  // The checkpoint's part.
  if constexpr (kKda) {
    float decays[kChannels];
    L::load_floats(total_decay, lane8, decays);
#pragma unroll
    for (int i = 0; i < kChannels; ++i) q[i] *= decays[i], k[i] *= decays[i];
  }
  if (kReplay && flush)
    padded.wait();
  else
    packed.wait();
  // The wait has ordered all that is read; lanes that go on together are 3 % faster here (fp32,
  // small batches), and 12 % slower in decode_tensor.cuh, which therefore has none (H200).
  __syncwarp();
  float dot_q[kRows], dot_k[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    float s[kChannels];
    L::load_state(tile + (first_row + r) * row_stride, lane8, s);
    dot_q[r] = dot_k[r] = 0;
#pragma unroll
    for (int i = 0; i < kChannels; ++i) dot_q[r] += s[i] * q[i], dot_k[r] += s[i] * k[i];
  }
  const float state_q = decay * sum8_transposed<kRows>(dot_q, lane8) + ring_q;
  const float state_k = decay * sum8_transposed<kRows>(dot_k, lane8) + ring_k_sum;
  const float beta = planted(p, Fault::kBetaNotApplied) ? 1.f : beta_of(p.gate, b_in);
  const float d = beta * (to_float(v_in) - state_k);
  const float o = planted(p, Fault::kRankOneMissing) ? state_q : state_q + d * kq;
  if (owner && !(planted(p, Fault::kOutputNotWritten) && own_row == V - 1))
    *out = __float2bfloat16_rn(o);

  if constexpr (kReplay) {
    if (!flush) {
      if (owner) store_ring_d(p, ring_d_at + static_cast<size_t>(m) * V, d);
      if (blockIdx.x == 0) {
        if constexpr (kKda) {
          if (column < K) p.ring_g[(head * ring_length + m) * K + column] = g_now;
        } else {
          if (threadIdx.x == 0) p.ring_g[head * ring_length + m] = g_now;
        }
        // The first value head of a key head keeps the key; nobody reads entry m in this launch.
        if (hv % (HV / H) == 0 && threadIdx.x < kLanesPerRow) {
          L::store_packed(p.ring_k + (key_head * ring_length + m) * K, lane8, k_packed);
          if (lane8 == 0) p.ring_k_rnorm[key_head * ring_length + m] = k_rnorm;
        }
      }
      return;
    }
    if (planted(p, Fault::kFlushSkipped)) return;
    __syncwarp();
    const size_t warp_d_at = head * ring_length * V + tile_row + warp_row;
    Flush<kGate, State, kHeadK, kRows>().run(
        [&](int entry, int r) {
          return load_ring_d(p, warp_d_at + static_cast<size_t>(entry) * V + r);
        },
        rows, valid, entries, weight, d, kKda ? 1.f : k_rnorm, decay, total_decay, lane);
    padded.store(state + warp_row * K, lane);
  } else {
    // S0 <- S0 Diag(alpha) + d k^T.
    float decays[kChannels];
    if constexpr (kKda) {
      L::load_floats(total_decay, lane8, decays);
      L::unpack(k_packed, k);
#pragma unroll
      for (int i = 0; i < kChannels; ++i) k[i] *= k_rnorm;
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      float s[kChannels];
      L::load_state(tile + (first_row + r) * K, lane8, s);
      const float d_row = __shfl_sync(kAll, d, group * kLanesPerRow + r);
#pragma unroll
      for (int i = 0; i < kChannels; ++i) s[i] = s[i] * (kKda ? decays[i] : decay) + d_row * k[i];
      L::store_state(tile + (first_row + r) * K, lane8, s);
    }
    packed.store(state + warp_row * K, lane);
  }
}

}  // namespace sglint::gpu
