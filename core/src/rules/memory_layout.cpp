// Page-major KV layout: ServerArgs._handle_page_major_kv_layout.
//
// In this layout a page holds all layers, so that a layer's keys, values and recurrent state are
// views with large strides; only kernels that take strides may read them.

#include "rules/memory_layout.h"

#include <algorithm>

#include "base/sort.h"
#include "base/text.h"
#include "rules/attention.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kHandler = "server_args.py: ServerArgs._handle_page_major_kv_layout";

constexpr Rule kAttentionBackend{
    .id = "memory-layout/page-major-attention-backend",
    .exception = "AssertionError",
    .message =
        "--enable-page-major-kv-layout requires the Triton attention backend for the "
        "full-attention layers (unified-memory MLA also allows the paged MLA backends); got {}, "
        "allowed {}. Pass a compatible --attention-backend.",
    .why =
        "Only Triton's attention reads the strided pages. SGLang's default backend on most GPUs is "
        "another one, so that the layout has to be asked for together with --attention-backend "
        "triton. --enable-unified-memory switches the layout on and brings the same demand.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-page-major-kv-layout"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-page-major-kv-layout "
             "--attention-backend triton"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kAttentionBackendTriton{
    .id = "memory-layout/page-major-needs-triton-attention",
    .exception = "AssertionError",
    .message =
        "--enable-page-major-kv-layout requires the Triton attention backend for the "
        "full-attention layers; got {}. Pass --attention-backend triton.",
    .why =
        "Only Triton's attention reads the strided pages. SGLang's default backend on most GPUs is "
        "another one, so that the layout has to be asked for together with --attention-backend "
        "triton. --enable-unified-memory switches the layout on and brings the same demand.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-page-major-kv-layout", "h100",
            "0.5.16"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-page-major-kv-layout "
             "--attention-backend triton",
             "h100", "0.5.16"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_16},
};

constexpr Rule kLinearBackendsTriton{
    .id = "memory-layout/page-major-needs-triton-linear-attention",
    .exception = "AssertionError",
    .message =
        "--enable-page-major-kv-layout requires the Triton linear-attention / Mamba kernels for "
        "the strided conv/SSM state; got {}. Pass --linear-attn-backend triton and --mamba-backend "
        "triton.",
    .why =
        "In this release only Triton's kernels read the strided recurrent state. All of "
        "--linear-attn-backend, its prefill and decode variants and --mamba-backend are judged, "
        "for every model.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-page-major-kv-layout "
            "--attention-backend triton --linear-attn-decode-backend flashinfer",
            "h100", "0.5.16"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-page-major-kv-layout "
             "--attention-backend triton",
             "h100", "0.5.16"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_16},
};

constexpr Rule kLinearDecode{
    .id = "memory-layout/page-major-linear-decode-backend",
    .exception = "AssertionError",
    .message =
        "--enable-page-major-kv-layout: linear-attention DECODE backend must be one of {} for the "
        "strided conv/SSM state; got {}.",
    .why =
        "Only these decode kernels take the strides of the recurrent state. The list is longer for "
        "MLA hybrids (Kimi): whether the model is one is told by MLA, not by KDA. The backend may "
        "come from --linear-attn-backend.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-page-major-kv-layout "
            "--attention-backend triton --linear-attn-decode-backend cutedsl"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-page-major-kv-layout "
             "--attention-backend triton --linear-attn-decode-backend flashinfer"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kLinearPrefill{
    .id = "memory-layout/page-major-linear-prefill-backend",
    .exception = "AssertionError",
    .message =
        "--enable-page-major-kv-layout: linear-attention PREFILL backend must be one of {} for the "
        "strided conv/SSM state; got {}.",
    .why =
        "Only these prefill kernels take the strides of the recurrent state: FlashInfer's does for "
        "decode, but not for prefill. The list is longer for MLA hybrids (Kimi). The backend may "
        "come from --linear-attn-backend.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-page-major-kv-layout "
            "--attention-backend triton --linear-attn-prefill-backend flashinfer"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-page-major-kv-layout "
             "--attention-backend triton --linear-attn-prefill-backend triton"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kMambaTriton{
    .id = "memory-layout/page-major-needs-triton-mamba",
    .exception = "AssertionError",
    .message =
        "--enable-page-major-kv-layout requires the Triton Mamba kernels for the strided conv/SSM "
        "state; got {}. Pass --mamba-backend triton.",
    .why = "FlashInfer's Mamba-2 kernels do not take the strides of the recurrent state.",
    .source = kHandler,
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-page-major-kv-layout "
            "--attention-backend triton --mamba-backend flashinfer"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --enable-page-major-kv-layout "
             "--attention-backend triton"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

// How to do without the layout, whichever flag brought it.
Fix plain_layout(const Resolution& r) {
  Fix fix{{}, "layer-major KV cache, the usual layout"};
  if (r.get(f::enable_unified_memory)) fix.edits.push_back(unset(f::enable_unified_memory));
  if (r.typed(f::enable_page_major_kv_layout))
    fix.edits.push_back(unset(f::enable_page_major_kv_layout));
  return fix;
}

void full_attention(Resolution& r) {
  const bool mla_views =
      r.since(Release::v0_5_17) && r.get(f::enable_unified_memory) && use_mla_backend(r);
  const std::vector<std::string_view> allowed =
      mla_views ? std::vector<std::string_view>{"cutedsl_mla",    "fa3",    "flashinfer",
                                                "tokenspeed_mla", "triton", "trtllm_mla"}
                : std::vector<std::string_view>{"triton"};
  const std::vector<std::string_view> used = backend_set(resolved_attention_backends(r));
  if (std::includes(allowed.begin(), allowed.end(), used.begin(), used.end())) return;
  Fix triton{{set(f::attention_backend, "triton")}, "full-attention layers run on Triton"};
  for (const auto& key : {f::prefill_attention_backend, f::decode_attention_backend})
    if (r.typed(key)) triton.edits.push_back(unset(key));
  const std::vector<Fix> fixes{triton, plain_layout(r)};
  if (r.since(Release::v0_5_17))
    r.reject(kAttentionBackend, {python_list(used), python_list(allowed)}, fixes);
  else
    r.reject(kAttentionBackendTriton, {python_list(used)}, fixes);
}

// Up to 0.5.16 all recurrent kernels are judged together.
void all_triton(Resolution& r) {
  std::vector<std::string_view> used{r.get(f::linear_attn_backend), r.get(f::mamba_backend)};
  Fix triton{{}, "linear attention runs on Triton"};
  for (const auto& key : {f::linear_attn_decode_backend, f::linear_attn_prefill_backend}) {
    if (const auto backend = r.get(key)) used.push_back(*backend);
    if (r.typed(key)) triton.edits.push_back(unset(key));
  }
  sort_unique(used);
  if (used == std::vector<std::string_view>{"triton"}) return;
  if (r.typed(f::linear_attn_backend)) triton.edits.push_back(unset(f::linear_attn_backend));
  if (r.typed(f::mamba_backend)) triton.edits.push_back(unset(f::mamba_backend));
  if (triton.edits.empty()) triton.edits.push_back(set(f::linear_attn_decode_backend, "triton"));
  r.reject(kLinearBackendsTriton, {python_list(used)}, {triton, plain_layout(r)});
}

void strided_state(Resolution& r) {
  std::vector<std::string_view> decode_allowed{"triton", "flashinfer"},
      prefill_allowed{"triton", "flashkda"};
  if (use_mla_backend(r)) {
    for (std::vector<std::string_view>* allowed : {&decode_allowed, &prefill_allowed}) {
      allowed->push_back("cutedsl");
      if (r.since(Release::v0_5_18)) allowed->push_back("helion");
    }
  }
  const auto judge = [&](const Rule& rule, Key<std::optional<std::string_view>> phase,
                         std::vector<std::string_view>& allowed) {
    const std::string_view backend = r.get(phase).value_or(r.get(f::linear_attn_backend));
    if (std::find(allowed.begin(), allowed.end(), backend) != allowed.end()) return;
    sort_unique(allowed);
    r.reject(rule, {python_list(allowed), repr(backend)},
             {{{set(phase, "triton")}, "this phase of linear attention runs on Triton"},
              plain_layout(r)},
             {f::linear_attn_backend.id});
  };
  judge(kLinearDecode, f::linear_attn_decode_backend, decode_allowed);
  judge(kLinearPrefill, f::linear_attn_prefill_backend, prefill_allowed);
  if (r.get(f::mamba_backend) != "triton")
    r.reject(kMambaTriton, {repr(r.value(f::mamba_backend))},
             {{{unset(f::mamba_backend)}, "Mamba-2 kernels of Triton"}, plain_layout(r)});
}

}  // namespace

void sort_unique(std::vector<std::string_view>& names) {
  stable_sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

std::vector<std::string_view> backend_set(const AttentionBackends& backends) {
  std::vector<std::string_view> names;
  if (backends.prefill) names.push_back(*backends.prefill);
  if (backends.decode) names.push_back(*backends.decode);
  sort_unique(names);
  return names;
}

std::string python_list(const std::vector<std::string_view>& names) {
  Value::List list;
  for (std::string_view name : names) list.emplace_back(name);
  return repr(Value(std::move(list)));
}

void page_major_kv_layout(Resolution& r) {
  if (r.get(f::enable_unified_memory))
    r.set(f::enable_page_major_kv_layout, true, "The unified memory pool is laid out by pages.");
  if (!r.get(f::enable_page_major_kv_layout)) return;
  full_attention(r);
  if (r.since(Release::v0_5_17))
    strided_state(r);
  else
    all_triton(r);
}

RuleList memory_layout_rules() {
  RuleList rules{&kAttentionBackend, &kAttentionBackendTriton, &kLinearBackendsTriton,
                 &kLinearDecode,     &kLinearPrefill,          &kMambaTriton};
  for (const Rule* rule : unified_memory_rules()) rules.push_back(rule);
  return rules;
}

}  // namespace sglint
