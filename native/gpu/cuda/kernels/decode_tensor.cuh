// decode.cuh's ReplaySSM step for bf16 states and rings with K = 128, its products on tensor cores.
//
// With 16-bit states a step is bound by instructions as much as by memory. Every product in it has
// bf16 operands already: the checkpoint, the ring's keys and d, and q and k as they came. So the
// tensor cores take them as they lie in shared memory, unconverted and exact; the norms, being
// scalars, go into the result. What is fp32 (KDA's A alpha q, the coefficients of the d_j) is split
// into three bf16 parts, which fill columns of the same product that would be empty otherwise.
//
// Columns (or rows) 0..7 of every product are q k q k q k q k: three parts of each, the last pair
// unused. The order of channels within a product is free as long as both sides have the same; it is
// chosen so that a lane's operands are whole 16-byte pieces: lane (g, t) = (lane / 4, lane % 4)
// holds pieces t, t + 4, t + 8, t + 12 of row g.
//
// GDN's warps work by themselves, with no barrier among them on a step that does not flush: each
// takes all entries' dot products, which costs less than handing them round.
#pragma once

#include "native/gpu/cuda/kernels/async_copy.cuh"
#include "native/gpu/cuda/kernels/common.cuh"
#include "native/gpu/cuda/kernels/flush.cuh"

namespace sglint::gpu {

inline constexpr int kTensorHeadK = 128;
inline constexpr int kVectorParts = 3;

// Shared memory of a block. Everything is a multiple of 16 bytes, and rows are 16 bytes longer than
// their content, so that what a product takes from eight of them lies in different banks.
template <Gate kGate, int kRows>
struct TensorShared {
  static constexpr bool kKda = kGate == Gate::kKda;
  using Layout = FlushLayout<kGate, __nv_bfloat16, kTensorHeadK>;
  static constexpr int kWarpRows = kGroups * kRows;
  static constexpr int kTileRows = kWarps * kWarpRows;
  static constexpr int kStride = kTensorHeadK + 8;  // of bf16 rows over K
  static constexpr int kDStride = kTileRows + 8;    // of the ring's d: entries x rows of the tile
  static constexpr size_t kBarriers = sizeof(__nv_bfloat16) * kTileRows * kStride;
  static constexpr size_t kTotalDecay = kBarriers + 48;  // a barrier a warp, and the ring's
  static constexpr size_t kVectors = kTotalDecay + (kKda ? kTensorHeadK * sizeof(float) : 0);
  static constexpr size_t kEntries =
      kVectors + (kKda ? 2 * kVectorParts * kStride * sizeof(__nv_bfloat16) : 0);
  static __host__ __device__ constexpr size_t ring_d(int ring_length) {
    return kEntries +
           sizeof(typename Layout::Entry) * Layout::kEntryStride * Layout::rounded(ring_length);
  }
  static __host__ __device__ constexpr size_t ring_k(int ring_length) {  // KDA; GDN's are entries
    return ring_d(ring_length) + sizeof(__nv_bfloat16) * kDStride * Layout::rounded(ring_length);
  }
  static __host__ __device__ constexpr size_t coefficients(int ring_length) {
    return ring_k(ring_length) +
           (kKda ? sizeof(__nv_bfloat16) * kStride * Layout::rounded(ring_length) : 0);
  }
  static __host__ __device__ constexpr size_t bytes(int ring_length) {
    return coefficients(ring_length) + (kKda ? sizeof(float2) * Layout::rounded(ring_length) : 0);
  }
};

// A lane's 16-byte pieces of a row of 128 bf16: words 2 i and 2 i + 1 are its part of product i.
struct RowPieces {
  uint32_t w[16];
  __device__ __forceinline__ void load(const __nv_bfloat16* row, int t) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const uint4 u = *reinterpret_cast<const uint4*>(row + 8 * (t + 4 * j));
      w[4 * j] = u.x, w[4 * j + 1] = u.y, w[4 * j + 2] = u.z, w[4 * j + 3] = u.w;
    }
  }
};

// c[vector][row] += vectors . rows for eight rows; lane (g, t) gets vector g and rows 2 t, 2 t + 1.
__device__ __forceinline__ void dot_rows(float (&c)[4], const RowPieces& vectors,
                                         const RowPieces& rows) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const uint32_t a[4] = {vectors.w[2 * i], 0, vectors.w[2 * i + 1], 0};
    const uint32_t b[2] = {rows.w[2 * i], rows.w[2 * i + 1]};
    mma(c, a, b);
  }
}

// Sums kValues values over the four lanes of a row; lane t of the four gets the sum of value
// t % kValues.
template <int kValues>
__device__ __forceinline__ float sum4_transposed(const float (&x)[kValues], int t) {
  float y[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) y[i] = x[i];
#pragma unroll
  for (int half = kValues / 2; half >= 1; half /= 2) {
    const bool upper = t & half;
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const float keep = upper ? y[i + half] : y[i];
      const float send = upper ? y[i] : y[i + half];
      y[i] = keep + __shfl_xor_sync(kAll, send, half);
    }
  }
#pragma unroll
  for (int bit = kValues; bit < 4; bit *= 2) y[0] += __shfl_xor_sync(kAll, y[0], bit);
  return y[0];
}

template <Gate kGate, int kRows>
__global__ void __launch_bounds__(kThreads, 4)
    decode_tensor_kernel(const __grid_constant__ DecodeParams p) {
#if __CUDA_ARCH__ >= 900
  using State = __nv_bfloat16;
  using Shared = TensorShared<kGate, kRows>;
  using Layout = typename Shared::Layout;
  using Entry = typename Layout::Entry;
  using L = Lane<State, kTensorHeadK>;
  constexpr bool kKda = kGate == Gate::kKda;
  constexpr int K = kTensorHeadK, kWarpRows = Shared::kWarpRows, kStride = Shared::kStride;
  constexpr int kTiles = kWarpRows >= 16 ? kWarpRows / 16 : 1;
  constexpr int kHalves = kWarpRows >= 16 ? 2 : 1;  // of a tile of 16 rows that exist
  constexpr int kCombos = kTiles * kHalves;

  const int ring_length = p.ring_length;
  extern __shared__ __align__(128) unsigned char shared[];
  State* tile = reinterpret_cast<State*>(shared);
  uint64_t* barriers = reinterpret_cast<uint64_t*>(shared + Shared::kBarriers);
  float* total_decay = reinterpret_cast<float*>(shared + Shared::kTotalDecay);
  State* vectors = reinterpret_cast<State*>(shared + Shared::kVectors);
  Entry* entries = reinterpret_cast<Entry*>(shared + Shared::kEntries);
  State* ring_d = reinterpret_cast<State*>(shared + Shared::ring_d(ring_length));
  State* ring_k = kKda ? reinterpret_cast<State*>(shared + Shared::ring_k(ring_length))
                       : reinterpret_cast<State*>(entries);
  float* coefficient = reinterpret_cast<float*>(shared + Shared::coefficients(ring_length));

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int g = lane / 4, t = lane % 4;
  const int lane8 = lane % kLanesPerRow, group = lane / kLanesPerRow;
  const int hv = blockIdx.y, row = blockIdx.z;
  const int V = p.heads.head_v, H = p.heads.k_heads, HV = p.heads.v_heads;
  int h = hv / (HV / H);
  if (planted(p, Fault::kHeadMapWrong)) h = (h + 1) % H;
  const int warp_row = warp * kWarpRows, tile_row = blockIdx.x * Shared::kTileRows;
  // The row that this lane finishes, within its warp's.
  const int lane_row = group * kRows + lane8 % kRows;
  const int own_row = tile_row + warp_row + lane_row;
  const bool owner = lane8 < kRows;
  __nv_bfloat16* out = p.out + (static_cast<size_t>(row) * HV + hv) * V + own_row;

  if (threadIdx.x == 0) {
#pragma unroll
    for (int i = 0; i < kWarps; ++i) init_barrier(barriers + i, 1);
    init_barrier(barriers + kWarps, kThreads);
    fence_barriers();
  }
  int slot = p.slot[row];
  const int m = p.write_pos[row];
  bool flush = m >= ring_length - 1;
  if (p.force_flush != nullptr && !planted(p, Fault::kFlushLate)) flush |= p.force_flush[row] != 0;
  __syncthreads();
  if (slot < 0) {
    if (!planted(p, Fault::kPaddedRowWritten)) {
      if (owner) *out = __float2bfloat16_rn(0.f);
      return;
    }
    slot = 0;
  }
  const size_t head = static_cast<size_t>(slot) * HV + hv;
  const size_t key_head = static_cast<size_t>(slot) * H + h;
  const int valid = planted(p, Fault::kStaleRingEntry) ? min(m + 1, ring_length - 1) : m;

  // The rows of S0: packed as they lie in memory, or padded where the flush works on them in place.
  State* state = static_cast<State*>(p.state) + (head * V + tile_row + warp_row) * K;
  const int row_stride = flush ? kStride : K;
  State* rows = tile + warp_row * row_stride;
  constexpr int kRowBytes = K * sizeof(State);
  const WarpRows<kWarpRows, kRowBytes, kRowBytes> packed{barriers + warp,
                                                         reinterpret_cast<unsigned char*>(rows)};
  const WarpRows<kWarpRows, kRowBytes, kStride * sizeof(State)> padded{
      barriers + warp, reinterpret_cast<unsigned char*>(rows)};
  // The ring, by 16 bytes a thread: its entries are too small for bulk copies to pay.
  uint64_t* ring_barrier = barriers + kWarps;
  const float* from_g = p.ring_g + head * ring_length * (kKda ? K : 1);
  if (valid > 0) {
    const __nv_bfloat16* from_k = p.ring_k + key_head * ring_length * K;
    const State* from_d = static_cast<const State*>(p.ring_d) + head * ring_length * V + tile_row;
    auto copy_rows = [&](auto* to, int stride, const auto* from, int from_stride, auto row_bytes) {
      constexpr int kPieces = decltype(row_bytes)::value / 16;
      constexpr int kElements = 16 / sizeof(*from);
      const int piece = threadIdx.x % kPieces * kElements;
      for (int e = threadIdx.x / kPieces; e < valid; e += kThreads / kPieces)
        copy_piece(to + e * stride + piece, from + static_cast<size_t>(e) * from_stride + piece);
    };
    copy_rows(ring_k, kStride, from_k, K, std::integral_constant<int, kRowBytes>());
    if constexpr (kKda)
      copy_rows(reinterpret_cast<float*>(entries), Layout::kEntryStride, from_g, K,
                std::integral_constant<int, K * 4>());
    copy_rows(ring_d, Shared::kDStride, from_d, V,
              std::integral_constant<int, 2 * Shared::kTileRows>());
    arrive_after_copies(ring_barrier);
  }
  {
    const State* from = state;
    if (planted(p, Fault::kWrongSlot))
      from += (slot % 2 ? -1 : 1) * static_cast<ptrdiff_t>(HV) * V * K;
    if (flush)
      padded.start(from, lane);
    else
      packed.start_initialised(from, lane);
  }

  // The token.
  const __nv_bfloat16* token = p.qkv + static_cast<size_t>(row) * (2 * H * K + HV * V);
  const __nv_bfloat16 *token_q = token + h * K, *token_k = token + (H + h) * K;
  RowPieces x;  // q in even g, k in odd ones
  x.load(g % 2 ? token_k : token_q, t);
  const __nv_bfloat16 v_in = token[2 * H * K + hv * V + own_row];
  const __nv_bfloat16 b_in = p.b[static_cast<size_t>(row) * HV + hv];
  const int column = threadIdx.x;  // KDA: the channel whose decays this thread follows
  const size_t gate_at = kKda ? static_cast<size_t>(hv) * K + column : hv;
  const __nv_bfloat16 a_in = p.a[static_cast<size_t>(row) * HV * (kKda ? K : 1) + gate_at];
  const float bias = p.gate.dt_bias[gate_at];
  __nv_bfloat16 q_column{}, k_column{};
  if constexpr (kKda) q_column = token_q[column], k_column = token_k[column];
  const float a_log = p.gate.a_log[hv];
  float weight[2] = {0, 0}, g_entry[2] = {0, 0};  // of entries lane and lane + 32
#pragma unroll
  for (int i = 0; i < 2; ++i)
    if (lane + 32 * i < valid) {
      weight[i] = p.ring_k_rnorm[key_head * ring_length + lane + 32 * i];
      if constexpr (!kKda) g_entry[i] = from_g[lane + 32 * i];
      if (planted(p, Fault::kKeyNormMissing)) weight[i] = 1;
    }

  float products[4] = {0, 0, 0, 0};  // q.q q.k in lane 0, k.q k.k in lane 4
  dot_rows(products, x, x);
  const float qq = __shfl_sync(kAll, products[0], 0), kk = __shfl_sync(kAll, products[1], 4);
  const float q_norm =
      rsqrtf(qq + kNormEpsilon) * (planted(p, Fault::kScaleMissing) ? 1.f : p.gate.scale);
  const float k_rnorm = rsqrtf(kk + kNormEpsilon);
  const float kq = __shfl_sync(kAll, products[1], 0) * q_norm * k_rnorm;
  const float own_norm = g % 2 ? k_rnorm : q_norm;

  const float g_now = log_decay<kGate>(p.gate, __expf(a_log), to_float(a_in) + bias);
  const float g_used = planted(p, Fault::kDecayDropped) ? 0.f : g_now;
  float decay = 1;  // GDN: A alpha
  auto wait_for_ring = [&] {
    if (valid > 0) wait_barrier(ring_barrier);
  };
  if constexpr (!kKda) {
    // Lane j holds entry j's decay: a suffix sum over the warp.
    float total = g_used;
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
    decay = __expf(total);
  } else {
    // One thread a channel walks down the ring; g gives way to exp(sum of later g) k.
    float suffix = g_used;
    wait_for_ring();
    for (int base = max(valid - 1, 0) / kEntryStep * kEntryStep; base >= 0; base -= kEntryStep) {
      float* e_at = reinterpret_cast<float*>(entries) + base * Layout::kEntryStride + column;
      const State* k_at = ring_k + base * kStride + column;
      float g_at[kEntryStep];
      State key[kEntryStep];
#pragma unroll
      for (int e = 0; e < kEntryStep; ++e)
        if (base + e < valid) g_at[e] = e_at[e * Layout::kEntryStride], key[e] = k_at[e * kStride];
#pragma unroll
      for (int e = kEntryStep - 1; e >= 0; --e)
        if (base + e < valid) {
          const float after = planted(p, Fault::kSuffixProductWrong) ? suffix + g_at[e] : suffix;
          e_at[e * Layout::kEntryStride] = __expf(after) * to_float(key[e]);
          suffix += g_at[e];
        }
    }
    const float all = __expf(suffix);
    total_decay[column] = all;
    uint32_t parts[kVectorParts];  // q in the low halves, k in the high
    split<kVectorParts>(to_float(q_column) * q_norm * all, to_float(k_column) * k_rnorm * all,
                        parts);
#pragma unroll
    for (int i = 0; i < kVectorParts; ++i) {
      const __nv_bfloat162 pair = reinterpret_cast<const __nv_bfloat162&>(parts[i]);
      vectors[2 * i * kStride + column] = __low2bfloat16(pair);
      vectors[(2 * i + 1) * kStride + column] = __high2bfloat16(pair);
    }
  }
  if (flush) {
    // This token's key after the last entry, and zeros up to a whole step.
    for (int e = valid; e < Layout::rounded(valid + 1); ++e) {
      Entry& entry = entries[e * Layout::kEntryStride + column];
      if constexpr (kKda)
        entry = e == valid ? to_float(k_column) * k_rnorm : 0.f;
      else
        entry = e == valid ? token_k[column] : __float2bfloat16_rn(0.f);
    }
    if constexpr (!kKda) __syncthreads();
  }
  if constexpr (kKda) {
    __syncthreads();
    // Each group of eight lanes takes every sixteenth entry's dot products.
    if (valid > 0) {
      float q[L::kChannels], k[L::kChannels], entry[L::kChannels];
      L::unpack(L::load_packed(token_q, lane8), q);
      L::unpack(L::load_packed(token_k, lane8), k);
      for (int base = 0; base < valid; base += kWarps * kGroups) {
        const int j = base + warp * kGroups + group;
        const float w0 = __shfl_sync(kAll, weight[0], j % 32),
                    w1 = __shfl_sync(kAll, weight[1], j % 32);
        float eq = 0, ek = 0;
        if (j < valid) {
          L::load_floats(reinterpret_cast<float*>(entries) + j * Layout::kEntryStride, lane8,
                         entry);
#pragma unroll
          for (int i = 0; i < L::kChannels; ++i) eq += entry[i] * q[i], ek += entry[i] * k[i];
        }
        eq = sum8(eq), ek = sum8(ek);
        const float w = j < 32 ? w0 : w1;
        if (j < valid && lane8 == 0)
          reinterpret_cast<float2*>(coefficient)[j] = {w * eq * q_norm, w * ek * k_rnorm};
      }
    }
    __syncthreads();
  } else {
    wait_for_ring();
  }

  // The ring's part of S'q and S'k.
  float sum[kTiles][4];
#pragma unroll
  for (int i = 0; i < kTiles; ++i) sum[i][0] = sum[i][1] = sum[i][2] = sum[i][3] = 0;
#pragma unroll 1
  for (int base = 0; base < valid; base += kEntryStep) {
    uint32_t b[2], mask[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int e = base + 8 * half + 2 * t;
      float c[4] = {0, 0, 0, 0};
      if constexpr (kKda) {
#pragma unroll
        for (int i = 0; i < 2; ++i) c[i] = coefficient[2 * (e + i) + g % 2];
      } else {
        RowPieces keys;
        keys.load(ring_k + (base + 8 * half + g) * kStride, t);
        dot_rows(c, x, keys);
#pragma unroll
        for (int i = 0; i < 2; ++i)
          c[i] *= own_norm * __shfl_sync(kAll, base < 32 ? weight[0] : weight[1], (e + i) % 32);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i)
        if (e + i >= valid) c[i] = 0;  // whatever lay there
      uint32_t parts[kVectorParts];
      split<kVectorParts>(c[0], c[1], parts);
      b[half] = g < 2 ? parts[0] : g < 4 ? parts[1] : g < 6 ? parts[2] : 0;
      mask[half] = (e < valid ? 0xffffu : 0) | (e + 1 < valid ? 0xffff0000u : 0);
    }
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
      uint32_t a[4] = {0, 0, 0, 0};
      const int entry = base + lane % 8 + (kHalves == 2 ? lane / 16 : lane / 8 % 2) * 8;
      const int at = warp_row + 16 * i + (kHalves == 2 ? lane / 8 % 2 * 8 : 0);
      const uint32_t from = shared_address(ring_d + entry * Shared::kDStride + at);
      if constexpr (kHalves == 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                     : "r"(from)
                     : "memory");
      else
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                     : "=r"(a[0]), "=r"(a[2])
                     : "r"(from)
                     : "memory");
      a[0] &= mask[0], a[1] &= mask[0], a[2] &= mask[1], a[3] &= mask[1];
      mma(sum[i], a, b);
    }
  }

  // The checkpoint's part.
  if constexpr (kKda) {
    if (g < 2 * kVectorParts) {
      x.load(vectors + g * kStride, t);
    } else {
#pragma unroll
      for (uint32_t& w : x.w) w = 0;
    }
  }
  auto wait_for_rows = [&] {
    if (flush)
      padded.wait();
    else
      packed.wait();
  };
  if (!planted(p, Fault::kRace)) wait_for_rows();
  // GDN: q and k are whole in columns 0 and 1, and the other columns repeat them.
  const float scale_q = t == 0 ? decay * q_norm : 0.f, scale_k = t == 0 ? decay * k_rnorm : 0.f;
  float part_q[kCombos], part_k[kCombos];
#pragma unroll
  for (int i = 0; i < kTiles; ++i) {
    float c[4] = {0, 0, 0, 0};
    const State* upper = rows + (16 * i + g) * row_stride;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const uint4 u = *reinterpret_cast<const uint4*>(upper + 8 * (t + 4 * j));
      uint4 l = {0, 0, 0, 0};
      if constexpr (kHalves == 2)
        l = *reinterpret_cast<const uint4*>(upper + 8 * row_stride + 8 * (t + 4 * j));
      const uint32_t a0[4] = {u.x, l.x, u.y, l.y}, a1[4] = {u.z, l.z, u.w, l.w};
      const uint32_t b0[2] = {x.w[4 * j], x.w[4 * j + 1]}, b1[2] = {x.w[4 * j + 2], x.w[4 * j + 3]};
      mma(c, a0, b0);
      mma(c, a1, b1);
    }
#pragma unroll
    for (int half = 0; half < kHalves; ++half) {
      part_q[kHalves * i + half] = sum[i][2 * half] + (kKda ? c[2 * half] : scale_q * c[2 * half]);
      part_k[kHalves * i + half] =
          sum[i][2 * half + 1] + (kKda ? c[2 * half + 1] : scale_k * c[2 * half + 1]);
    }
  }
  if (planted(p, Fault::kRace)) wait_for_rows();
  const int holder = lane_row % 8 * 4 + lane_row / 8;  // the lane with this lane's row
  const float state_q = __shfl_sync(kAll, sum4_transposed<kCombos>(part_q, t), holder);
  const float state_k = __shfl_sync(kAll, sum4_transposed<kCombos>(part_k, t), holder);
  const float beta = planted(p, Fault::kBetaNotApplied) ? 1.f : beta_of(p.gate, b_in);
  const float d = beta * (to_float(v_in) - state_k);
  const float o = planted(p, Fault::kRankOneMissing) ? state_q : state_q + d * kq;
  if (owner && !(planted(p, Fault::kOutputNotWritten) && own_row == V - 1))
    *out = __float2bfloat16_rn(o);

  if (!flush) {
    if (owner)
      static_cast<State*>(p.ring_d)[(head * ring_length + m) * V + own_row] =
          __float2bfloat16_rn(d);
    if (blockIdx.x == 0) {
      if constexpr (kKda)
        p.ring_g[(head * ring_length + m) * K + column] = g_now;
      else if (threadIdx.x == 0)
        p.ring_g[head * ring_length + m] = g_now;
      // The first value head of a key head keeps the key; nobody reads entry m in this launch.
      if (hv % (HV / H) == 0 && threadIdx.x < K / 8) {
        reinterpret_cast<uint4*>(p.ring_k + (key_head * ring_length + m) * K)[threadIdx.x] =
            reinterpret_cast<const uint4*>(token_k)[threadIdx.x];
        if (threadIdx.x == 0) p.ring_k_rnorm[key_head * ring_length + m] = k_rnorm;
      }
    }
    return;
  }
  if (planted(p, Fault::kFlushSkipped)) return;
  __syncwarp();
  Flush<kGate, State, K, kRows>().run(
      [&](int entry, int r) { return to_float(ring_d[entry * Shared::kDStride + warp_row + r]); },
      rows, valid, entries, weight, d, kKda ? 1.f : k_rnorm, decay, total_decay, lane);
  padded.store(state, lane);
#endif
}

}  // namespace sglint::gpu
