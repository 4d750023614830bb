#pragma once

#include "native/gpu/cuda/kernels/launch.h"

namespace sglint::gpu {

// The launchers of one gate and one state type; each pair is compiled in a file of its own
// (gdn_f32.cu, …).
template <Gate kGate, typename State>
struct Instances {
  static cudaError_t decode(const DecodeParams& p, cudaStream_t stream, Tile tile);
  static cudaError_t decode_simple(const DecodeParams& p, cudaStream_t stream);
  static cudaError_t verify(const VerifyParams& p, cudaStream_t stream);
  static cudaError_t fold(const FoldParams& p, cudaStream_t stream);
};

}  // namespace sglint::gpu
