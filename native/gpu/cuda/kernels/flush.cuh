// The flush of a ReplaySSM step: S0 <- S0 Diag(A alpha) + sum_j d_j (alpha W_j k_j)^T + d k^T, on
// tensor cores.
//
// With up to 64 entries this is the one part of a step that is arithmetic rather than memory. It is
// a product of a warp's rows x 16 entries with 16 entries x K, done in bf16 without losing fp32's
// digits: a number is split into bf16 parts (x = hi + mid + lo, 8 bits each), and only products
// below the precision wanted are left out. GDN's keys are bf16 as they came (their scalar weights
// go into d), so they need no split at all. The token of this step takes part as one more entry.
#pragma once

#include "native/gpu/cuda/kernels/common.cuh"

namespace sglint::gpu {

inline constexpr int kEntryStep = 16;  // entries of one tensor-core step

// c += a b: 16x16 by 16x8, bf16 operands, fp32 sums.
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// A pair of numbers as sums of bf16 pairs, largest part first.
template <int kParts>
__device__ __forceinline__ void split(float x, float y, uint32_t (&parts)[kParts]) {
#pragma unroll
  for (int i = 0; i < kParts; ++i) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(x, y);
    parts[i] = reinterpret_cast<const uint32_t&>(pair);
    x -= __low2float(pair), y -= __high2float(pair);
  }
}

// How a block lays its rows of the state and the ring's entries out for the flush. Rows are padded
// by 16 bytes: what a tensor-core fragment takes from eight rows then lies in different banks.
template <Gate kGate, typename State, int kHeadK>
struct FlushLayout {
  // What an entry contributes per channel: for GDN the key as it came, for KDA exp(sum of later
  // decays) * key.
  using Entry = std::conditional_t<kGate == Gate::kKda, float, __nv_bfloat16>;
  static constexpr int kRowStride = kHeadK + 16 / sizeof(State);
  static constexpr int kEntryStride = kHeadK + 16 / sizeof(Entry);
  static __host__ __device__ constexpr int rounded(int entries) {
    return (entries + kEntryStep - 1) / kEntryStep * kEntryStep;
  }
};

__device__ __forceinline__ float2 load_pair(const float* x) {
  return *reinterpret_cast<const float2*>(x);
}
__device__ __forceinline__ float2 load_pair(const __nv_bfloat16* x) {
  return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(x));
}
__device__ __forceinline__ float2 load_pair(const __half* x) {
  return __half22float2(*reinterpret_cast<const __half2*>(x));
}
__device__ __forceinline__ void store_pair(float* to, float x, float y) {
  *reinterpret_cast<float2*>(to) = {x, y};
}
__device__ __forceinline__ void store_pair(__nv_bfloat16* to, float x, float y) {
  *reinterpret_cast<__nv_bfloat162*>(to) = __floats2bfloat162_rn(x, y);
}
__device__ __forceinline__ void store_pair(__half* to, float x, float y) {
  *reinterpret_cast<__half2*>(to) = __floats2half2_rn(x, y);
}

// Fragments of one step of entries (the "col" operand) for one block of eight channels.
template <int kParts>
__device__ __forceinline__ void load_entries(const float* entries, int stride, int lane,
                                             int channel, uint32_t (&b)[kParts][2]) {
  const float* at = entries + lane % 4 * 2 * stride + channel + lane / 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    uint32_t parts[kParts];
    split<kParts>(at[8 * half * stride], at[(8 * half + 1) * stride], parts);
#pragma unroll
    for (int i = 0; i < kParts; ++i) b[i][half] = parts[i];
  }
}
template <int kParts>
__device__ __forceinline__ void load_entries(const __nv_bfloat16* entries, int stride, int lane,
                                             int channel, uint32_t (&b)[kParts][2]) {
  static_assert(kParts == 1);
  const __nv_bfloat16* at = entries + lane % 16 * stride + channel;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(b[0][0]), "=r"(b[0][1])
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(at)))
               : "memory");
}

// A flush of one warp's rows. Its part of the ring is loaded before the rows arrive: lanes and
// registers as the tensor core wants them.
template <Gate kGate, typename State, int kHeadK, int kRows>
struct Flush {
  using Layout = FlushLayout<kGate, State, kHeadK>;
  using Entry = typename Layout::Entry;
  static constexpr bool kKda = kGate == Gate::kKda;
  static constexpr int kWarpRows = kGroups * kRows;
  static constexpr int kTiles = kWarpRows >= 16 ? kWarpRows / 16 : 1;
  static constexpr int kHalves = kWarpRows >= 16 ? 2 : 1;  // of a tile of 16 rows that exist
  static constexpr int kParts = sizeof(State) == 4 ? 3 : 2;
  static constexpr int kEntryParts = kKda ? kParts : 1;

  uint32_t d[kTiles][kParts][4];

  // d of the rows and the entries [base, base + 16), weighted and split; zero from entry `valid`
  // on. weight[w] of a lane belongs to entry lane + 32 w.
  template <typename RingDOf>
  __device__ __forceinline__ void load_d(RingDOf ring_d_of, int base, int valid,
                                         const float (&weight)[2], int lane) {
#pragma unroll
    for (int late = 0; late < 2; ++late) {
      float w[2];
      const int e = base + lane % 4 * 2 + 8 * late;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const float low = __shfl_sync(kAll, weight[0], (e + i) % 32);
        const float high = __shfl_sync(kAll, weight[1], (e + i) % 32);
        w[i] = e + i < 32 ? low : high;
      }
#pragma unroll
      for (int t = 0; t < kTiles; ++t)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float x[2] = {0, 0};
          if (half < kHalves) {
#pragma unroll
            for (int i = 0; i < 2; ++i)
              if (e + i < valid) x[i] = w[i] * ring_d_of(e + i, t * 16 + half * 8 + lane / 4);
          }
          uint32_t parts[kParts];
          split<kParts>(x[0], x[1], parts);
#pragma unroll
          for (int i = 0; i < kParts; ++i) d[t][i][half + 2 * late] = parts[i];
        }
    }
  }

  // The rows, in place in shared memory. ring_d_of(entry, row) is the ring's d. d_now (of this
  // token, in the lane that owns the row) and `key`, which is entry `valid` times key_norm, are the
  // last, rank-one part.
  template <typename RingDOf>
  __device__ __forceinline__ void run(RingDOf ring_d_of, State* rows, int valid,
                                      const Entry* entries, const float (&weight)[2], float d_now,
                                      float key_norm, float decay, const float* total_decay,
                                      int lane) {
    float d_row[kTiles][kHalves];
#pragma unroll
    for (int t = 0; t < kTiles; ++t)
#pragma unroll
      for (int half = 0; half < kHalves; ++half) {
        const int row = t * 16 + half * 8 + lane / 4;
        d_row[t][half] =
            key_norm * __shfl_sync(kAll, d_now, row / kRows * kLanesPerRow + row % kRows);
      }
    const Entry* key = entries + valid * Layout::kEntryStride;
    auto channels = [&](int channel, auto add_entries) {
      const int own = channel + lane % 4 * 2;  // this lane's pair of channels
      State* pairs = rows + lane / 4 * Layout::kRowStride + own;
      float2 decays = {decay, decay};
      if constexpr (kKda) decays = load_pair(total_decay + own);
      const float2 k = load_pair(key + own);
      float c[kTiles][4];
#pragma unroll
      for (int t = 0; t < kTiles; ++t)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          c[t][2 * half] = c[t][2 * half + 1] = 0;
          if (half < kHalves) {
            const float2 s = load_pair(pairs + (t * 16 + half * 8) * Layout::kRowStride);
            c[t][2 * half] = s.x * decays.x + d_row[t][half] * k.x;
            c[t][2 * half + 1] = s.y * decays.y + d_row[t][half] * k.y;
          }
        }
      add_entries(c);
#pragma unroll
      for (int t = 0; t < kTiles; ++t)
#pragma unroll
        for (int half = 0; half < kHalves; ++half)
          store_pair(pairs + (t * 16 + half * 8) * Layout::kRowStride, c[t][2 * half],
                     c[t][2 * half + 1]);
    };
    auto step = [&](float(&c)[kTiles][4], int channel, int base) {
      uint32_t b[kEntryParts][2];
      load_entries<kEntryParts>(entries + base * Layout::kEntryStride, Layout::kEntryStride, lane,
                                channel, b);
#pragma unroll
      for (int sum = kParts - 1; sum >= 0; --sum)  // small products first
#pragma unroll
        for (int i = 0; i <= sum; ++i)
          if (sum - i < kEntryParts)
#pragma unroll
            for (int t = 0; t < kTiles; ++t) mma(c[t], d[t][i], b[sum - i]);
    };
    if (valid <= kEntryStep) {  // rings up to 17: straight, so that channels overlap
      load_d(ring_d_of, 0, valid, weight, lane);
#pragma unroll 4
      for (int channel = 0; channel < kHeadK; channel += 8)
        channels(channel, [&](float(&c)[kTiles][4]) { step(c, channel, 0); });
    } else {
#pragma unroll 1
      for (int channel = 0; channel < kHeadK; channel += 8)
        channels(channel, [&](float(&c)[kTiles][4]) {
#pragma unroll 1
          for (int base = 0; base < valid; base += kEntryStep) {
            load_d(ring_d_of, base, valid, weight, lane);
            step(c, channel, base);
          }
        });
    }
  }
};

}  // namespace sglint::gpu
