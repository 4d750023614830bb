// --enable-mis: several items scored against one query in a single sequence.
#include "rules/attention.h"
#include "rules/cuda_graph.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kFlashinfer{
    .id = "multi-item-scoring/needs-flashinfer",
    .exception = "AssertionError",
    .message =
        "Multi-item scoring requires flashinfer attention backend for custom attention mask "
        "support. Please set --attention-backend flashinfer when using --enable-mis. Current "
        "backends: prefill={}, decode={}",
    .why =
        "Items must not see one another, which takes a custom attention mask; only FlashInfer has "
        "it. SGLang does not choose it by itself.",
    .source = "server_args.py: ServerArgs._handle_multi_item_scoring",
    .bad = {"--model-path Qwen/Qwen3-8B --enable-mis --attention-backend triton", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-mis --attention-backend flashinfer", "h100"}};

}  // namespace

void multi_item_scoring(Resolution& r) {
  if (!r.get(f::enable_mis)) return;
  const char* because = "Multi-item scoring changes attention masks from request to request.";
  if (!graph_disabled(r, "decode")) r.warn("CUDA graph is disabled because --enable-mis is set.");
  set_graph_backend(r, "decode", "disabled", because);
  set_graph_backend(r, "prefill", "disabled", because);
  if (!r.get(f::disable_radix_cache)) {
    r.warn("Radix cache is disabled because --enable-mis is set.");
    r.set(f::disable_radix_cache, true,
          "What an item's tokens computed depends on the items around it.");
  }
  if (r.get(f::chunked_prefill_size) != -1) {
    r.warn("Chunked prefill is disabled because --enable-mis is set.");
    r.set(f::chunked_prefill_size, -1, "A chunk border could fall within an item.");
  }
  const AttentionBackends backends = resolved_attention_backends(r);
  if (backends.prefill == "flashinfer" && backends.decode == "flashinfer") return;
  std::vector<Fix> fixes;
  if (r.typed(f::prefill_attention_backend) || r.typed(f::decode_attention_backend))
    fixes.push_back({{unset(f::prefill_attention_backend), unset(f::decode_attention_backend),
                      set(f::attention_backend, "flashinfer")},
                     "FlashInfer attention"});
  else
    fixes.push_back({{set(f::attention_backend, "flashinfer")}, "FlashInfer attention"});
  fixes.push_back({{unset(f::enable_mis)}, "items are scored one sequence each"});
  r.reject(kFlashinfer, {Value(backends.prefill), Value(backends.decode)}, std::move(fixes));
}

RuleList multi_item_scoring_rules() { return {&kFlashinfer}; }

}  // namespace sglint
