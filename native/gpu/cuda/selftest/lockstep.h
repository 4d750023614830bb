// Runs kernels and the CPU reference through the same traffic, step by step: rows that come, go and
// pad, slots reused and copied, forced flushes at random phases.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "native/gpu/cuda/kernels/launch.h"
#include "native/gpu/cuda/support/device.h"
#include "native/gpu/reference/gated_delta.h"

namespace sglint::gpu {

// Random weights and tokens, on the host (as the values that the device's types hold) and on the
// device.
class Tokens {
 public:
  Tokens(Device& device, const reference::Problem& problem, int rows, unsigned seed);
  void next();  // new q, k, v, a, b
  void set_rows(const std::vector<int32_t>& slot, const std::vector<int32_t>& force_flush);
  std::vector<double> draw(size_t n, double mean, double deviation);  // rounded to bf16

  reference::Step step;
  reference::Weights weights;
  std::mt19937 random;
  GateParams gate;
  Heads heads;
  Array<__nv_bfloat16> qkv, a, b;
  Array<float> a_log, dt_bias;
  Array<int32_t> slot, force_flush;

 private:
  Device& device_;
  reference::Problem problem_;
};

// One way to decode on the device: its states, ring and outputs.
struct Variant {
  Dtype state = Dtype::kF32;
  Dtype ring = Dtype::kF32;
  int ring_length = 0;  // 0: plain
  bool simple = false;
  Products products = Products::kAuto;
  Tile tile = Tile::kAuto;
  std::string name() const;
};

class Trial {
 public:
  Trial(Device& device, const Tokens& tokens, const Variant& variant, int slots, Fault fault);
  void set_states(const std::vector<double>& states);
  void set_slot(int slot, const std::vector<double>*
                              state);  // to a state, or zeros; the ring of the slot is empty then
  void copy_slot(int from, int to);
  void step();  // outputs are poisoned first; gather cursors, decode, advance: one captured graph
  std::vector<float> outputs() const;  // NaN where nothing was written
  std::vector<float> state(int slot) const;
  // To compare runs bit by bit.
  std::vector<unsigned char> output_bits() const;
  std::vector<unsigned char> state_bits() const;
  bool guards_intact() const;
  void* states() const { return states_.data(); }
  const Variant& variant() const { return variant_; }

 private:
  cudaError_t launch();
  Device& device_;
  const Tokens& tokens_;
  Variant variant_;
  Fault fault_;
  size_t slot_size_;
  Array<unsigned char> states_, ring_d_;
  Array<__nv_bfloat16> ring_k_, out_;
  Array<float> ring_k_rnorm_, ring_g_;
  Array<int32_t> cursor_, write_pos_;
  Graph graph_;
};

struct Scenario {
  reference::Problem problem;
  int rows = 6, slots = 12, steps = 64;
  bool forced_flushes = true, reuse = true, padding = true;
  unsigned seed = 1;
};

struct Outcome {
  double output_error = 0;   // relative, over the whole run
  double worst_row = 0;      // relative, of one head of one row
  double state_error = 0;    // relative, at the end, after a flush of every slot
  double flushed_error = 0;  // worst relative error of a slot right after its forced flush
  double growth = 0;         // output error of the last quarter over that of the second
  bool guards_intact = true;
};

std::vector<Outcome> run_lockstep(Device& device, const Scenario& scenario,
                                  const std::vector<Variant>& variants, Fault fault);

double relative_error(const std::vector<float>& got, const double* want);

}  // namespace sglint::gpu
