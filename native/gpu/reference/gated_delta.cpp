#include "native/gpu/reference/gated_delta.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace sglint::gpu::reference {
namespace {

constexpr double kNormEpsilon = 1e-6;
constexpr double kSoftplusThreshold = 20;

double softplus(double x) { return x > kSoftplusThreshold ? x : std::log1p(std::exp(x)); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// To nearest even, through fp32 as the kernels do.
double round_to_bf16(double x) {
  float f = static_cast<float>(x);
  uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000u;
  std::memcpy(&f, &bits, sizeof bits);
  return f;
}

std::vector<double> normalised(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  std::vector<double> y(x, x + n);
  for (double& v : y) v /= std::sqrt(sum + kNormEpsilon);
  return y;
}

// What one value head needs for one token.
struct HeadToken {
  std::vector<double> q, k;  // normalised, q scaled
  const double* v;
  std::vector<double> g;  // log decay per key channel (all equal for GDN)
  double beta;
};

double log_decay(const Problem& p, double a_log, double x) {
  if (p.gate_lower_bound) return *p.gate_lower_bound * sigmoid(std::exp(a_log) * x);
  return -std::exp(a_log) * softplus(x);
}

double beta_of(const Problem& p, double b) {
  double beta = sigmoid(b);
  return p.round_beta_to_bf16 ? round_to_bf16(beta) : beta;
}

// As the recurrence takes a key or a query.
std::vector<double> direction(const Problem& p, const double* x) {
  return p.gate == Gate::kMamba2 ? std::vector<double>(x, x + p.head_k) : normalised(x, p.head_k);
}

HeadToken head_token(const Problem& p, const Weights& w, const Step& x, int row, int hv) {
  const int h = hv / (p.v_heads / p.k_heads);
  const int gates = p.gates_per_head();
  const double* qkv = &x.qkv[static_cast<size_t>(row) * p.qkv_width()];
  HeadToken t;
  const bool mamba2 = p.gate == Gate::kMamba2;
  t.q = direction(p, qkv + h * p.head_k);
  const double scale = p.scale != 0 ? p.scale
                       : mamba2     ? 1
                                    : 1 / std::sqrt(static_cast<double>(p.head_k));
  for (double& q : t.q) q *= scale;
  t.k = direction(p, qkv + (p.k_heads + h) * p.head_k);
  t.v = qkv + 2 * p.k_heads * p.head_k + hv * p.head_v;
  const size_t head = static_cast<size_t>(row) * p.v_heads + hv;
  t.beta = mamba2 ? softplus(x.a[head] + w.dt_bias[hv]) : beta_of(p, x.b[head]);
  t.g.resize(p.head_k);
  for (int c = 0; c < p.head_k; ++c) {
    const int gate = p.gate == Gate::kKda ? c : 0;
    const double a = x.a[head * gates + gate];
    t.g[c] = log_decay(p, w.a_log[hv], a + w.dt_bias[static_cast<size_t>(hv) * gates + gate]);
    if (gates == 1) {
      std::fill(t.g.begin(), t.g.end(), t.g[0]);
      break;
    }
  }
  return t;
}

// S <- S Diag(exp(g)); d = beta (v - S k), or beta v without the delta; S <- S + d k^T. S is [V,
// K].
void recur(const Problem& p, const std::vector<double>& k, const double* v,
           const std::vector<double>& g, double beta, double* s, double* d) {
  const int head_v = p.head_v;
  const int head_k = static_cast<int>(k.size());
  std::vector<double> alpha(head_k);
  for (int c = 0; c < head_k; ++c) alpha[c] = std::exp(g[c]);
  for (int i = 0; i < head_v; ++i) {
    double* row = s + static_cast<size_t>(i) * head_k;
    double sk = 0;
    for (int c = 0; c < head_k; ++c) {
      row[c] *= alpha[c];
      sk += row[c] * k[c];
    }
    d[i] = beta * (p.gate == Gate::kMamba2 ? v[i] : v[i] - sk);
    for (int c = 0; c < head_k; ++c) row[c] += d[i] * k[c];
  }
}

void read(const Problem& p, const Weights& w, const HeadToken& t, int hv, const double* s,
          double* o) {
  const std::vector<double>& q = t.q;
  const size_t head_k = q.size();
  const double skip = p.gate == Gate::kMamba2 && !w.d.empty() ? w.d[hv] : 0;
  for (int i = 0; i < p.head_v; ++i) {
    double sum = skip * t.v[i];
    for (size_t c = 0; c < head_k; ++c) sum += s[i * head_k + c] * q[c];
    o[i] = sum;
  }
}

// The state before this token: S0 Diag(A) + sum_j d_j (W_j k_j)^T, with W_j the product of the
// decays after entry j.
std::vector<double> rebuild(const Problem& p, const States& states, const Ring& ring, int slot,
                            int hv) {
  const int K = p.head_k, V = p.head_v, L = ring.length, m = ring.cursor[slot];
  const int gates = p.gates_per_head();
  const int h = hv / (p.v_heads / p.k_heads);
  const size_t head = static_cast<size_t>(slot) * p.v_heads + hv;
  const size_t key_head = static_cast<size_t>(slot) * p.k_heads + h;
  const double* s0 = &states.s[head * V * K];
  std::vector<double> s(s0, s0 + static_cast<size_t>(V) * K);
  std::vector<double> suffix(K, 0.0);  // sum of g over the entries after j
  std::vector<double> wk(K);
  std::vector<double> sum(static_cast<size_t>(V) * K, 0.0);
  for (int j = m - 1; j >= 0; --j) {
    const double* g = &ring.g[(head * L + j) * gates];
    const double* k = &ring.k[(key_head * L + j) * K];
    const double* d = &ring.d[(head * L + j) * V];
    for (int c = 0; c < K; ++c) wk[c] = std::exp(suffix[c]) * k[c];
    for (int i = 0; i < V; ++i)
      for (int c = 0; c < K; ++c) sum[static_cast<size_t>(i) * K + c] += d[i] * wk[c];
    for (int c = 0; c < K; ++c) suffix[c] += g[gates == 1 ? 0 : c];
  }
  for (int c = 0; c < K; ++c) suffix[c] = std::exp(suffix[c]);
  for (int i = 0; i < V; ++i)
    for (int c = 0; c < K; ++c) {
      const size_t at = static_cast<size_t>(i) * K + c;
      s[at] = s[at] * suffix[c] + sum[at];
    }
  return s;
}

}  // namespace

Ring::Ring(const Problem& p, int slots, int length)
    : length(length),
      d(static_cast<size_t>(slots) * p.v_heads * length * p.head_v),
      k(static_cast<size_t>(slots) * p.k_heads * length * p.head_k),
      g(static_cast<size_t>(slots) * p.v_heads * length * p.gates_per_head()),
      cursor(slots, 0) {}

Window::Window(const Problem& p, int slots, int length)
    : length(length),
      v(static_cast<size_t>(slots) * p.v_heads * length * p.head_v),
      k(static_cast<size_t>(slots) * p.k_heads * length * p.head_k),
      g(static_cast<size_t>(slots) * p.v_heads * length * p.gates_per_head()),
      beta(static_cast<size_t>(slots) * p.v_heads * length) {}

void decode_plain(const Problem& p, const Weights& w, const Step& x, States& states,
                  std::vector<double>& out) {
  out.assign(static_cast<size_t>(x.rows) * p.v_heads * p.head_v, 0.0);
  std::vector<double> d(p.head_v);
  for (int row = 0; row < x.rows; ++row) {
    if (x.slot[row] < 0) continue;
    for (int hv = 0; hv < p.v_heads; ++hv) {
      const HeadToken t = head_token(p, w, x, row, hv);
      double* s =
          &states.s[(static_cast<size_t>(x.slot[row]) * p.v_heads + hv) * p.head_v * p.head_k];
      recur(p, t.k, t.v, t.g, t.beta, s, d.data());
      read(p, w, t, hv, s, &out[(static_cast<size_t>(row) * p.v_heads + hv) * p.head_v]);
    }
  }
}

void decode_replay(const Problem& p, const Weights& w, const Step& x, States& states, Ring& ring,
                   std::vector<double>& out) {
  out.assign(static_cast<size_t>(x.rows) * p.v_heads * p.head_v, 0.0);
  const int gates = p.gates_per_head(), L = ring.length;
  std::vector<double> d(p.head_v);
  for (int row = 0; row < x.rows; ++row) {
    const int slot = x.slot[row];
    if (slot < 0) continue;
    const int m = ring.cursor[slot];
    const bool flush = m == L - 1 || (!x.force_flush.empty() && x.force_flush[row] != 0);
    for (int hv = 0; hv < p.v_heads; ++hv) {
      const size_t head = static_cast<size_t>(slot) * p.v_heads + hv;
      const HeadToken t = head_token(p, w, x, row, hv);
      std::vector<double> s = rebuild(p, states, ring, slot, hv);
      recur(p, t.k, t.v, t.g, t.beta, s.data(), d.data());
      read(p, w, t, hv, s.data(), &out[(static_cast<size_t>(row) * p.v_heads + hv) * p.head_v]);
      if (flush) {
        std::copy(s.begin(), s.end(), states.s.begin() + head * p.head_v * p.head_k);
        continue;
      }
      const size_t key_head = static_cast<size_t>(slot) * p.k_heads + hv / (p.v_heads / p.k_heads);
      std::copy(d.begin(), d.end(), ring.d.begin() + (head * L + m) * p.head_v);
      std::copy(t.k.begin(), t.k.end(), ring.k.begin() + (key_head * L + m) * p.head_k);
      std::copy(t.g.begin(), t.g.begin() + gates, ring.g.begin() + (head * L + m) * gates);
    }
    ring.cursor[slot] = flush ? 0 : m + 1;
  }
}

void reset_slot(Ring& ring, int slot) { ring.cursor[slot] = 0; }

void copy_slot(const Problem& p, States& states, Ring& ring, int from, int to) {
  const size_t n = p.state_size();
  std::copy_n(states.s.begin() + from * n, n, states.s.begin() + to * n);
  reset_slot(ring, to);
}

void verify(const Problem& p, const Weights& w, const std::vector<Step>& steps,
            const States& states, Window& window, std::vector<double>& out) {
  const int gates = p.gates_per_head(), T = static_cast<int>(steps.size());
  const int rows = steps.empty() ? 0 : steps[0].rows;
  out.assign(static_cast<size_t>(T) * rows * p.v_heads * p.head_v, 0.0);
  std::vector<double> d(p.head_v);
  for (int row = 0; row < rows; ++row) {
    const int slot = steps[0].slot[row];
    if (slot < 0) continue;
    for (int hv = 0; hv < p.v_heads; ++hv) {
      const int h = hv / (p.v_heads / p.k_heads);
      const size_t head = static_cast<size_t>(slot) * p.v_heads + hv;
      const size_t key_head = static_cast<size_t>(slot) * p.k_heads + h;
      const double* s0 = &states.s[head * p.head_v * p.head_k];
      std::vector<double> s(s0, s0 + static_cast<size_t>(p.head_v) * p.head_k);
      for (int t = 0; t < T; ++t) {
        const HeadToken token = head_token(p, w, steps[t], row, hv);
        recur(p, token.k, token.v, token.g, token.beta, s.data(), d.data());
        read(p, w, token, hv, s.data(),
             &out[((static_cast<size_t>(t) * rows + row) * p.v_heads + hv) * p.head_v]);
        const double* raw_k =
            &steps[t].qkv[static_cast<size_t>(row) * p.qkv_width() + (p.k_heads + h) * p.head_k];
        std::copy_n(raw_k, p.head_k, window.k.begin() + (key_head * window.length + t) * p.head_k);
        std::copy_n(token.v, p.head_v, window.v.begin() + (head * window.length + t) * p.head_v);
        std::copy_n(token.g.begin(), gates, window.g.begin() + (head * window.length + t) * gates);
        window.beta[head * window.length + t] = token.beta;
      }
    }
  }
}

void fold(const Problem& p, const Window& window, const std::vector<int>& slot,
          const std::vector<int>& accepted, const std::vector<Track>& track, States& states) {
  const int gates = p.gates_per_head(), T = window.length;
  std::vector<double> d(p.head_v), g(p.head_k);
  for (size_t row = 0; row < slot.size(); ++row) {
    if (slot[row] < 0) continue;
    for (int hv = 0; hv < p.v_heads; ++hv) {
      const size_t head = static_cast<size_t>(slot[row]) * p.v_heads + hv;
      const size_t key_head =
          static_cast<size_t>(slot[row]) * p.k_heads + hv / (p.v_heads / p.k_heads);
      const size_t size = static_cast<size_t>(p.head_v) * p.head_k;
      double* s = &states.s[head * size];
      for (int t = 0; t < accepted[row]; ++t) {
        const double* stored = &window.g[(head * T + t) * gates];
        for (int c = 0; c < p.head_k; ++c) g[c] = stored[gates == 1 ? 0 : c];
        recur(p, direction(p, &window.k[(key_head * T + t) * p.head_k]),
              &window.v[(head * T + t) * p.head_v], g, window.beta[head * T + t], s, d.data());
        if (!track.empty() && track[row].slot >= 0 && track[row].step == t)
          std::copy_n(s, size,
                      &states.s[(static_cast<size_t>(track[row].slot) * p.v_heads + hv) * size]);
      }
    }
  }
}

}  // namespace sglint::gpu::reference
