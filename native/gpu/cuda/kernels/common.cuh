// Conversions, reductions and the layout that decode, verify and fold share.
//
// Eight lanes hold one row of the state: lane l of the eight keeps the 16-byte pieces l, l+8, … of
// the row, so that eight neighbouring lanes always touch 128 contiguous bytes. A warp therefore
// works on four rows at once.
#pragma once

#include "native/gpu/cuda/kernels/params.h"

namespace sglint::gpu {

inline constexpr int kWarps = 4;
inline constexpr int kThreads = 32 * kWarps;
inline constexpr int kLanesPerRow = 8;
inline constexpr int kGroups = 32 / kLanesPerRow;  // rows that a warp works on at once
inline constexpr float kNormEpsilon = 1e-6f;
inline constexpr unsigned kAll = 0xffffffffu;

template <typename P>
__device__ __forceinline__ bool planted(const P& p, Fault fault) {
  if constexpr (kFaultInjection) return p.fault == fault;
  return false;
}

__device__ __forceinline__ float to_float(float x) { return x; }
__device__ __forceinline__ float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ __forceinline__ float to_float(__half x) { return __half2float(x); }

// 16 bytes of a row of the state, in registers.
template <typename State>
struct Piece;

template <>
struct Piece<float> {
  static constexpr int kCount = 4;
  static __device__ __forceinline__ void unpack(uint4 u, float* x) {
    x[0] = __uint_as_float(u.x), x[1] = __uint_as_float(u.y);
    x[2] = __uint_as_float(u.z), x[3] = __uint_as_float(u.w);
  }
  static __device__ __forceinline__ uint4 pack(const float* x) {
    return {__float_as_uint(x[0]), __float_as_uint(x[1]), __float_as_uint(x[2]),
            __float_as_uint(x[3])};
  }
};

template <>
struct Piece<__nv_bfloat16> {
  static constexpr int kCount = 8;
  static __device__ __forceinline__ void unpack(uint4 u, float* x) {
    const uint32_t w[4] = {u.x, u.y, u.z, u.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      x[2 * i] = __uint_as_float(w[i] << 16);
      x[2 * i + 1] = __uint_as_float(w[i] & 0xffff0000u);
    }
  }
  static __device__ __forceinline__ uint4 pack(const float* x) {
    uint32_t w[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const __nv_bfloat162 pair = __floats2bfloat162_rn(x[2 * i], x[2 * i + 1]);
      w[i] = reinterpret_cast<const uint32_t&>(pair);
    }
    return {w[0], w[1], w[2], w[3]};
  }
};

template <>
struct Piece<__half> {
  static constexpr int kCount = 8;
  static __device__ __forceinline__ void unpack(uint4 u, float* x) {
    const uint32_t w[4] = {u.x, u.y, u.z, u.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 pair = __half22float2(reinterpret_cast<const __half2&>(w[i]));
      x[2 * i] = pair.x, x[2 * i + 1] = pair.y;
    }
  }
  static __device__ __forceinline__ uint4 pack(const float* x) {
    uint32_t w[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const __half2 pair = __floats2half2_rn(x[2 * i], x[2 * i + 1]);
      w[i] = reinterpret_cast<const uint32_t&>(pair);
    }
    return {w[0], w[1], w[2], w[3]};
  }
};

// Where one lane stands in a row of K channels.
template <typename State, int kHeadK>
struct Lane {
  static constexpr int kPiece = Piece<State>::kCount;               // channels in 16 bytes
  static constexpr int kPieces = kHeadK / (kLanesPerRow * kPiece);  // pieces a lane holds
  static constexpr int kChannels = kPiece * kPieces;
  static_assert(kPieces >= 1);

  __device__ __forceinline__ static int channel(int lane8, int piece) {
    return (piece * kLanesPerRow + lane8) * kPiece;
  }

  // This lane's part of a row of the state.
  __device__ __forceinline__ static void load_state(const State* row, int lane8, float* x) {
#pragma unroll
    for (int c = 0; c < kPieces; ++c)
      Piece<State>::unpack(*reinterpret_cast<const uint4*>(row + channel(lane8, c)),
                           x + c * kPiece);
  }
  __device__ __forceinline__ static void store_state(State* row, int lane8, const float* x) {
#pragma unroll
    for (int c = 0; c < kPieces; ++c)
      *reinterpret_cast<uint4*>(row + channel(lane8, c)) = Piece<State>::pack(x + c * kPiece);
  }

  // This lane's part of a bf16 vector over K (q, k), still packed.
  struct Packed {
    uint32_t w[kChannels / 2];
  };
  __device__ __forceinline__ static Packed load_packed(const __nv_bfloat16* vector, int lane8) {
    Packed p;
#pragma unroll
    for (int c = 0; c < kPieces; ++c) {
      if constexpr (kPiece == 4) {
        const uint2 u = *reinterpret_cast<const uint2*>(vector + channel(lane8, c));
        p.w[2 * c] = u.x, p.w[2 * c + 1] = u.y;
      } else {
        const uint4 u = *reinterpret_cast<const uint4*>(vector + channel(lane8, c));
        p.w[4 * c] = u.x, p.w[4 * c + 1] = u.y, p.w[4 * c + 2] = u.z, p.w[4 * c + 3] = u.w;
      }
    }
    return p;
  }
  __device__ __forceinline__ static void store_packed(__nv_bfloat16* vector, int lane8,
                                                      const Packed& p) {
#pragma unroll
    for (int c = 0; c < kPieces; ++c) {
      if constexpr (kPiece == 4)
        *reinterpret_cast<uint2*>(vector + channel(lane8, c)) = {p.w[2 * c], p.w[2 * c + 1]};
      else
        *reinterpret_cast<uint4*>(vector + channel(lane8, c)) = {p.w[4 * c], p.w[4 * c + 1],
                                                                 p.w[4 * c + 2], p.w[4 * c + 3]};
    }
  }
  __device__ __forceinline__ static void unpack(const Packed& p, float* x) {
#pragma unroll
    for (int i = 0; i < kChannels / 2; ++i) {
      x[2 * i] = __uint_as_float(p.w[i] << 16);
      x[2 * i + 1] = __uint_as_float(p.w[i] & 0xffff0000u);
    }
  }

  // This lane's part of an fp32 vector over K.
  __device__ __forceinline__ static void load_floats(const float* vector, int lane8, float* x) {
#pragma unroll
    for (int c = 0; c < kPieces; ++c)
#pragma unroll
      for (int i = 0; i < kPiece; i += 4) {
        const float4 f = *reinterpret_cast<const float4*>(vector + channel(lane8, c) + i);
        float* to = x + c * kPiece + i;
        to[0] = f.x, to[1] = f.y, to[2] = f.z, to[3] = f.w;
      }
  }
  __device__ __forceinline__ static void store_floats(float* vector, int lane8, const float* x) {
#pragma unroll
    for (int c = 0; c < kPieces; ++c)
#pragma unroll
      for (int i = 0; i < kPiece; i += 4) {
        const float* from = x + c * kPiece + i;
        *reinterpret_cast<float4*>(vector + channel(lane8, c) + i) = {from[0], from[1], from[2],
                                                                      from[3]};
      }
  }
};

// The ring's d in its run-time type.
__device__ __forceinline__ float load_ring_d(const DecodeParams& p, size_t at) {
  switch (p.ring_dtype) {
    case Dtype::kF32:
      return static_cast<const float*>(p.ring_d)[at];
    case Dtype::kBf16:
      return to_float(static_cast<const __nv_bfloat16*>(p.ring_d)[at]);
    default:
      return to_float(static_cast<const __half*>(p.ring_d)[at]);
  }
}
__device__ __forceinline__ void store_ring_d(const DecodeParams& p, size_t at, float d) {
  switch (p.ring_dtype) {
    case Dtype::kF32:
      static_cast<float*>(p.ring_d)[at] = d;
      break;
    case Dtype::kBf16:
      static_cast<__nv_bfloat16*>(p.ring_d)[at] = __float2bfloat16_rn(d);
      break;
    default:
      static_cast<__half*>(p.ring_d)[at] = __float2half_rn(d);
  }
}

__device__ __forceinline__ float sum8(float x) {
#pragma unroll
  for (int bit = 1; bit < kLanesPerRow; bit *= 2) x += __shfl_xor_sync(kAll, x, bit);
  return x;
}

// Sums kRows values over the eight lanes; lane l of the eight gets the sum of value l % kRows.
// Each exchange halves the number of values a lane still carries: 7 shuffles for 8 values instead
// of 24.
template <int kRows>
__device__ __forceinline__ float sum8_transposed(const float (&x)[kRows], int lane8) {
  static_assert(kRows == 2 || kRows == 4 || kRows == 8);
  float y[kRows];
#pragma unroll
  for (int i = 0; i < kRows; ++i) y[i] = x[i];
#pragma unroll
  for (int half = kRows / 2; half >= 1; half /= 2) {
    const bool upper = lane8 & half;
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const float keep = upper ? y[i + half] : y[i];
      const float send = upper ? y[i] : y[i + half];
      y[i] = keep + __shfl_xor_sync(kAll, send, half);
    }
  }
#pragma unroll
  for (int bit = kRows; bit < kLanesPerRow; bit *= 2) y[0] += __shfl_xor_sync(kAll, y[0], bit);
  return y[0];
}

__device__ __forceinline__ float sigmoid(float x) { return 1.f / (1.f + __expf(-x)); }

__device__ __forceinline__ float softplus(float x) { return x > 20.f ? x : log1pf(__expf(x)); }

// g of one head (GDN) or one channel (KDA), from x = a + dt_bias and exp(A_log).
template <Gate kGate>
__device__ __forceinline__ float log_decay(const GateParams& gate, float exp_a_log, float x) {
  if constexpr (kGate == Gate::kKda) {
    if (gate.safe_gate) return gate.lower_bound * sigmoid(exp_a_log * x);
  }
  return -exp_a_log * softplus(x);
}

__device__ __forceinline__ float beta_of(const GateParams& gate, __nv_bfloat16 b) {
  const float beta = sigmoid(to_float(b));
  return gate.round_beta ? to_float(__float2bfloat16_rn(beta)) : beta;
}

}  // namespace sglint::gpu
