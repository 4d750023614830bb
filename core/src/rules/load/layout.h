#pragma once
// How a launch spreads over GPUs (distributed/parallel_state.py: initialize_model_parallel), and
// whether the model's sizes can be shared out like that.

#include <array>
#include <optional>
#include <string>

#include "base/rule.h"
#include "resolve/resolution.h"

namespace sglint {

struct Layout {
  int64_t tp = 1, pp = 1, dp = 1, ep = 1, moe_dp = 1, cp = 1;
  bool dp_attention = false;
  int64_t attn_tp() const;  // 0 where the sizes do not divide
  int64_t moe_tp() const;
};

Layout layout_of(const Resolution& r);

// Where a worker stops, with what fills the rule's message.
struct LayoutStop {
  const Rule* rule;
  std::array<std::string, 3> fills;
};

// model_layout.cpp: the first size of the model that `layout` cannot share out.
std::optional<LayoutStop> layout_stop(Resolution& r, const Layout& layout);

// The largest TP size up to `most` that this model can be shared out over, at least 1.
int64_t fitting_tp(Resolution& r, int64_t most);

// quantization.cpp: the first size that the weights' quantization cannot share out, of an MLP's
// gate, up and down projection of `size`, or of an expert's.
std::optional<LayoutStop> quantized_mlp_stop(Resolution& r, int64_t size, int64_t tp);
std::optional<LayoutStop> quantized_expert_stop(Resolution& r, int64_t size, int64_t tp);

// The part of config.json that the language model is made from.
const Value& text_config(const ModelConfig& model);

// quantization_config of the model, or of its language model.
const Value& quantization_config(const ModelConfig& model);

void devices(Resolution& r);                // devices.cpp
void ports(Resolution& r);                  // ports.cpp
void model_layout(Resolution& r);           // model_layout.cpp
void quantization(Resolution& r);           // quantization.cpp
void loader(Resolution& r);                 // loader.cpp
void context_parallel_load(Resolution& r);  // context_parallel.cpp
RuleList devices_rules();
RuleList ports_rules();
RuleList model_layout_rules();
RuleList quantization_rules();
RuleList loader_rules();
RuleList context_parallel_load_rules();

}  // namespace sglint
