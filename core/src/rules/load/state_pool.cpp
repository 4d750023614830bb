// How many requests really run at once. Models with recurrent layers keep a state for each request
// in a pool of slots, and a request takes several: mem_cache/kv_cache_configurator.py,
// _handle_max_mamba_cache, _calculate_mamba_ratio and resolve_max_num_reqs.

#include "rules/load/state_pool.h"

#include <algorithm>

#include "base/text.h"
#include "rules/load/layout.h"
#include "rules/load/linear_kernels.h"
#include "rules/load/load.h"

namespace sglint {
namespace {

constexpr ReleaseRange kSince0516{Release::v0_5_16, Release::v0_5_18};
constexpr std::string_view kResolve =
    "mem_cache/kv_cache_configurator.py: KVCacheConfigurator.resolve_max_num_reqs";
#define SGLINT_NEXT "--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --tp-size 4"

constexpr Rule kCapped{
    .id = "state-pool/capped",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message =
        "max_running_requests is capped to {} by the mamba state cache (max_mamba_cache_size={}, "
        "{} state slots per request). To raise it: increase --mamba-full-memory-ratio or "
        "--max-mamba-cache-size, or halve the state size with --mamba-ssm-dtype bfloat16.",
    .why =
        "A log line of the workers says so (before 0.5.17 none does): fewer requests run at once "
        "than asked for, the others wait. The radix cache and overlap scheduling keep copies of a "
        "request's state, so that a request takes 3 to 5 slots of --max-mamba-cache-size. With "
        "dp-attention the numbers are those of one rank.",
    .source = kResolve,
    .bad = {SGLINT_NEXT " --max-running-requests 8 --max-mamba-cache-size 10"},
    .good = {SGLINT_NEXT " --max-running-requests 8 --max-mamba-cache-size 40"},
    .releases = kSince0516,
};

constexpr Rule kCannotHold{
    .id = "state-pool/memory",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message =
        "At most {} of the {} requests asked for can run at once: a request takes {} state slots "
        "of {} MiB, and {} would hold no more.",
    .why =
        "SGLang gives the states of recurrent layers a share of the memory that the weights leave "
        "(--mamba-full-memory-ratio to one of the KV cache) and lowers --max-running-requests to "
        "what fits. Counted here are the weights that config.json makes certain (embedding, MLPs "
        "and experts); what else is loaded lowers the number further. --disable-radix-cache makes "
        "a request take one slot, --mamba-ssm-dtype bfloat16 halves it.",
    .source = kResolve,
    .bad = {SGLINT_NEXT " --max-running-requests 400"},
    .good = {SGLINT_NEXT " --max-running-requests 64"},
    .releases = kSince0516,
};

constexpr Rule kNoRequest{
    .id = "state-pool/no-request-fits",
    .stage = Stage::load,
    .exception = "RuntimeError",
    .message =
        "Hybrid (mamba/linear-attention) state cache is too small to serve any requests. "
        "max_mamba_cache_size={}, mamba_ratio={}, resulting max_num_reqs={}. Try: (1) reduce "
        "--max-running-requests, (2) increase --mem-fraction-static, or (3) use GPUs with more "
        "memory.",
    .why =
        "A request takes several slots of --max-mamba-cache-size, which with dp-attention is "
        "shared out over the ranks first. What the message advises does not help when the flag "
        "set the size: raise it, or leave it out.",
    .source = kResolve,
    .bad = {SGLINT_NEXT " --max-mamba-cache-size 2"},
    .good = {SGLINT_NEXT " --max-mamba-cache-size 20"},
    .releases = kSince0516,
};

constexpr Rule kNoSlot{
    .id = "state-pool/no-slot",
    .stage = Stage::load,
    .exception = "RuntimeError",
    .message =
        "Not enough GPU memory for hybrid (mamba/linear-attention) state cache. Computed "
        "max_mamba_cache_size={} ",
    .why =
        "--max-mamba-cache-size counts the states that the GPU keeps (over all ranks of "
        "dp-attention). The message goes on with the memory that is left, which is not the cause.",
    .source = "mem_cache/kv_cache_configurator.py: KVCacheConfigurator._handle_max_mamba_cache",
    .bad = {SGLINT_NEXT " --max-mamba-cache-size 0"},
    .good = {SGLINT_NEXT " --max-mamba-cache-size 20"},
    .releases = kSince0516,
};

constexpr Rule kZeroRequests{
    .id = "scheduler/no-request-per-rank",
    .stage = Stage::load,
    .exception = "AssertionError",
    .message = "max_running_request is zero",
    .why =
        "--max-running-requests is shared out over the ranks of dp-attention and must leave each "
        "at least one. The check comes after the weights are loaded.",
    .source = "managers/tp_worker.py: TpModelWorker.alloc_memory_pool",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 8 --enable-dp-attention "
            "--max-running-requests 4",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 8 --enable-dp-attention "
             "--max-running-requests 64",
             "h200"},
    .releases = kSince0516,
};

#undef SGLINT_NEXT

// configs/mamba_utils.py: BaseLinearStateParams.mamba_cache_per_req and the ring of ReplaySSM.
struct StateSize {
  double bytes = 0;       // of all recurrent layers of a rank; 0 where a size is not known
  double ring_bytes = 0;  // of each record of ReplaySSM's ring
  bool kda = false;
};

int64_t recurrent_layers(const Value& c) {
  if (const int64_t n = c["linear_layers"].as_int(); n > 0) return n;  // the catalogue's own key
  const int64_t all = c["num_hidden_layers"].as_int();
  if (const int64_t group = c["layer_group_size"].as_int(); group > 0) return all - all / group;
  if (c["full_attn_idxs"].is_list())
    return all - static_cast<int64_t>(c["full_attn_idxs"].as_list().size());
  if (c["linear_attn_config"]["kda_layers"].is_list())
    return static_cast<int64_t>(c["linear_attn_config"]["kda_layers"].as_list().size());
  int64_t count = 0;
  for (const char* list : {"layer_types", "layers_block_type"})
    for (const Value& layer : c[list].as_list())
      count +=
          one_of(layer.as_str(), {"linear_attention", "mamba", "M", "conv", "short_conv", "jet"});
  for (char layer : c["hybrid_override_pattern"].as_str()) count += layer == 'M';
  if (count == 0 && c["full_attention_interval"].as_int() > 0)
    return all - all / c["full_attention_interval"].as_int();
  return count == 0 && c["model_type"].as_str() == "falcon_h1" ? all : count;
}

StateSize state_size(Resolution& r, const Value& c, int64_t tp) {
  struct Shape {
    int64_t k_heads, heads, k_dim, v_dim, kernel;
  } s{};
  const Value &kda = c["linear_attn_config"], &jet = c["efficient_attention_config"]["jet"];
  const std::string_view type = c["model_type"].as_str();
  StateSize out;
  if (kda["num_heads"].as_int() > 0) {
    const int64_t heads = kda["num_heads"].as_int(), dim = kda["head_dim"].as_int();
    s = {heads, heads, dim, dim, kda["short_conv_kernel_size"].as_int()};
    out.kda = true;
  } else if (c["linear_num_value_heads"].as_int() > 0) {
    s = {c["linear_num_key_heads"].as_int(), c["linear_num_value_heads"].as_int(),
         c["linear_key_head_dim"].as_int(), c["linear_value_head_dim"].as_int(),
         c["linear_conv_kernel_dim"].as_int()};
  } else if (jet.is_dict()) {
    const int64_t heads = jet["num_heads"].as_int(), dim = jet["head_dim"].as_int();
    s = {heads, heads, dim,
         static_cast<int64_t>(static_cast<double>(dim) * jet["expand_v"].as_real()),
         jet["conv_size"].as_int()};
  } else if (type == "bailing_hybrid") {
    const int64_t heads = c["num_attention_heads"].as_int(), dim = c["head_dim"].as_int();
    s = {heads, heads, dim, dim, 1};  // no convolution
  } else if (c["mamba_num_heads"].as_int() > 0) {
    s = {c["n_groups"].as_int(), c["mamba_num_heads"].as_int(), c["ssm_state_size"].as_int(),
         c["mamba_head_dim"].as_int(), c["conv_kernel"].as_int()};
  } else {
    s = {c["mamba_n_groups"].as_int(), c["mamba_n_heads"].as_int(), c["mamba_d_state"].as_int(),
         c["mamba_d_head"].as_int(), c["mamba_d_conv"].as_int()};
  }
  const int64_t layers = recurrent_layers(c);
  const double conv = r.env().get("SGLANG_MAMBA_CONV_DTYPE").as_str() == "float32" ? 4 : 2;
  if (const int64_t window = c["conv_L_cache"].as_int(); window > 0 && tp > 0) {  // LFM2
    const int64_t numbers = c["hidden_size"].as_int() / tp * (window - 1) * layers;
    out.bytes = conv * static_cast<double>(numbers);
    return out;
  }
  if (s.heads <= 0 || s.k_heads <= 0 || s.k_dim <= 0 || s.v_dim <= 0 || s.kernel <= 0 ||
      layers <= 0 || tp <= 0 || s.heads % tp != 0)
    return out;
  const int64_t groups = s.k_heads % tp == 0 ? s.k_heads : tp;
  // Their parameters are made without the config: only the flag's type counts.
  const bool own = !out.kda && !one_of(type, {"granitemoehybrid", "bailing_hybrid"});
  const double ssm = state_dtype(r, own ? c : kNone) == "float32" ? 4 : 2;
  const auto mean = [&](int64_t n) { return static_cast<double>(n) / static_cast<double>(tp); };
  const double rows = mean(s.heads), keys = mean(groups);
  const auto n = [](int64_t i) { return static_cast<double>(i); };
  const double conv_numbers = (rows * n(s.v_dim) + 2 * keys * n(s.k_dim)) * n(s.kernel - 1);
  out.bytes = (conv_numbers * conv + rows * n(s.v_dim) * n(s.k_dim) * ssm) * n(layers);
  const double vectors = rows * n(s.v_dim) * conv + keys * n(s.k_dim) * conv;
  out.ring_bytes =
      (vectors * (out.kda ? 2 : 1) + rows * 4 + rows * 4 * (out.kda ? n(s.k_dim) : 1)) * n(layers);
  return out;
}

// _calculate_mamba_ratio: slots that a running request takes.
int64_t slots_per_request(Resolution& r) {
  if (r.get(f::disable_radix_cache)) return 1;
  const bool skip = r.since(Release::v0_5_17) && r.env().flag("SGLANG_OPT_MAMBA_SKIP_DECODE_LOCK");
  const std::string_view strategy = r.get(f::mamba_radix_cache_strategy);
  const int64_t base = skip ? 2 : 3;
  if (strategy == "extra_buffer_lazy") return base + 1;
  if (strategy == "extra_buffer") return base + (r.get(f::disable_overlap_schedule) ? 1 : 2);
  return base + (skip ? 1 : 0);
}

std::string text(int64_t n) { return str(Value(n)); }

// How many requests of a rank the memory holds at the most, -1 where nothing is known, and what
// memory that is. _handle_max_mamba_cache, with the weights that are certain.
struct Bound {
  int64_t requests = -1;
  std::string room;
};

Bound memory_bound(Resolution& r, const Layout& l, const StateSize& state, double mib,
                   int64_t slots) {
  const double gib = static_cast<double>(r.machine().gpu_mem_mib) / 1024 *
                     r.value(f::mem_fraction_static).as_real(1);
  const double ratio = r.get(f::mamba_full_memory_ratio);
  if (state.bytes <= 0 || !is_cuda(r.machine()) || !(gib > 0) || !(ratio > 0)) return {};
  const double weights = weights_floor(r, l), left = std::max(gib - weights, 0.0);
  double per_slot = mib;
  const auto drafts = r.get(f::speculative_num_draft_tokens);
  if (r.since(Release::v0_5_17) && r.get(f::enable_linear_replayssm_spec)) {
    const double records =
        static_cast<double>(state.kda || !drafts ? r.get(f::linear_replayssm_cache_len) : *drafts);
    per_slot += mib * state.ring_bytes * records / state.bytes;
  } else if (drafts && r.get(f::speculative_algorithm)) {
    per_slot *= 1 + static_cast<double>(*drafts) / static_cast<double>(slots);
  }
  // Since 0.5.17 one more slot pads the pool.
  const double fit =
      left * 1024 * ratio / (1 + ratio) / per_slot - (r.since(Release::v0_5_17) ? 1 : 0);
  Bound out{fit > 0 ? static_cast<int64_t>(std::min(fit, 1e9)) / slots : 0, ""};
  out.room = weights > 0
                 ? fill("the {} GiB that {} GiB of weights leave of {} GiB a GPU",
                        {tenths(left), tenths(weights), tenths(gib)})
                 : fill("all of {} GiB a GPU, even if the weights took nothing,", {tenths(gib)});
  return out;
}

}  // namespace

void state_pool(Resolution& r) {
  const Layout l = layout_of(r);
  const int64_t ranks = l.dp_attention ? std::max<int64_t>(l.dp, 1) : 1;
  const int64_t slots = slots_per_request(r);
  const auto size = r.get(f::max_mamba_cache_size);
  const auto asked = r.get(f::max_running_requests);
  const bool typed = asked && r.typed(f::max_running_requests);
  const StateSize state = state_size(r, text_config(r.model()), l.attn_tp());
  const double mib = state.bytes / (1 << 20) / static_cast<double>(std::max<int64_t>(l.pp, 1));
  const Fix fewer{{unset(f::max_running_requests)}, "as many requests as fit"};

  const Bound bound = memory_bound(r, l, state, mib, slots);
  const bool by_memory = !size && !(asked && r.get(f::disable_radix_cache));
  if (state.bytes > 0) {
    std::string pool = fill("{} slots a request, {} MiB a slot", {slots, tenths(mib)});
    int64_t most = size ? *size / ranks / slots : by_memory ? bound.requests : -1;
    if (asked) most = std::min(most, *asked / ranks);
    if (most >= 0) pool += fill(": at most {} requests at once", {most * ranks});
    r.set_attribute(
        "state_pool",
        Value::dict(
            {{"kernel", Value(std::move(pool))},
             {"because",
              Value(r.get(f::disable_radix_cache)
                        ? std::string("No radix cache, so that only the running state is kept.")
                        : fill("The radix cache's strategy {} keeps copies of a request's state.",
                               {r.get(f::mamba_radix_cache_strategy)}))}}));
  }
  if (size) {
    const int64_t pool = *size / ranks;
    const Fix enough{{set(f::max_mamba_cache_size,
                          text(std::max<int64_t>(typed ? *asked / ranks : 1, 1) * slots * ranks))},
                     "more GPU memory for states, less for the KV cache"};
    const Fix automatic{{unset(f::max_mamba_cache_size)}, "SGLang sizes the pool by the memory"};
    if (pool <= 0)
      return r.note(kNoSlot, {pool}, {automatic, enough}, {f::max_mamba_cache_size.id});
    if (pool / slots <= 0 || (typed && *asked / ranks <= 0))
      return r.note(kNoRequest, {pool, slots, std::min(pool / slots, typed ? *asked / ranks : 1)},
                    typed && *asked / ranks <= 0 ? std::vector<Fix>{fewer}
                                                 : std::vector<Fix>{enough, automatic},
                    {f::max_mamba_cache_size.id});
    if (typed && pool / slots < *asked / ranks)
      r.note(kCapped, {pool / slots, pool, slots}, {enough, automatic, fewer},
             {f::max_mamba_cache_size.id, f::max_running_requests.id});
    return;
  }
  if (!typed || !by_memory || bound.requests < 0 || bound.requests >= *asked / ranks) return;
  std::vector<Fix> fixes;
  const std::string most = text(bound.requests * ranks);
  if (bound.requests > 0)
    fixes.push_back({{set(f::max_running_requests, most)}, "as many as can run"});
  fixes.push_back(fewer);
  r.note(kCannotHold, {most, *asked, slots, tenths(mib), bound.room}, std::move(fixes),
         {f::max_running_requests.id, f::mamba_full_memory_ratio.id});
}

void requests_of_ranks(Resolution& r) {
  if (!r.since(Release::v0_5_16)) return;
  const int64_t ranks = r.get(f::enable_dp_attention) ? std::max<int64_t>(r.get(f::dp_size), 1) : 1;
  if (const auto asked = r.get(f::max_running_requests);
      asked && *asked / ranks <= 0 && r.attribute("state_pool").is_none())
    r.note(kZeroRequests, {},
           {{{set(f::max_running_requests, text(ranks))}, "one request a rank"},
            {{unset(f::max_running_requests)}, "SGLang chooses"}},
           {f::max_running_requests.id, f::dp_size.id});
}

RuleList state_pool_rules() {
  return {&kCapped, &kCannotHold, &kNoRequest, &kNoSlot, &kZeroRequests};
}

}  // namespace sglint
