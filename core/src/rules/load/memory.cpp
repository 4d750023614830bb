// What the weights take at the least, and limits of memory that ServerArgs takes as typed:
// mem_cache/kv_cache_configurator.py, _profile_available_bytes.

#include <algorithm>

#include "base/text.h"
#include "rules/load/state_pool.h"

namespace sglint {
namespace {

constexpr ReleaseRange kSince0516{Release::v0_5_16, Release::v0_5_18};

constexpr Rule kWeights{
    .id = "memory/weights-do-not-fit",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message =
        "At least {} GiB of weights a GPU do not fit in {} GiB (--mem-fraction-static: {} % of {} "
        "GiB).",
    .why =
        "Counted are the embedding, the MLPs and the experts as config.json has them, without "
        "attention and caches. The launch ends in \"CUDA out of memory\" while the weights are "
        "loaded, or behind that in \"Loaded weights leave no GPU memory for the KV cache under "
        "--mem-fraction-static\".",
    .source = "mem_cache/kv_cache_configurator.py: KVCacheConfigurator._profile_available_bytes",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8", "h100"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8", "h200"},
    .releases = kSince0516,
};

constexpr Rule kNoTokens{
    .id = "scheduler/no-tokens",
    .stage = Stage::load,
    .exception = "RuntimeError",
    .message = "Not enough memory. Please try to increase --mem-fraction-static.",
    .why =
        "--max-total-tokens is rounded down to whole pages; nothing is left of it. More memory, as "
        "the message has it, does not help.",
    .source = "model_executor/pool_configurator.py: MemoryPoolConfig.__post_init__",
    .bad = {"--model-path Qwen/Qwen3-8B --max-total-tokens 0"},
    .good = {"--model-path Qwen/Qwen3-8B --max-total-tokens 65536"},
    .releases = kSince0516,
};

constexpr Rule kFractionNan{
    .id = "memory/fraction-not-a-number",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "cannot convert float NaN to integer",
    .why =
        "ServerArgs takes nan for a number; SGLang fails when it sizes the KV cache, after the "
        "weights are loaded.",
    .source = "mem_cache/kv_cache_configurator.py: KVCacheConfigurator._profile_available_bytes",
    .bad = {"--model-path Qwen/Qwen3-8B --mem-fraction-static nan"},
    .good = {"--model-path Qwen/Qwen3-8B --mem-fraction-static 0.85"},
    .releases = kSince0516,
};

constexpr Rule kFractionZero{
    .id = "memory/fraction-zero",
    .stage = Stage::load,
    .exception = "ValueError",
    .message =
        "Loaded weights leave no GPU memory for the KV cache under --mem-fraction-static={}.",
    .why =
        "It is the share of GPU memory for weights and caches together, between 0 and 1. The "
        "message goes on with the least value that would do.",
    .source = "mem_cache/kv_cache_configurator.py: KVCacheConfigurator._profile_available_bytes",
    .bad = {"--model-path Qwen/Qwen3-8B --mem-fraction-static 0"},
    .good = {"--model-path Qwen/Qwen3-8B --mem-fraction-static 0.85"},
    .releases = kSince0516,
};

constexpr Rule kFractionOverOne{
    .id = "memory/fraction-over-one",
    .stage = Stage::load,
    .exception = "OutOfMemoryError",
    .message = "CUDA out of memory.",
    .why =
        "It is the share of GPU memory for weights and caches together, between 0 and 1. Over 1 "
        "the KV cache is made larger than what is left, and its allocation fails.",
    .source = "mem_cache/kv_cache_configurator.py: KVCacheConfigurator._profile_available_bytes",
    .bad = {"--model-path Qwen/Qwen3-8B --mem-fraction-static 1.5"},
    .good = {"--model-path Qwen/Qwen3-8B --mem-fraction-static 0.9"},
    .releases = kSince0516,
};
// How a family's MLPs are made, by the model_type of its language model: three matrices each, in
// every layer but the first `plain` (which have no experts; most config.json say how many).
struct Family {
  std::string_view types;
  int plain;
};
constexpr Family kFamilies[] = {
    {" qwen2 qwen3 qwen3_moe qwen3_vl_text qwen3_vl_moe_text qwen3_next qwen3_5_text "
     "qwen3_5_moe_text llama mistral mixtral mimo minimax_m2 gpt_oss gemma2 gemma3_text "
     "granitemoehybrid falcon_h1 jet_nemotron ",
     0},
    {" deepseek_v3 deepseek_v32 kimi_k2 kimi_linear glm4_moe glm_moe_dsa bailing_hybrid ", 4},
};

int plain_layers(const Value& c) {
  const std::string type = fill(" {} ", {c["model_type"]});
  for (const Family& family : kFamilies)
    if (family.types.find(type) != std::string_view::npos) return family.plain;
  return -1;
}

// A weight's bytes at the least; 0 where they are not certain: every tensor of a GGUF file has a
// type of its own, as has every module that GPTQ's `dynamic` or AutoRound's `extra_config` names.
double weight_bytes(const ModelConfig& model) {
  const std::string_view method = model.quantization;
  const Value& c = quantization_config(model);
  if (method.empty()) return model.dtype == "float32" ? 4 : 2;
  if (one_of(method, {"gguf", "humming"}) || c["dynamic"].truthy() || c["extra_config"].truthy())
    return 0;
  if (contains(method, "int8") ||
      (contains(method, "fp8") && !one_of(method, {"w4afp8", "quark_int4fp8_moe"})))
    return 1;
  int64_t bits = c["bits"].as_int(8);
  for (const Value::Item& group : c["config_groups"].as_dict())
    bits = std::min(bits, group.second["weights"]["num_bits"].as_int(4));
  if (!one_of(method, {"gptq", "gptq_marlin", "auto-round"})) bits = std::min<int64_t>(bits, 4);
  return static_cast<double>(std::max<int64_t>(bits, 0)) / 8;
}

// Weights that do not lie on the GPU.
bool offloaded(const Resolution& r) {
  return r.get(f::cpu_offload_gb) > 0 || r.get(f::offload_group_size) > 0 ||
         r.get(f::kt_weight_path) || r.get(f::encoder_only);
}

void weights(Resolution& r) {
  const Machine& m = r.machine();
  if (!r.model_known() || !is_cuda(m) || m.gpu_mem_mib <= 0) return;
  const Layout l = layout_of(r);
  const double share = r.value(f::mem_fraction_static).as_real(1),
               gib = static_cast<double>(m.gpu_mem_mib) / 1024;
  const double least = weights_floor(r, l), room = gib * share;
  if (!(share > 0) || share > 1 || least <= room) return;
  std::vector<Fix> fixes;
  Layout more = l;
  const int64_t most =
      m.num_gpus * std::max<int64_t>(r.get(f::nnodes), 1) / std::max<int64_t>(l.pp, 1);
  while ((more.tp *= 2) <= most) {
    if (l.ep > 1 && l.ep == l.tp) more.ep = more.tp;
    if (weights_floor(r, more) > room || layout_stop(r, more)) continue;
    Fix fix{{set(f::tp_size, str(Value(more.tp)))}, "more GPUs"};
    if (more.ep != l.ep) fix.edits.push_back(set(f::ep_size, str(Value(more.ep))));
    fixes.push_back(std::move(fix));
    break;
  }
  if (r.model().quantization.empty() && least / 2 <= room && device_sm(m) >= 89)
    fixes.push_back(
        {{set(f::quantization, "fp8")}, "weights are rounded to 8 bits while they load"});
  r.note(kWeights, {tenths(least), tenths(room), tenths(share * 100), tenths(gib)},
         std::move(fixes), {f::model_path.id, f::tp_size.id, f::mem_fraction_static.id});
}

}  // namespace

std::string tenths(double v) {
  return real_repr(static_cast<double>(static_cast<int64_t>(v * 10 + 0.5)) / 10);
}

double weights_floor(Resolution& r, const Layout& l) {
  const ModelConfig& model = r.model();
  const Value& c = text_config(model);
  int64_t plain = plain_layers(c);
  if (!model.known || plain < 0 || offloaded(r) || l.tp <= 0 || l.pp <= 0) return 0;
  const auto n = [&](const char* key) { return static_cast<double>(c[key].as_int()); };
  double experts = 0;  // some config.json have two names for the number
  for (const char* key : {"num_experts", "n_routed_experts", "num_local_experts"})
    if (n(key) > 0) experts = experts > 0 ? std::min(experts, n(key)) : n(key);
  if (plain > 0) plain = experts > 0 ? c["first_k_dense_replace"].as_int(plain) : 0;
  int64_t layers = std::max<int64_t>(c["num_hidden_layers"].as_int() - plain, 0) / l.pp;
  if (experts > 0)
    layers /=
        std::max<int64_t>({c["moe_layer_freq"].as_int(), c["decoder_sparse_step"].as_int(), 1});
  const double size = experts > 0 && n("moe_intermediate_size") > 0 ? n("moe_intermediate_size")
                                                                    : n("intermediate_size");
  // kimi_k3.py: the experts work in a smaller space.
  const double width = experts > 0 && n("routed_expert_hidden_size") > 0
                           ? n("routed_expert_hidden_size")
                           : n("hidden_size");
  double numbers = static_cast<double>(layers) * 3 * width * size;
  if (experts > 0) numbers *= experts * static_cast<double>(std::max<int64_t>(l.moe_dp, 1));
  if (l.pp == 1) numbers += n("vocab_size") * n("hidden_size");
  return numbers * weight_bytes(model) / static_cast<double>(l.tp) / (1 << 30);
}

void memory_limits(Resolution& r) {
  if (!r.since(Release::v0_5_16)) return;
  weights(r);
  if (const auto tokens = r.get(f::max_total_tokens);
      tokens && *tokens < std::max<int64_t>(r.value(f::page_size).as_int(1), 1))
    r.note(kNoTokens, {}, {{{unset(f::max_total_tokens)}, "SGLang sizes the cache by the memory"}},
           {f::max_total_tokens.id, f::page_size.id});
  const Value& fraction = r.value(f::mem_fraction_static);
  if (!fraction.is_number() || !r.typed(f::mem_fraction_static)) return;
  const double share = fraction.as_real();
  const Rule* rule = share != share                      ? &kFractionNan
                     : share <= 0                        ? &kFractionZero
                     : share > 1 && is_cuda(r.machine()) ? &kFractionOverOne
                                                         : nullptr;
  if (rule)
    r.note(*rule, {fraction}, {{{unset(f::mem_fraction_static)}, "SGLang chooses"}},
           {f::mem_fraction_static.id});
}

RuleList memory_rules() {
  return {&kWeights, &kNoTokens, &kFractionNan, &kFractionZero, &kFractionOverOne};
}

}  // namespace sglint
