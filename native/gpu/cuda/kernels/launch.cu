#include "native/gpu/cuda/kernels/common.cuh"
#include "native/gpu/cuda/kernels/instances.h"
#include "native/gpu/cuda/kernels/launch.h"

namespace sglint::gpu {

namespace {

// Calls f with the Instances of a gate and a state type.
template <typename F>
cudaError_t with_instances(Gate gate, Dtype state, F f) {
  if (gate == Gate::kGdn) {
    switch (state) {
      case Dtype::kF32:
        return f(Instances<Gate::kGdn, float>());
      case Dtype::kBf16:
        return f(Instances<Gate::kGdn, __nv_bfloat16>());
      case Dtype::kF16:
        return f(Instances<Gate::kGdn, __half>());
    }
  } else {
    switch (state) {
      case Dtype::kF32:
        return f(Instances<Gate::kKda, float>());
      case Dtype::kBf16:
        return f(Instances<Gate::kKda, __nv_bfloat16>());
      case Dtype::kF16:
        return f(Instances<Gate::kKda, __half>());
    }
  }
  return cudaErrorInvalidValue;
}

constexpr int kMaxRows = 65535;  // rows are the grid's z

bool supported(const Heads& h, int rows) {
  return h.k_heads > 0 && h.v_heads > 0 && h.v_heads % h.k_heads == 0 &&
         (h.head_k == 64 || h.head_k == 128) && h.head_v > 0 && h.head_v % 64 == 0 &&
         h.head_v <= 1024 && rows > 0 && rows <= kMaxRows;
}

__global__ void gather_cursors_kernel(const CursorParams p) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < p.rows) p.write_pos[row] = p.slot[row] < 0 ? 0 : p.cursor[p.slot[row]];
}

__global__ void advance_cursors_kernel(const CursorParams p) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= p.rows || p.slot[row] < 0) return;
  const int slot = p.slot[row], m = p.cursor[slot];
  if (planted(p, Fault::kCursorNotAdvanced) && slot % 2 == 1) return;
  bool flush = m >= p.ring_length - 1;
  if (p.force_flush != nullptr && !planted(p, Fault::kFlushLate)) flush |= p.force_flush[row] != 0;
  p.cursor[slot] = flush ? 0 : m + 1;
}

}  // namespace

cudaError_t launch_decode(const DecodeParams& p, Gate gate, Dtype state, cudaStream_t stream,
                          Tile tile) {
  if (!supported(p.heads, p.rows) || p.ring_length < 0 || p.ring_length > kMaxRingLength)
    return cudaErrorInvalidValue;
  return with_instances(gate, state, [&](auto i) { return i.decode(p, stream, tile); });
}

cudaError_t launch_decode_simple(const DecodeParams& p, Gate gate, Dtype state,
                                 cudaStream_t stream) {
  if (!supported(p.heads, p.rows)) return cudaErrorInvalidValue;
  return with_instances(gate, state, [&](auto i) { return i.decode_simple(p, stream); });
}

cudaError_t launch_verify(const VerifyParams& p, Gate gate, Dtype state, cudaStream_t stream) {
  if (!supported(p.heads, p.rows) || p.drafts < 1 || p.drafts > p.window_length)
    return cudaErrorInvalidValue;
  return with_instances(gate, state, [&](auto i) { return i.verify(p, stream); });
}

cudaError_t launch_fold(const FoldParams& p, Gate gate, Dtype state, cudaStream_t stream) {
  if (!supported(p.heads, p.rows)) return cudaErrorInvalidValue;
  return with_instances(gate, state, [&](auto i) { return i.fold(p, stream); });
}

cudaError_t launch_gather_cursors(const CursorParams& p, cudaStream_t stream) {
  gather_cursors_kernel<<<(p.rows + 127) / 128, 128, 0, stream>>>(p);
  return cudaGetLastError();
}

cudaError_t launch_advance_cursors(const CursorParams& p, cudaStream_t stream) {
  advance_cursors_kernel<<<(p.rows + 127) / 128, 128, 0, stream>>>(p);
  return cudaGetLastError();
}

const char* fault_name(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return "none";
    case Fault::kDecayDropped:
      return "decay_dropped";
    case Fault::kSuffixProductWrong:
      return "suffix_product_wrong";
    case Fault::kStaleRingEntry:
      return "stale_ring_entry";
    case Fault::kCursorNotAdvanced:
      return "cursor_not_advanced";
    case Fault::kFlushSkipped:
      return "flush_skipped";
    case Fault::kFlushLate:
      return "flush_late";
    case Fault::kPaddedRowWritten:
      return "padded_row_written";
    case Fault::kHeadMapWrong:
      return "head_map_wrong";
    case Fault::kBetaNotApplied:
      return "beta_not_applied";
    case Fault::kScaleMissing:
      return "scale_missing";
    case Fault::kWrongSlot:
      return "wrong_slot";
    case Fault::kRace:
      return "race";
    case Fault::kKeyNormMissing:
      return "key_norm_missing";
    case Fault::kRankOneMissing:
      return "rank_one_missing";
    case Fault::kOutputNotWritten:
      return "output_not_written";
    case Fault::kCopyKeepsCursor:
      return "copy_keeps_cursor";
    case Fault::kFoldOneTooMany:
      return "fold_one_too_many";
    case Fault::kVerifyWritesState:
      return "verify_writes_state";
    case Fault::kCount:
      break;
  }
  return nullptr;
}

}  // namespace sglint::gpu
