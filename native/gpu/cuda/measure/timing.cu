#include <algorithm>
#include <numeric>
#include <random>

#include "native/gpu/cuda/measure/timing.h"

namespace sglint::gpu {
namespace {

__device__ uint32_t hash(uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
  return x;
}

// Sum of four uniforms: near enough to normal for data that only has to be unlike zero.
__device__ float normal_like(uint32_t i, uint32_t seed) {
  const uint32_t a = hash(i * 2 + 1 + hash(seed)), b = hash(a ^ 0x9e3779b9u);
  const float sum = (a & 0xffff) + (a >> 16) + (b & 0xffff) + (b >> 16);
  return (sum / 65536.f - 2.f) * 1.7320508f;
}

template <typename T>
__global__ void fill_random_kernel(T* to, size_t count, float mean, float deviation,
                                   uint32_t seed) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const float x = mean + deviation * normal_like(static_cast<uint32_t>(i),
                                                   seed + static_cast<uint32_t>(i >> 32));
    if constexpr (sizeof(T) == 4)
      to[i] = x;
    else if constexpr (std::is_same_v<T, __half>)
      to[i] = __float2half_rn(x);
    else
      to[i] = __float2bfloat16_rn(x);
  }
}

constexpr int kReadBlockBytes = 8192;

// Reads 8 KiB a block, in an order given by a permutation of larger units; the store never happens.
__global__ void read_kernel(const uint4* data, const int32_t* unit, int blocks_per_unit,
                            uint32_t never, uint4* sink) {
  const size_t block = static_cast<size_t>(unit[blockIdx.x / blocks_per_unit]) * blocks_per_unit +
                       blockIdx.x % blocks_per_unit;
  const uint4* from = data + block * (kReadBlockBytes / sizeof(uint4)) + threadIdx.x;
  uint4 x[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] = __ldcs(from + i * 128);
  uint32_t all = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) all ^= x[i].x ^ x[i].y ^ x[i].z ^ x[i].w;
  if (all == never) *sink = x[0];
}

template <typename F>
double median_us(Device& device, int replays, int launches, F run) {
  cudaEvent_t start, stop;
  if (!device.check(cudaEventCreate(&start), "create an event") ||
      !device.check(cudaEventCreate(&stop), "create an event"))
    return 0;
  std::vector<double> us;
  for (int i = 0; i < replays + 2 && device.ok(); ++i) {
    device.check(cudaEventRecord(start, device.stream()), "record an event");
    run();
    device.check(cudaEventRecord(stop, device.stream()), "record an event");
    device.synchronize("timed launches");
    float ms = 0;
    if (device.ok()) device.check(cudaEventElapsedTime(&ms, start, stop), "read an event");
    if (i >= 2) us.push_back(ms * 1000.0 / launches);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  if (!device.ok() || us.empty()) return 0;
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

}  // namespace

int dtype_bytes(Dtype dtype) { return dtype == Dtype::kF32 ? 4 : 2; }
const char* dtype_name(Dtype dtype) {
  return dtype == Dtype::kF32 ? "f32" : dtype == Dtype::kBf16 ? "bf16" : "f16";
}
const char* gate_name(Gate gate) { return gate == Gate::kGdn ? "gdn" : "kda"; }

void fill_random(Device& device, void* to, Dtype dtype, size_t count, float mean, float deviation,
                 uint32_t seed) {
  if (!device.ok()) return;
  switch (dtype) {
    case Dtype::kF32:
      fill_random_kernel<<<1024, 256, 0, device.stream()>>>(static_cast<float*>(to), count, mean,
                                                            deviation, seed);
      break;
    case Dtype::kBf16:
      fill_random_kernel<<<1024, 256, 0, device.stream()>>>(static_cast<__nv_bfloat16*>(to), count,
                                                            mean, deviation, seed);
      break;
    case Dtype::kF16:
      fill_random_kernel<<<1024, 256, 0, device.stream()>>>(static_cast<__half*>(to), count, mean,
                                                            deviation, seed);
      break;
  }
  device.check(cudaGetLastError(), "fill with random values");
}

Bytes bytes_moved(const Config& c, Phase phase, int rows, int position) {
  const double K = c.heads.head_k, V = c.heads.head_v, H = c.heads.k_heads, HV = c.heads.v_heads;
  const double gates = c.gate == Gate::kKda ? K : 1, L = c.ring_length;
  const double state = HV * V * K * dtype_bytes(c.state);
  const double entry = HV * V * dtype_bytes(c.ring) + H * (K * 2 + 4) + HV * gates * 4;
  Bytes b;
  b.read = (2 * H * K + HV * V + HV * gates + HV) * 2 + state;
  b.written = HV * V * 2;
  if (phase == Phase::kPlain) {
    b.written += state;
  } else {
    const bool one = phase == Phase::kPosition;
    const double entries_read = one ? position : (L - 1) / 2;
    const double flushes = one ? position == c.ring_length - 1 : 1 / L;
    b.read += entry * entries_read;
    b.written += state * flushes + entry * (1 - flushes);
  }
  b.read *= rows, b.written *= rows;
  return b;
}

double floor_us(const Config& c, Phase phase, int rows, double copy_gbs, double read_gbs) {
  if (phase == Phase::kPlain) {
    const Bytes b = bytes_moved(c, phase, rows);
    return (b.read + b.written) / copy_gbs / 1e3;
  }
  double us = 0;
  for (int position = 0; position < c.ring_length; ++position) {
    const Bytes b = bytes_moved(c, Phase::kPosition, rows, position);
    us += (b.read + b.written) / (position == c.ring_length - 1 ? copy_gbs : read_gbs) / 1e3;
  }
  return us / c.ring_length;
}

Ceilings measure_ceilings(Device& device, size_t bytes) {
  constexpr int kUnitBlocks = 256;  // 2 MiB
  const size_t units = bytes / (kUnitBlocks * static_cast<size_t>(kReadBlockBytes));
  bytes = units * kUnitBlocks * kReadBlockBytes;
  Ceilings c;
  Array<unsigned char> from(device, bytes, "the bandwidth test's source"),
      to(device, bytes, "its target");
  Array<int32_t> order(device, units, "its order");
  std::vector<int32_t> permutation(units);
  std::iota(permutation.begin(), permutation.end(), 0);
  std::shuffle(permutation.begin(), permutation.end(), std::mt19937(1));
  if (!device.ok()) return c;
  order.upload(permutation);
  fill_random(device, from.data(), Dtype::kBf16, bytes / 2, 0, 1, 1);
  double us = median_us(device, 7, 1, [&] { device.copy(to.data(), from.data(), bytes); });
  if (us > 0) c.copy_gbs = 2 * bytes / us / 1e3;
  us = median_us(device, 7, 1, [&] {
    read_kernel<<<static_cast<unsigned>(units * kUnitBlocks), 128, 0, device.stream()>>>(
        reinterpret_cast<const uint4*>(from.data()), order.data(), kUnitBlocks, 0x12345679u,
        reinterpret_cast<uint4*>(to.data()));
    device.check(cudaGetLastError(), "read bandwidth");
  });
  if (us > 0) c.read_gbs = bytes / us / 1e3;
  return c;
}

Pool::Pool(Device& device, const Config& c, int slots, int max_rows)
    : device_(device), config_(c), slots_(slots), max_rows_(max_rows) {
  const size_t K = c.heads.head_k, V = c.heads.head_v, H = c.heads.k_heads, HV = c.heads.v_heads,
               L = c.ring_length;
  const size_t gates = c.gate == Gate::kKda ? K : 1, n = slots;
  const size_t states = n * HV * V * K, entries = n * HV * L;
  state_ = Array<unsigned char>(device, states * dtype_bytes(c.state), "states");
  ring_d_ = Array<unsigned char>(device, entries * V * dtype_bytes(c.ring), "the ring's d");
  ring_k_ = Array<__nv_bfloat16>(device, n * H * L * K, "the ring's k");
  ring_k_rnorm_ = Array<float>(device, n * H * L, "the ring's norms");
  ring_g_ = Array<float>(device, entries * gates, "the ring's g");
  qkv_ = Array<__nv_bfloat16>(device, max_rows * (2 * H * K + HV * V), "q, k, v");
  a_ = Array<__nv_bfloat16>(device, max_rows * HV * gates, "a");
  b_ = Array<__nv_bfloat16>(device, max_rows * HV, "b");
  out_ = Array<__nv_bfloat16>(device, max_rows * HV * V, "outputs");
  a_log_ = Array<float>(device, HV, "A_log");
  dt_bias_ = Array<float>(device, HV * gates, "dt_bias");
  slot_ = Array<int32_t>(device, slots, "slots");
  if (!device.ok()) return;
  fill_random(device, state_.data(), c.state, states, 0, 0.3f, 1);
  fill_random(device, ring_d_.data(), c.ring, entries * V, 0, 0.5f, 2);
  fill_random(device, ring_k_.data(), Dtype::kBf16, n * H * L * K, 0, 1, 3);
  fill_random(device, ring_k_rnorm_.data(), Dtype::kF32, n * H * L, 0.09f, 0.005f, 4);
  fill_random(device, ring_g_.data(), Dtype::kF32, entries * gates, -0.12f, 0.02f, 5);
  fill_random(device, qkv_.data(), Dtype::kBf16, qkv_.size(), 0, 1, 6);
  fill_random(device, a_.data(), Dtype::kBf16, a_.size(), 0, 1, 7);
  fill_random(device, b_.data(), Dtype::kBf16, b_.size(), 0, 1, 8);
  fill_random(device, a_log_.data(), Dtype::kF32, HV, 0, 0.5f, 9);
  fill_random(device, dt_bias_.data(), Dtype::kF32, dt_bias_.size(), -2, 0.5f, 10);
  std::vector<int32_t> permutation(slots);
  std::iota(permutation.begin(), permutation.end(), 0);
  std::shuffle(permutation.begin(), permutation.end(), std::mt19937(2));
  slot_.upload(permutation);
  device.synchronize("prepare the pool");
}

DecodeParams Pool::params(int rows) const {
  DecodeParams p{};
  p.heads = config_.heads;
  p.gate = {
      a_log_.data(), dt_bias_.data(), 1 / sqrtf(static_cast<float>(config_.heads.head_k)), 0, false,
      false};
  p.rows = rows;
  p.qkv = qkv_.data(), p.a = a_.data(), p.b = b_.data();
  p.slot = slot_.data();
  p.state = state_.data();
  p.out = out_.data();
  p.ring_length = config_.ring_length;
  p.ring_dtype = config_.ring;
  p.ring_d = ring_d_.data(), p.ring_k = ring_k_.data(), p.ring_k_rnorm = ring_k_rnorm_.data();
  p.ring_g = ring_g_.data();
  p.products = config_.products;
  return p;
}

double Pool::time(Phase phase, int rows, int position, Tile tile, int replays) {
  const int length = config_.ring_length;
  rows = std::min(rows, max_rows_);
  const int sets = std::max(1, std::min(slots_ / rows, 256));  // distinct sets of slots
  const int launches = (std::max(sets, length) + length - 1) / length * length;
  // A launch's positions begin at the launch's number: read from one array at an offset.
  std::vector<int32_t> positions(phase == Phase::kMixed ? rows + length : rows * length);
  for (size_t i = 0; i < positions.size(); ++i)
    positions[i] = phase == Phase::kMixed   ? i % length
                   : phase == Phase::kCycle ? i / rows
                                            : position;
  Array<int32_t> write_pos(device_, positions.size(), "positions");
  if (!device_.ok()) return 0;
  write_pos.upload(positions);
  Graph graph;
  const bool captured = graph.capture(device_, [&] {
    for (int i = 0; i < launches; ++i) {
      DecodeParams p = params(rows);
      p.slot += static_cast<size_t>(i % sets) * rows;
      p.write_pos = write_pos.data() + (phase == Phase::kCycle   ? i % length * rows
                                        : phase == Phase::kMixed ? i % length
                                                                 : 0);
      if (phase == Phase::kPlain) p.ring_length = 0;
      if (cudaError_t e = launch_decode(p, config_.gate, config_.state, device_.stream(), tile);
          e != cudaSuccess)
        return e;
    }
    return cudaSuccess;
  });
  if (!captured) return 0;
  return median_us(device_, replays, launches, [&] { graph.replay(device_); });
}

}  // namespace sglint::gpu
