// DWDP: each data-parallel rank holds a part of the experts and fetches the others' weights.
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr ReleaseRange kReleases{Release::v0_5_17, Release::v0_5_18};

constexpr Rule kSizeIsTp{
    .id = "dwdp/size-is-tp-size",
    .exception = "AssertionError",
    .message = "dwdp_size ({}) must equal tp_size ({})",
    .why = "Every rank is a data-parallel replica, so there are as many as --tp-size counts.",
    .source = "server_args.py: ServerArgs._handle_dwdp",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --dwdp-size 4", "h200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --dwdp-size 4 --tp-size 4", "h200"},
    .releases = kReleases};

constexpr Rule kMode{
    .id = "dwdp/decode-server",
    .exception = "AssertionError",
    .message = "DWDP requires --disaggregation-mode null or prefill",
    .why =
        "Fetching experts pays off over the many tokens of a prefill; a decode server would fetch "
        "them for each token.",
    .source = "server_args.py: ServerArgs._handle_dwdp",
    .bad =
        {"--model-path Qwen/Qwen3-30B-A3B --dwdp-size 4 --tp-size 4 --disaggregation-mode decode "
         "--disaggregation-transfer-backend nixl",
         "h200"},
    .good =
        {"--model-path Qwen/Qwen3-30B-A3B --dwdp-size 4 --tp-size 4 --disaggregation-mode prefill "
         "--disaggregation-transfer-backend nixl",
         "h200"},
    .releases = kReleases};

constexpr Rule kEplb{
    .id = "dwdp/eplb",
    .exception = "AssertionError",
    .message = "EPLB dynamic migration conflicts with static DWDP partitioning",
    .why = "Ranks must know where each expert lives, and EPLB moves them.",
    .source = "server_args.py: ServerArgs._handle_dwdp",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --dwdp-size 4 --tp-size 4 --enable-eplb", "h200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --dwdp-size 4 --tp-size 4", "h200"},
    .releases = kReleases};

constexpr Rule kSpeculative{
    .id = "dwdp/speculative",
    .exception = "AssertionError",
    .message = "DWDP does not support speculative decoding (MTP/draft workers)",
    .why = "The draft model's experts are not part of the exchange.",
    .source = "server_args.py: ServerArgs._handle_dwdp",
    .bad =
        {"--model-path Qwen/Qwen3-30B-A3B --dwdp-size 4 --tp-size 4 --speculative-algorithm NGRAM",
         "h200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --dwdp-size 4 --tp-size 4", "h200"},
    .releases = kReleases};

constexpr Rule kPipeline{
    .id = "dwdp/pipeline",
    .exception = "AssertionError",
    .message = "DWDP requires pp_size == 1",
    .why = "The exchange of experts spans all ranks, not those of one pipeline stage.",
    .source = "server_args.py: ServerArgs._handle_dwdp",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --dwdp-size 4 --tp-size 4 --pp-size 2", "h200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --dwdp-size 4 --tp-size 4", "h200"},
    .releases = kReleases};

constexpr Rule kTwoBatches{
    .id = "dwdp/two-batch-overlap",
    .exception = "AssertionError",
    .message = "DWDP's prefetch event protocol does not support two-batch overlap",
    .why = "Weights are prefetched for one batch at a time.",
    .source = "server_args.py: ServerArgs._handle_dwdp",
    .bad = {"--model-path Qwen/Qwen3-30B-A3B --dwdp-size 4 --tp-size 4 --enable-two-batch-overlap",
            "h200"},
    .good = {"--model-path Qwen/Qwen3-30B-A3B --dwdp-size 4 --tp-size 4", "h200"},
    .releases = kReleases};

}  // namespace

void dwdp(Resolution& r) {
  const int64_t size = r.get(f::dwdp_size), tp = r.get(f::tp_size);
  if (size <= 1) return;
  const Fix off{{unset(f::dwdp_size)}, "experts are split by tensor parallelism"};
  const std::string_view mode = r.get(f::disaggregation_mode);
  if (size != tp)
    return r.reject(kSizeIsTp, {size, tp},
                    {{{set(f::tp_size, std::to_string(size))}, "uses as many GPUs"}, off});
  if (mode != "null" && mode != "prefill")
    return r.reject(kMode, {}, {off}, {Field::disaggregation_mode});
  if (r.get(f::enable_eplb))
    return r.reject(kEplb, {}, {{{unset(f::enable_eplb)}, "experts stay where they are"}, off});
  if (r.get(f::speculative_algorithm))
    return r.reject(kSpeculative, {}, {off}, {Field::speculative_algorithm});
  if (r.get(f::pp_size) != 1) return r.reject(kPipeline, {}, {off}, {Field::pp_size});
  if (r.get(f::enable_two_batch_overlap))
    return r.reject(kTwoBatches, {},
                    {{{unset(f::enable_two_batch_overlap)}, "no overlap of two batches"}, off});

  if (mode == "null")
    r.warn(
        "DWDP with --disaggregation-mode null: decode steps re-fetch all remote expert weights "
        "every step, which is slow. DWDP is recommended only with --disaggregation-mode prefill.");
  const char* because =
      "DWDP makes every rank a data-parallel replica that fetches the experts it lacks.";
  r.set(f::dp_size, size, because);
  r.set(f::enable_dp_attention, true, because);
  r.set(f::enable_dp_attention_local_control_broadcast, true, because);
  r.set(f::enable_dp_lm_head, true, because);
  r.set(f::moe_dense_tp_size, 1, because);
  r.set(f::ep_size, size, because);
  r.set(f::moe_dp_size, 1, because);
  r.set(f::moe_a2a_backend, "none", because);
  r.env().put("SGLANG_SCHEDULER_SKIP_ALL_GATHER", "True");
  r.set(f::disable_cuda_graph, true, "Fetching weights cannot be captured in a CUDA graph.");
  r.info(
      "DWDP enabled: dwdp_size={}, auto-forced dp_size={}, moe_ep_size={}, moe_dense_tp_size=1, "
      "moe_a2a_backend=none, dp_attention_local_control_broadcast=True, enable_dp_lm_head=True, "
      "SCHEDULER_SKIP_ALL_GATHER=True, disable_cuda_graph=True",
      {size, size, size});
}

RuleList dwdp_rules() {
  return {&kSizeIsTp, &kMode, &kEplb, &kSpeculative, &kPipeline, &kTwoBatches};
}

}  // namespace sglint
