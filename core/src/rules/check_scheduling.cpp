// ServerArgs.check_server_args: chunks, PD multiplexing, priorities.
#include "base/arithmetic.h"
#include "base/text.h"
#include "rules/check_server_args.h"
#include "rules/checks.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "server_args.py: ServerArgs.check_server_args";
using Fixes = std::vector<Fix>;
using R = const Resolution&;

constexpr Rule kMixedChunk{
    .id = "speculative/mixed-chunk-left-on",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "enable_mixed_chunk is required for speculative decoding",
    .why =
        "The text says the opposite of what it means: --enable-mixed-chunk must be off. Every "
        "known algorithm turns it off itself, so this only meets the algorithm name NONE.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NONE --enable-mixed-chunk"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-mixed-chunk"},
};

constexpr std::string_view kDummyWhy =
    "For the model paths none and dummy SGLang resolves nothing, but still compares the chunk and "
    "the page size: they have no value unless they are given.";

constexpr Rule kDummyChunk{
    .id = "scheduler/no-chunk-for-the-dummy-model",
    .stage = Stage::check,
    .exception = "TypeError",
    .message = "'>' not supported between instances of 'NoneType' and 'int'",
    .why = kDummyWhy,
    .source = kSource,
    .bad = {"--model-path dummy --served-model-name dummy"},
    .good = {"--model-path dummy --served-model-name dummy --chunked-prefill-size -1"},
};

constexpr Rule kDummyPages{
    .id = "scheduler/no-page-size-for-the-dummy-model",
    .stage = Stage::check,
    .exception = "TypeError",
    .message = "unsupported operand type(s) for %: 'int' and 'NoneType'",
    .why = kDummyWhy,
    .source = kSource,
    .bad = {"--model-path dummy --served-model-name dummy --chunked-prefill-size 4096"},
    .good = {"--model-path dummy --served-model-name dummy --chunked-prefill-size 4096 --page-size "
             "1"},
};

constexpr Rule kNoPages{
    .id = "scheduler/page-size-zero",
    .stage = Stage::check,
    .exception = "ZeroDivisionError",
    .message = "integer modulo by zero",
    .why = "--page-size 0 means nothing; pages have at least one token.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --page-size 0"},
    .good = {"--model-path Qwen/Qwen3-8B --page-size 1"},
};

constexpr Rule kChunkPages{
    .id = "scheduler/chunk-not-whole-pages",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "chunked_prefill_size must be divisible by page_size",
    .why =
        "A prefill chunk fills whole pages of the KV cache. The page size may come from the "
        "attention backend, and with --enable-dp-attention the chunk is divided by --dp-size "
        "first.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --page-size 64 --chunked-prefill-size 1000"},
    .good = {"--model-path Qwen/Qwen3-8B --page-size 64 --chunked-prefill-size 1024"},
};

constexpr Rule kPdmuxPipeline{
    .id = "pd-multiplexing/pipeline",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "PD-Multiplexing is only supported with pipeline parallelism disabled (pp_size=1).",
    .why = "Prefill and decode share the GPU's processors within one stage.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-pdmux --pp-size 2"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-pdmux --chunked-prefill-size -1 "
             "--disable-overlap-schedule"},
};

constexpr Rule kPdmuxChunk{
    .id = "pd-multiplexing/chunked-prefill",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "PD-Multiplexing is not compatible with chunked prefill.",
    .why = "Give --chunked-prefill-size -1: SGLang's default chunk counts as chunked prefill.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-pdmux --disable-overlap-schedule"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-pdmux --chunked-prefill-size -1 "
             "--disable-overlap-schedule"},
};

constexpr Rule kPdmuxDisaggregation{
    .id = "pd-multiplexing/disaggregation",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "PD-Multiplexing is not compatible with disaggregation mode.",
    .why = "A disaggregated server does only one of the two.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-pdmux --chunked-prefill-size -1 "
            "--disable-overlap-schedule --disaggregation-mode prefill"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-pdmux --chunked-prefill-size -1 "
             "--disable-overlap-schedule"},
};

constexpr Rule kPdmuxOverlap{
    .id = "pd-multiplexing/overlap-schedule",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "PD-Multiplexing is not compatible with overlap schedule.",
    .why = "Overlap scheduling is on by default: give --disable-overlap-schedule.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-pdmux --chunked-prefill-size -1"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-pdmux --chunked-prefill-size -1 "
             "--disable-overlap-schedule"},
};

constexpr Rule kPriorityPolicy{
    .id = "scheduler/priority-needs-policy",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message =
        "To use priority scheduling, schedule_policy must be 'fcfs' or 'lof'. '{}' is not "
        "supported.",
    .why =
        "Priorities order requests before the policy does, and only these two policies leave that "
        "order alone.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-priority-scheduling --schedule-policy random"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-priority-scheduling --schedule-policy fcfs"},
};

constexpr Rule kRetractionPriority{
    .id = "scheduler/retraction-by-priority",
    .stage = Stage::check,
    .exception = "ValueError",
    .message = "--retraction-policy priority requires --enable-priority-scheduling",
    .why = "Without priorities there is nothing to order by.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --retraction-policy priority"},
    .good =
        {"--model-path Qwen/Qwen3-8B --retraction-policy priority --enable-priority-scheduling"},
    .releases = {Release::v0_5_16, Release::v0_5_18},
};

// The chunk rounded down to whole pages, at least one.
int64_t whole_pages(R r) {
  const int64_t page = r.get(f::page_size).value_or(1);
  const int64_t chunk = r.get(f::chunked_prefill_size).value_or(page);
  // The flag counts before data-parallel attention divides it.
  const int64_t ranks = r.get(f::enable_dp_attention) ? r.get(f::dp_size) : 1;
  return (chunk < page ? page : chunk - chunk % page) * ranks;
}

constexpr Check kScheduling[] = {
    {&kMixedChunk,
     [](R r) {
       return r.get(f::speculative_algorithm).has_value() && r.get(f::enable_mixed_chunk);
     },
     [](R) {
       return Fixes{{{unset(f::speculative_algorithm)}, ""}, {{unset(f::enable_mixed_chunk)}, ""}};
     }},
    {&kDummyChunk,
     [](R r) {
       return one_of(lower(r.get(f::model_path)), {"none", "dummy"}) &&
              !r.get(f::chunked_prefill_size);
     },
     [](R) {
       return Fixes{{{set(f::chunked_prefill_size, "-1")}, "no chunked prefill"}};
     }},
    {&kDummyPages,
     [](R r) {
       return one_of(lower(r.get(f::model_path)), {"none", "dummy"}) &&
              r.get(f::chunked_prefill_size).value_or(0) > 0 &&
              r.get(f::disaggregation_mode) != "decode" && !r.get(f::page_size);
     },
     [](R) {
       return Fixes{{{set(f::page_size, "1")}, "pages of one token"}};
     }},
    {&kNoPages,
     [](R r) {
       return r.get(f::chunked_prefill_size).value_or(0) > 0 &&
              r.get(f::disaggregation_mode) != "decode" && r.get(f::page_size) == 0;
     },
     [](R) {
       return Fixes{{{unset(f::page_size)}, "SGLang chooses the page size"}};
     }},
    {&kChunkPages,
     [](R r) {
       return r.get(f::chunked_prefill_size).value_or(0) > 0 &&
              r.get(f::disaggregation_mode) != "decode" &&
              floor_mod(*r.get(f::chunked_prefill_size), r.get(f::page_size).value_or(1)) != 0;
     },
     [](R r) {
       if (r.get(f::page_size).value_or(1) < 1)
         return Fixes{{{unset(f::page_size)}, "SGLang chooses the page size"}};
       return Fixes{{{set(f::chunked_prefill_size, std::to_string(whole_pages(r)))}, ""},
                    {{unset(f::chunked_prefill_size)}, "the default chunk"}};
     }},
    {&kPdmuxPipeline, [](R r) { return r.get(f::enable_pdmux) && r.get(f::pp_size) != 1; },
     [](R) {
       return Fixes{{{unset(f::enable_pdmux)}, "prefill and decode take turns"},
                    {{unset(f::pp_size)}, ""}};
     }},
    {&kPdmuxChunk,
     [](R r) { return r.get(f::enable_pdmux) && r.get(f::chunked_prefill_size) != -1; },
     [](R) {
       return Fixes{{{set(f::chunked_prefill_size, "-1")}, "long prompts are processed at once"},
                    {{unset(f::enable_pdmux)}, "prefill and decode take turns"}};
     }},
    {&kPdmuxDisaggregation,
     [](R r) { return r.get(f::enable_pdmux) && r.get(f::disaggregation_mode) != "null"; },
     [](R) {
       return Fixes{{{unset(f::enable_pdmux)}, ""}, {{unset(f::disaggregation_mode)}, ""}};
     }},
    {&kPdmuxOverlap,
     [](R r) { return r.get(f::enable_pdmux) && !r.get(f::disable_overlap_schedule); },
     [](R) {
       return Fixes{{{set(f::disable_overlap_schedule)}, "CPU work is not hidden behind the GPU"},
                    {{unset(f::enable_pdmux)}, "prefill and decode take turns"}};
     }},
};

constexpr Check kPriority[] = {
    {&kPriorityPolicy,
     [](R r) {
       return r.get(f::enable_priority_scheduling) &&
              !one_of(r.get(f::schedule_policy), {"fcfs", "lof"});
     },
     [](R) {
       return Fixes{{{unset(f::schedule_policy)}, "first come, first served within a priority"},
                    {{unset(f::enable_priority_scheduling)}, ""}};
     },
     [](R r) { return std::array<Value, 2>{r.value(f::schedule_policy)}; }},
};

void warn_of_multiplexing(Resolution& r) {
  if (!r.get(f::enable_pdmux)) return;
  // The version that SGLang's own package asks for, where the machine does not say.
  const std::string_view pinned = r.since(Release::v0_5_18) ? "2.13.0" : "2.11.0";
  const Machine& m = r.machine();
  std::string torch(m.torch.empty() ? pinned : std::string_view(m.torch));
  if (m.cuda && !contains(torch, "+")) {
    torch += "+cu";
    for (const char c : *m.cuda)
      if (c != '.') torch += c;
  }
  r.warn(
      "WARNING: PD-Multiplexing may experience performance degradation with torch versions > "
      "2.6.x.\n  Current torch version is {}.\n  Please manually install torch 2.6.x.",
      {torch});
}

}  // namespace

void check_scheduling(Resolution& r) {
  if (all_hold(r, kScheduling)) warn_of_multiplexing(r);
}

void check_priorities(Resolution& r) {
  if (r.get(f::enable_priority_scheduling)) {
    if (!all_hold(r, kPriority)) return;
    if (!r.get(f::default_priority_value))
      r.warn(
          "--default-priority-value is not set while --enable-priority-scheduling is enabled. "
          "Requests without explicit priority will have priority=None, resulting in "
          "priority='None' string labels in Prometheus metrics.");
  } else {
    if (r.get(f::disable_priority_preemption))
      r.warn("--disable-priority-preemption has no effect without --enable-priority-scheduling");
    if (r.get(f::default_priority_value))
      r.warn("--default-priority-value has no effect without --enable-priority-scheduling");
    if (r.since(Release::v0_5_16) && r.get(f::retraction_policy) == "priority")
      r.reject(kRetractionPriority, {},
               {{{set(f::enable_priority_scheduling)}, "requests may carry priorities"},
                {{unset(f::retraction_policy)}, ""}});
  }
}

RuleList check_scheduling_rules() {
  RuleList rules = {&kRetractionPriority};
  append_rules(rules, kScheduling);
  append_rules(rules, kPriority);
  return rules;
}

}  // namespace sglint
