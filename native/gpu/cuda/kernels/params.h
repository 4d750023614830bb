// What the kernels are given. Raw device pointers and sizes, no framework.
//
// Layouts (innermost last), as SGLang's: state [slot, HV, V, K]; ring d [slot, HV, L, V], k [slot,
// H, L, K], g [slot, HV, L] or [slot, HV, L, K]. The ring keeps k as it came (bf16, before the
// norm) with its fp32 reciprocal norm beside it: lossless, and half the bytes of a normalised fp32
// k.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "native/gpu/cuda/kernels/fault.h"

namespace sglint::gpu {

enum class Gate : int { kGdn, kKda };
enum class Dtype : int { kF32, kBf16, kF16 };

// Tensor cores serve bf16 states with bf16 rings and K = 128 on sm_90 and later; kAuto takes them
// where there are heads enough to fill the device.
enum class Products : int { kAuto, kCudaCores, kTensorCores };

inline constexpr int kMaxRingLength = 64;

struct Heads {
  int k_heads;  // H
  int v_heads;  // HV, a multiple of H
  int head_k;   // K: 64 or 128
  int head_v;   // V: a multiple of 64
};

struct GateParams {
  const float* a_log;    // [HV]
  const float* dt_bias;  // [HV] or [HV, K]
  float scale;           // on the normalised q, usually K^-1/2
  float lower_bound;     // of the safe gate
  bool safe_gate;        // KDA: lower_bound * sigmoid(exp(A_log) (a + dt_bias))
  bool round_beta;       // beta to bf16, as SGLang's GDN and replay kernels do
};

struct DecodeParams {
  Heads heads;
  GateParams gate;
  int rows;
  const __nv_bfloat16* qkv;  // [rows, 2*H*K + HV*V]
  const __nv_bfloat16* a;    // [rows, HV] or [rows, HV, K]
  const __nv_bfloat16* b;    // [rows, HV]
  const int32_t* slot;       // [rows]; -1: output 0, nothing else touched
  void* state;
  __nv_bfloat16* out;  // [rows, HV, V]

  // The rest is for replay; ring_length 0 is plain decode.
  int ring_length;
  Dtype ring_dtype;  // of ring_d
  void* ring_d;
  __nv_bfloat16* ring_k;
  float* ring_k_rnorm;  // [slot, H, L]
  float* ring_g;
  const int32_t* write_pos;    // [rows], entries of the ring that are valid
  const int32_t* force_flush;  // [rows] or nullptr

  Products products;  // of a replay step
  Fault fault;
};

// Speculative verify: T draft tokens a row from a read-only state, raw inputs kept for the fold.
struct VerifyParams {
  Heads heads;
  GateParams gate;
  int rows;
  int drafts;                // T
  const __nv_bfloat16* qkv;  // [rows, T, 2*H*K + HV*V]
  const __nv_bfloat16* a;    // [rows, T, HV] or [rows, T, HV, K]
  const __nv_bfloat16* b;    // [rows, T, HV]
  const int32_t* slot;
  void* state;
  __nv_bfloat16* out;  // [rows, T, HV, V]

  int window_length;        // >= T
  __nv_bfloat16* window_v;  // [slot, HV, W, V]
  __nv_bfloat16* window_k;  // [slot, H, W, K], before the norm
  float* window_g;          // [slot, HV, W] or [slot, HV, W, K]
  float* window_beta;       // [slot, HV, W]

  Fault fault;
};

// Commit of the accepted prefix of each row's window.
struct FoldParams {
  Heads heads;
  int rows;
  const int32_t* slot;
  const int32_t* accepted;    // [rows]
  const int32_t* track_slot;  // [rows] or nullptr: also copy the state here ...
  const int32_t* track_step;  // ... once this many tokens less one are folded
  void* state;

  int window_length;
  const __nv_bfloat16* window_v;
  const __nv_bfloat16* window_k;
  const float* window_g;
  const float* window_beta;

  Fault fault;
};

// Per-slot cursors, one for all layers.
struct CursorParams {
  int rows;
  int ring_length;
  const int32_t* slot;
  const int32_t* force_flush;  // or nullptr
  int32_t* cursor;             // [slots]
  int32_t* write_pos;          // [rows]
  Fault fault;
};

}  // namespace sglint::gpu
