// Shapes of the linear-attention layers of known models, and what a launch command says about them.
#pragma once

#include <string>
#include <vector>

namespace sglint::gpu {

struct LinearModel {
  const char* name;                      // as --model takes it
  const char* pattern;                   // found in a model path, letters compared without case
  bool kda;                              // else GDN
  int k_heads, v_heads, head_k, head_v;  // of the whole model
  bool safe_gate;                        // KDA with a lower bound on the gate
  int layers;                            // of linear attention; 0: not published
};

const std::vector<LinearModel>& linear_models();
// By name or by a part of a path; null when none fits.
const LinearModel* find_linear_model(const std::string& name_or_path);

// What decides the kernels: filled from flags of the self-test and, where those are silent, from a
// launch command.
struct LinearShape {
  std::string model = "qwen3-next";
  bool kda = false;
  int k_heads = 16, v_heads = 32, head_k = 128, head_v = 128;  // of one GPU
  bool safe_gate = false;
  int layers = 36;
  std::string state = "f32";  // f32, bf16, f16
  int ring_length = 16;
};

// Divides the heads among tp GPUs; empty, or why that cannot be.
std::string shape_of(const LinearModel& model, int tp, LinearShape& shape);

// Reads --model-path, --tp, --mamba-ssm-dtype and --linear-replayssm-cache-len from a launch
// command's arguments. Empty, or why no shape follows from it.
std::string shape_of_command(const std::vector<std::string>& argv, LinearShape& shape);

}  // namespace sglint::gpu
