// Picks the instance of a kernel for the run-time shape. Included by one file for each gate and
// state type, so that they compile in parallel.
#pragma once

#include <type_traits>

#include "native/gpu/cuda/kernels/decode.cuh"
#include "native/gpu/cuda/kernels/decode_simple.cuh"
#include "native/gpu/cuda/kernels/decode_tensor.cuh"
#include "native/gpu/cuda/kernels/instances.h"
#include "native/gpu/cuda/kernels/speculative.cuh"

namespace sglint::gpu {

namespace instances {

struct DeviceLimits {
  int shared_per_sm = 0, sms = 0, major = 0;
};
inline cudaError_t device_limits(DeviceLimits& limits) {
  int device;
  if (cudaError_t e = cudaGetDevice(&device); e != cudaSuccess) return e;
  if (cudaError_t e = cudaDeviceGetAttribute(&limits.shared_per_sm,
                                             cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
      e != cudaSuccess)
    return e;
  if (cudaError_t e =
          cudaDeviceGetAttribute(&limits.major, cudaDevAttrComputeCapabilityMajor, device);
      e != cudaSuccess)
    return e;
  return cudaDeviceGetAttribute(&limits.sms, cudaDevAttrMultiProcessorCount, device);
}

// For a bf16 state. Fewer heads than multiprocessors are bound by latency, where the CUDA cores'
// kernel is a little ahead (measured, H200).
inline bool use_tensor_cores(const DecodeParams& p, const DeviceLimits& limits) {
  if (p.ring_length == 0 || p.ring_dtype != Dtype::kBf16 || p.heads.head_k != kTensorHeadK ||
      limits.major < 9 || p.products == Products::kCudaCores)
    return false;
  return p.products == Products::kTensorCores ||
         static_cast<long>(p.rows) * p.heads.v_heads >= limits.sms;
}

inline cudaError_t launch(void (*kernel)(DecodeParams), dim3 grid, size_t bytes,
                          const DecodeParams& p, cudaStream_t stream) {
  if (cudaError_t e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(bytes));
      e != cudaSuccess)
    return e;
  kernel<<<grid, kThreads, bytes, stream>>>(p);
  return cudaGetLastError();
}

template <Gate kGate, typename State, int kHeadK, int kRows, bool kReplay>
cudaError_t decode(const DecodeParams& p, cudaStream_t stream) {
  using Shared = DecodeShared<kGate, State, kHeadK, kRows, kReplay>;
  const dim3 grid(p.heads.head_v / Shared::kTileRows, p.heads.v_heads, p.rows);
  return launch(decode_kernel<kGate, State, kHeadK, kRows, kReplay>, grid,
                Shared::bytes(p.ring_length), p, stream);
}

template <Gate kGate, typename State, int kHeadK, int kRows>
cudaError_t decode(const DecodeParams& p, const DeviceLimits& limits, cudaStream_t stream) {
  if (p.ring_length == 0) return decode<kGate, State, kHeadK, kRows, false>(p, stream);
  if constexpr (std::is_same_v<State, __nv_bfloat16> && kHeadK == kTensorHeadK) {
    using Shared = TensorShared<kGate, kRows>;
    if (use_tensor_cores(p, limits))
      return launch(decode_tensor_kernel<kGate, kRows>,
                    dim3(p.heads.head_v / Shared::kTileRows, p.heads.v_heads, p.rows),
                    Shared::bytes(p.ring_length), p, stream);
  }
  if (p.products == Products::kTensorCores) return cudaErrorNotSupported;
  return decode<kGate, State, kHeadK, kRows, true>(p, stream);
}

// Large tiles read each head's ring once and have the most bytes in flight; small ones spread few
// heads over more multiprocessors and fit where shared memory is scarce. The two thresholds are
// measured (H200).
inline Tile choose_tile(const DecodeParams& p, int state_bytes, bool tensor_cores,
                        const DeviceLimits& limits) {
  const long heads = static_cast<long>(p.rows) * p.heads.v_heads;
  for (Tile tile : {Tile::kRows128, Tile::kRows64}) {
    const int rows = static_cast<int>(tile) * kGroups * kWarps;
    if (p.heads.head_v % rows != 0) continue;
    const int bytes =
        rows * (p.heads.head_k * state_bytes + 16) + p.ring_length * p.heads.head_k * 4 + 2048;
    if (limits.shared_per_sm / bytes < 2) continue;
    if (heads * p.heads.head_v / rows < (tensor_cores ? 1L : 2L) * limits.sms) continue;
    if (tile == Tile::kRows128 && state_bytes == 4 && heads < 16L * limits.sms) continue;
    return tile;
  }
  return Tile::kRows32;
}

}  // namespace instances

template <Gate kGate, typename State>
cudaError_t Instances<kGate, State>::decode(const DecodeParams& p, cudaStream_t stream, Tile tile) {
  instances::DeviceLimits limits;
  if (cudaError_t e = instances::device_limits(limits); e != cudaSuccess) return e;
  if (tile == Tile::kAuto) {
    const bool tensor_cores =
        std::is_same_v<State, __nv_bfloat16> && instances::use_tensor_cores(p, limits);
    tile = instances::choose_tile(p, sizeof(State), tensor_cores, limits);
  }
  if (p.heads.head_v % (static_cast<int>(tile) * kGroups * kWarps) != 0)
    return cudaErrorInvalidValue;
  if (p.heads.head_k == 128) {
    switch (tile) {
      case Tile::kRows128:
        return instances::decode<kGate, State, 128, 8>(p, limits, stream);
      case Tile::kRows64:
        return instances::decode<kGate, State, 128, 4>(p, limits, stream);
      default:
        return instances::decode<kGate, State, 128, 2>(p, limits, stream);
    }
  }
  return tile == Tile::kRows32 ? instances::decode<kGate, State, 64, 2>(p, limits, stream)
                               : instances::decode<kGate, State, 64, 4>(p, limits, stream);
}

template <Gate kGate, typename State>
cudaError_t Instances<kGate, State>::decode_simple(const DecodeParams& p, cudaStream_t stream) {
  decode_simple_kernel<kGate, State>
      <<<dim3(p.heads.v_heads, p.rows), p.heads.head_v, 0, stream>>>(p);
  return cudaGetLastError();
}

template <Gate kGate, typename State>
cudaError_t Instances<kGate, State>::verify(const VerifyParams& p, cudaStream_t stream) {
  const dim3 grid(p.heads.head_v / kFoldTileRows, p.heads.v_heads, p.rows);
  if (p.heads.head_k == 128)
    verify_kernel<kGate, State, 128><<<grid, kThreads, 0, stream>>>(p);
  else
    verify_kernel<kGate, State, 64><<<grid, kThreads, 0, stream>>>(p);
  return cudaGetLastError();
}

template <Gate kGate, typename State>
cudaError_t Instances<kGate, State>::fold(const FoldParams& p, cudaStream_t stream) {
  const dim3 grid(p.heads.head_v / kFoldTileRows, p.heads.v_heads, p.rows);
  if (p.heads.head_k == 128)
    fold_kernel<kGate, State, 128><<<grid, kThreads, 0, stream>>>(p);
  else
    fold_kernel<kGate, State, 64><<<grid, kThreads, 0, stream>>>(p);
  return cudaGetLastError();
}

}  // namespace sglint::gpu
