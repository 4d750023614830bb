// Launchers: choose a tile for the device, check what the kernels assume, return the error of the
// launch.
#pragma once

#include "native/gpu/cuda/kernels/params.h"

namespace sglint::gpu {

// How many rows of the state one block takes; kAuto weighs the grid against the device's shared
// memory.
enum class Tile : int { kAuto = 0, kRows32 = 2, kRows64 = 4, kRows128 = 8 };

// Plain decode for ring_length 0, ReplaySSM decode else. One launch serves all phases of the ring,
// so that a captured graph stays valid.
cudaError_t launch_decode(const DecodeParams& p, Gate gate, Dtype state, cudaStream_t stream,
                          Tile tile = Tile::kAuto);

// The same contract, written for clarity: one thread a channel, fp64 sums, no shared memory.
cudaError_t launch_decode_simple(const DecodeParams& p, Gate gate, Dtype state,
                                 cudaStream_t stream);

cudaError_t launch_verify(const VerifyParams& p, Gate gate, Dtype state, cudaStream_t stream);
cudaError_t launch_fold(const FoldParams& p, Gate gate, Dtype state, cudaStream_t stream);

// write_pos[row] = cursor[slot[row]], before the decode of a step.
cudaError_t launch_gather_cursors(const CursorParams& p, cudaStream_t stream);
// After the decode of all layers: +1, or 0 after a flush.
cudaError_t launch_advance_cursors(const CursorParams& p, cudaStream_t stream);

}  // namespace sglint::gpu
