// A warp's copy of contiguous global memory into shared memory that runs while the warp does
// something else. sm_90 and later: one bulk copy (TMA engine) that completes on an mbarrier.
// Before: cp.async of 16 bytes a lane.
#pragma once

#include <cstdint>

namespace sglint::gpu {

__device__ __forceinline__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// Barriers of copies. Whoever waits on one that another thread initialised needs a __syncthreads()
// after the fence.
__device__ __forceinline__ void init_barrier(uint64_t* barrier, int arrivals) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
#endif
}
__device__ __forceinline__ void fence_barriers() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}
__device__ __forceinline__ void expect_bytes(uint64_t* barrier, int bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
#endif
}
__device__ __forceinline__ void copy_bulk(void* to, const void* from, int bytes,
                                          uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
#endif
}
// 16 bytes; the thread arrives at a barrier once its copies so far are done.
__device__ __forceinline__ void copy_piece(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
               : "memory");
}
__device__ __forceinline__ void arrive_after_copies(uint64_t* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(barrier))
               : "memory");
}
__device__ __forceinline__ void wait_barrier(uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
  uint32_t done;
  do {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, "
        "p; }"
        : "=r"(done)
        : "r"(shared_address(barrier))
        : "memory");
  } while (!done);
#endif
}

// Rows of a warp in shared memory, `kStride` bytes apart, from contiguous global memory and back.
// Used once a launch by one warp: start, wait, store. A row is a multiple of 16 bytes. Rows without
// gaps are one bulk copy (TMA engine, sm_90 and later); padded ones go by 16 bytes a lane, which
// was measured to be faster than a bulk copy a row.
template <int kRows, int kRowBytes, int kStride>
struct WarpRows {
  static_assert(kRowBytes % 16 == 0 && kStride % 16 == 0 && kRows * kRowBytes % (32 * 16) == 0);
#if __CUDA_ARCH__ >= 900
  static constexpr bool kBulk = kStride == kRowBytes;
#else
  static constexpr bool kBulk = false;
#endif
  static constexpr int kBytes = kRows * kRowBytes;
  uint64_t* barrier;  // in shared memory, one per warp
  unsigned char* rows;

  // Where the 16 bytes at `offset` of the packed rows lie.
  __device__ __forceinline__ unsigned char* at(int offset) const {
    return rows + offset / kRowBytes * kStride + offset % kRowBytes;
  }

  __device__ __forceinline__ void start(const void* from, int lane) const {
    if constexpr (kBulk) {
      if (lane == 0) {
        init_barrier(barrier, 1);
        fence_barriers();
      }
      __syncwarp();
    }
    start_initialised(from, lane);
  }

  // With the barrier initialised already.
  __device__ __forceinline__ void start_initialised(const void* from, int lane) const {
    const char* source = static_cast<const char*>(from);
    if constexpr (kBulk) {
      if (lane == 0) {
        expect_bytes(barrier, kBytes);
        copy_bulk(rows, source, kBytes, barrier);
      }
      __syncwarp();
    } else {
#pragma unroll
      for (int i = 0; i < kBytes; i += 32 * 16)
        copy_piece(at(i + lane * 16), source + i + lane * 16);
    }
  }

  __device__ __forceinline__ void wait() const {
    if constexpr (kBulk) {
      wait_barrier(barrier);
    } else {
      asm volatile("cp.async.wait_all;" ::: "memory");
      __syncwarp();
    }
  }

  // Back to global memory, after the warp has written its rows.
  __device__ __forceinline__ void store(void* to, int lane) const {
    char* target = static_cast<char*>(to);
    if constexpr (kBulk) {
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncwarp();
      if (lane == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(target),
                     "r"(shared_address(rows)), "r"(kBytes)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::
                         : "memory");  // shared memory goes with the block
      }
    } else {
      __syncwarp();
#pragma unroll
      for (int i = 0; i < kBytes; i += 32 * 16)
        *reinterpret_cast<uint4*>(target + i + lane * 16) =
            *reinterpret_cast<const uint4*>(at(i + lane * 16));
    }
  }
};

}  // namespace sglint::gpu
