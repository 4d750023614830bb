// Times decode kernels the way they are served: launches of a CUDA graph over distinct slots of a
// large pool, so that the cache holds neither state nor ring; per launch the median over replays of
// (time of the graph / launches).
#pragma once

#include <string>
#include <vector>

#include "native/gpu/cuda/kernels/launch.h"
#include "native/gpu/cuda/support/device.h"

namespace sglint::gpu {

struct Config {
  Gate gate = Gate::kGdn;
  Dtype state = Dtype::kF32;
  Dtype ring = Dtype::kF32;  // of d
  Heads heads = {16, 32, 128, 128};
  int ring_length = 16;
  Products products = Products::kAuto;
};

enum class Phase {
  kPlain,
  kCycle,  // all rows of a launch at one position of the ring; the launches go through all
           // positions
  kMixed,  // rows spread evenly over the positions within each launch: the steady state of serving
  kPosition,  // all rows at one given position
};

// Bytes that a launch must move, averaged over the phases.
struct Bytes {
  double read = 0, written = 0;
};
Bytes bytes_moved(const Config& c, Phase phase, int rows, int position = 0);

// The least time in us: bytes of steps without a flush at the read ceiling, of steps with one (and
// of plain decode) at the copy ceiling. Ceilings in GB/s.
double floor_us(const Config& c, Phase phase, int rows, double copy_gbs, double read_gbs);

struct Ceilings {
  double copy_gbs = 0;  // device to device, read and written counted
  double read_gbs = 0;  // every byte of random slots read once
};
Ceilings measure_ceilings(Device& device, size_t bytes);

// Random slots of one configuration; made once, timed for many batch sizes.
class Pool {
 public:
  Pool(Device& device, const Config& config, int slots, int max_rows);
  // us per launch; 0 where the device failed.
  double time(Phase phase, int rows, int position = 0, Tile tile = Tile::kAuto, int replays = 9);
  int slots() const { return slots_; }

 private:
  DecodeParams params(int rows) const;
  Device& device_;
  Config config_;
  int slots_, max_rows_;
  Array<unsigned char> state_, ring_d_;
  Array<__nv_bfloat16> ring_k_, qkv_, a_, b_, out_;
  Array<float> ring_k_rnorm_, ring_g_, a_log_, dt_bias_;
  Array<int32_t> slot_;
};

// Fills with values of a normal-like distribution: mean, deviation, from a hash of index and seed.
void fill_random(Device& device, void* to, Dtype dtype, size_t count, float mean, float deviation,
                 uint32_t seed);

int dtype_bytes(Dtype dtype);
const char* dtype_name(Dtype dtype);
const char* gate_name(Gate gate);

}  // namespace sglint::gpu
