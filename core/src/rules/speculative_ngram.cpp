// _handle_ngram (arg_groups/speculative_hook.py).
#include "base/arithmetic.h"
#include "rules/speculative.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "arg_groups/speculative_hook.py: _handle_ngram";

constexpr Rule kDevice{
    .id = "speculative/ngram-device",
    .exception = "ValueError",
    .message = "Ngram speculative decoding only supports CUDA or CPU devices.",
    .why =
        "The kernels that build and verify the n-gram tree exist for NVIDIA (and AMD, which SGLang "
        "calls cuda too) GPUs and for CPUs only.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM", "npu"},
    .good = {"--model-path Qwen/Qwen3-8B", "npu"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

constexpr Rule kDeviceOld{
    .id = "speculative/ngram-needs-cuda",
    .exception = "ValueError",
    .message = "Ngram speculative decoding only supports CUDA device.",
    .why = "Before 0.5.16 the n-gram kernels exist for GPUs only.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM", "npu", "0.5.15.post1"},
    .good = {"--model-path Qwen/Qwen3-8B", "npu", "0.5.15.post1"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_15_post1},
};

constexpr Rule kNoBreadth{
    .id = "speculative/ngram-breadth-zero",
    .exception = "ZeroDivisionError",
    .message = "integer division or modulo by zero",
    .why =
        "--speculative-ngram-max-bfs-breadth is the divisor of the number of draft steps and must "
        "not be 0.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM "
            "--speculative-ngram-max-bfs-breadth 0"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM "
             "--speculative-ngram-max-bfs-breadth 1"},
};

constexpr Rule kSamBudget{
    .id = "speculative/ngram-corpus-needs-budget",
    .exception = "ValueError",
    .message =
        "--speculative-ngram-external-sam-budget must be positive when "
        "--speculative-ngram-external-corpus-path is set.",
    .why =
        "The budget is how many draft tokens may come from the corpus; its default is 0, so that "
        "the corpus alone does nothing.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM "
            "--speculative-ngram-external-corpus-path c.txt"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM "
             "--speculative-ngram-external-corpus-path c.txt "
             "--speculative-ngram-external-sam-budget 4"},
};

constexpr Rule kCorpusTokens{
    .id = "speculative/ngram-corpus-tokens-not-positive",
    .exception = "ValueError",
    .message =
        "--speculative-ngram-external-corpus-max-tokens must be positive when "
        "--speculative-ngram-external-corpus-path is set.",
    .why = "It bounds how many tokens of the corpus are indexed.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM "
            "--speculative-ngram-external-corpus-path c.txt "
            "--speculative-ngram-external-sam-budget 4 "
            "--speculative-ngram-external-corpus-max-tokens 0"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM "
             "--speculative-ngram-external-corpus-path c.txt "
             "--speculative-ngram-external-sam-budget 4"},
};

constexpr Rule kSamBudgetTooLarge{
    .id = "speculative/ngram-budget-over-draft-tokens",
    .exception = "ValueError",
    .message =
        "speculative_ngram_external_sam_budget must be less than or equal to "
        "speculative_num_draft_tokens - 1 ({}).",
    .why =
        "The first draft token is the one that was just sampled; only the others can come from the "
        "corpus.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM "
            "--speculative-ngram-external-corpus-path c.txt "
            "--speculative-ngram-external-sam-budget 12"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM "
             "--speculative-ngram-external-corpus-path c.txt "
             "--speculative-ngram-external-sam-budget 11"},
};

constexpr Rule kTreeOnPages{
    .id = "speculative/ngram-tree-on-pages",
    .exception = "ValueError",
    .message =
        "speculative_eagle_topk({}) > 1 with page_size({}) > 1 is unstable and produces incorrect "
        "results for paged attention backends. This combination is only supported for the "
        "'flashinfer' backend.",
    .why =
        "NGRAM sets speculative_eagle_topk from --speculative-ngram-max-bfs-breadth (default 10), "
        "so the text names a flag that you need not have typed. Use pages of one token, the "
        "flashinfer backend, or a breadth of 1.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM --page-size 64 "
            "--attention-backend triton"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM --page-size 64 "
             "--attention-backend flashinfer"},
};

constexpr Rule kDpAttention{
    .id = "speculative/ngram-without-dp-attention",
    .exception = "ValueError",
    .message = "Currently ngram speculative decoding does not support dp attention.",
    .why = "The n-gram worker does not synchronise its batches between data-parallel ranks.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size 2 --dp-size 2 --enable-dp-attention "
            "--speculative-algorithm NGRAM"},
    .good = {"--model-path Qwen/Qwen3-8B --tp-size 2 --speculative-algorithm NGRAM"},
};

void check_external_corpus(Resolution& r) {
  if (!r.get(f::speculative_ngram_external_corpus_path)) return;
  const Fix no_corpus{{unset(f::speculative_ngram_external_corpus_path)},
                      "drafts from the conversation only"};
  const int64_t budget = r.get(f::speculative_ngram_external_sam_budget);
  const int64_t most = r.get(f::speculative_num_draft_tokens).value_or(0) - 1;
  if (budget <= 0)
    return r.reject(kSamBudget, {},
                    {{{set(f::speculative_ngram_external_sam_budget, "4")}, ""}, no_corpus});
  if (r.get(f::speculative_ngram_external_corpus_max_tokens) <= 0)
    return r.reject(kCorpusTokens, {},
                    {{{unset(f::speculative_ngram_external_corpus_max_tokens)}, ""}, no_corpus});
  if (budget > most)
    return r.reject(
        kSamBudgetTooLarge, {most},
        {{{set(f::speculative_ngram_external_sam_budget, std::to_string(most))}, ""}, no_corpus});
}

}  // namespace

void speculative_ngram(Resolution& r) {
  const std::string_view device = r.get(f::device).value_or("");
  const Fix none{{unset(f::speculative_algorithm)}, "no speculative decoding: slower decode"};
  if (r.since(Release::v0_5_16) ? !one_of(device, {"cuda", "cpu"}) : !starts_with(device, "cuda"))
    return r.reject(r.since(Release::v0_5_16) ? kDevice : kDeviceOld, {}, {none}, {f::device.id});
  disable_overlap_schedule_for_cpu(r);
  default_speculative_running_requests(r);
  r.set(f::enable_mixed_chunk, false,
        "N-gram speculation cannot mix prefill chunks into decode batches.");
  const int64_t breadth = r.get(f::speculative_ngram_max_bfs_breadth);
  r.set(f::speculative_eagle_topk, breadth,
        "The n-gram tree is as wide as --speculative-ngram-max-bfs-breadth.");
  if (!r.get(f::speculative_num_draft_tokens)) {
    r.set(f::speculative_num_draft_tokens, 12, "The default of n-gram speculation.");
    r.warn(
        "speculative_num_draft_tokens is set to 12 by default for ngram speculative decoding. You "
        "can override this by explicitly setting --speculative-num-draft-tokens.");
  }
  const int64_t tokens = *r.get(f::speculative_num_draft_tokens);
  if (!r.get(f::speculative_num_steps)) {
    if (breadth == 0)
      return r.reject(kNoBreadth, {}, {{{unset(f::speculative_ngram_max_bfs_breadth)}, ""}});
    r.set(f::speculative_num_steps, floor_div(tokens, breadth),
          "As many levels as the draft tokens fill.");
  }
  check_external_corpus(r);
  r.warn("The mixed chunked prefill are disabled because of using ngram speculative decoding.");
  const int64_t page = r.view(f::page_size).value_or(1);
  if (breadth > 1 && page > 1 && r.view(f::attention_backend) != "flashinfer")
    return r.reject(
        kTreeOnPages, {breadth, page},
        {{{set(f::page_size, "1")}, "smaller pages: a little slower attention"},
         {{set(f::attention_backend, "flashinfer")}, "another attention kernel: speed differs"},
         {{set(f::speculative_ngram_max_bfs_breadth, "1"),
           set(f::speculative_ngram_min_bfs_breadth, "1")},
          "drafts a chain instead of a tree"}},
        {f::attention_backend.id});
  if (r.view(f::enable_dp_attention))
    return r.reject(kDpAttention, {},
                    {{{unset(f::enable_dp_attention)},
                      "attention is tensor-parallel: more KV cache per request"},
                     none});
}

RuleList speculative_ngram_rules() {
  return {&kDevice,       &kDeviceOld,         &kNoBreadth,   &kSamBudget,
          &kCorpusTokens, &kSamBudgetTooLarge, &kTreeOnPages, &kDpAttention};
}

}  // namespace sglint
