// CPU reference (fp64) of linear-attention decode: gated delta net (GDN), Kimi delta attention
// (KDA) and Mamba-2.
//
// Two ways to decode the same token:
//   decode_plain   reads the state of a slot, writes it back every step;
//   decode_replay  ("ReplaySSM") leaves the state as a checkpoint and appends (d, k, g) to a short
//   ring;
//                  the state is written only on a flush.
// Both must give the same outputs, and the same state after a flush. This file is written to be
// obviously right, not fast: it rebuilds the state from the checkpoint by the defining sum, whereas
// the CUDA kernels never form it.
//
// Mamba-2 (selective_state_update) is the same frame without the delta: C reads where q does, B
// writes where k does (both as they come, a group is a key head), x stands for v, dt = softplus(a +
// dt_bias) for beta, and d = dt x takes nothing back from the state; the output has D x besides.
// Conventions follow SGLang: fused_recurrent.py (plain),
// fused_recurrent_linear_replayssm.py (replay), gdn_replayssm_spec_fold.py and
// kda_replayssm_spec_decode.py (verify and fold).
#pragma once

#include <optional>
#include <vector>

namespace sglint::gpu::reference {

// One decay per head, or one per head and key channel; kMamba2: one per head, and no delta.
enum class Gate { kGdn, kKda, kMamba2 };

struct Problem {
  Gate gate = Gate::kGdn;
  int k_heads = 1;  // H; v_heads is a multiple of it, value head hv reads key head hv / (HV / H)
  int v_heads = 1;  // HV
  int head_k = 128;
  int head_v = 128;
  double scale = 0;  // on the normalised q; 0 means head_k^-1/2, for Mamba-2 1
  // KDA's "safe gate": lower_bound * sigmoid(exp(A_log) (a + dt_bias)).
  std::optional<double> gate_lower_bound;
  bool round_beta_to_bf16 =
      false;  // SGLang's packed GDN and replay kernels round beta, its KDA one does not

  int gates_per_head() const { return gate == Gate::kKda ? head_k : 1; }
  int qkv_width() const { return 2 * k_heads * head_k + v_heads * head_v; }
  size_t state_size() const { return static_cast<size_t>(v_heads) * head_v * head_k; }
};

struct Weights {
  std::vector<double> a_log;    // [HV]
  std::vector<double> dt_bias;  // [HV], for KDA [HV, K]
  std::vector<double> d;        // Mamba-2: [HV], the skip's weight; or empty
};

// One token for each row of a batch.
struct Step {
  int rows = 0;
  std::vector<double> qkv;       // [rows, 2*H*K + HV*V], q | k | v
  std::vector<double> a;         // [rows, HV], for KDA [rows, HV, K]
  std::vector<double> b;         // [rows, HV]; nothing for Mamba-2
  std::vector<int> slot;         // [rows], -1 marks a padded row: output 0, nothing else touched
  std::vector<int> force_flush;  // [rows] or empty
};

struct States {
  States(const Problem& p, int slots) : s(slots * p.state_size(), 0.0) {}
  std::vector<double> s;  // [slots, HV, V, K]
};

// Linear ring: entries 0..cursor-1 are valid, the cursor returns to 0 after a flush.
struct Ring {
  Ring(const Problem& p, int slots, int length);
  int length;
  std::vector<double> d;    // [slots, HV, L, V]  beta (v - S' k~)
  std::vector<double> k;    // [slots, H, L, K]   normalised
  std::vector<double> g;    // [slots, HV, L] or [slots, HV, L, K]
  std::vector<int> cursor;  // [slots]
};

// Outputs are [rows, HV, V]. Rows must name distinct slots.
void decode_plain(const Problem& p, const Weights& w, const Step& x, States& states,
                  std::vector<double>& out);

// Also advances the cursors: +1, or 0 after a flush (cursor == length - 1, or force_flush).
void decode_replay(const Problem& p, const Weights& w, const Step& x, States& states, Ring& ring,
                   std::vector<double>& out);

// A slot handed to another request, or copied from one: the ring holds nothing for it.
void reset_slot(Ring& ring, int slot);
// Precondition: the source is flushed (cursor 0).
void copy_slot(const Problem& p, States& states, Ring& ring, int from, int to);

// Raw inputs of a draft window, kept by verify for the later fold: nothing here is rounded or
// normalised.
struct Window {
  Window(const Problem& p, int slots, int length);
  int length;
  std::vector<double> v;     // [slots, HV, T, V]
  std::vector<double> k;     // [slots, H, T, K]  before the norm
  std::vector<double> g;     // [slots, HV, T] or [slots, HV, T, K]
  std::vector<double> beta;  // [slots, HV, T]
};

// Runs the draft tokens steps[0..T) one after another without changing the states; out is [T, rows,
// HV, V].
void verify(const Problem& p, const Weights& w, const std::vector<Step>& steps,
            const States& states, Window& window, std::vector<double>& out);

// Where the state after `step` accepted tokens (0-based) is also copied to; step -1 or slot -1:
// nowhere.
struct Track {
  int slot = -1;
  int step = -1;
};

// Commits the first accepted[row] tokens of each row's window into its state.
void fold(const Problem& p, const Window& window, const std::vector<int>& slot,
          const std::vector<int>& accepted, const std::vector<Track>& track, States& states);

}  // namespace sglint::gpu::reference
