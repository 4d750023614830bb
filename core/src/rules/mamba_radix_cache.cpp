#include "rules/mamba_radix_cache.h"

#include <algorithm>

#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kNoBufferNeedsPageSizeOne{
    .id = "mamba-radix-cache/no-buffer-needs-page-size-1",
    .exception = "AssertionError",
    .message = "no_buffer only supports page_size=1.",
    .why =
        "The no_buffer strategy caches a recurrent state at the exact token where a request ends, "
        "so it cannot work with pages of more than one token. It is in force because it was asked "
        "for, or because `auto` could not choose extra_buffer: the model, or a "
        "--linear-attn-backend other than triton, does not support extra_buffer. The page size may "
        "come from a default of the model or of an attention backend, not only from --page-size.",
    .source = "server_args.py: ServerArgs._validate_mamba_no_buffer",
    .bad = {"--model-path jet-ai/Jet-Nemotron-2B --trust-remote-code --page-size 64", "h100"},
    .good = {"--model-path jet-ai/Jet-Nemotron-2B --trust-remote-code", "h100"},
};

constexpr Rule kNoBufferNeedsOverlapOff{
    .id = "mamba-radix-cache/no-buffer-needs-overlap-off",
    .exception = "AssertionError",
    .message =
        "no_buffer do not support overlap schedule. Try to set disable_overlap_schedule=True.",
    .why =
        "no_buffer has to see a request's last state before the next batch overwrites it, which "
        "overlap scheduling does not allow. SGLang turns overlap off by itself only when `auto` "
        "chooses no_buffer; an explicit no_buffer also needs --disable-overlap-schedule. `auto`, "
        "which is the default, becomes extra_buffer on models that support it and keeps overlap "
        "on.",
    .source = "server_args.py: ServerArgs._validate_mamba_no_buffer",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-radix-cache-strategy no_buffer",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-radix-cache-strategy no_buffer "
             "--disable-overlap-schedule",
             "h100"},
};

constexpr Rule kNoBufferNotTrtllmMha{
    .id = "mamba-radix-cache/no-buffer-not-trtllm-mha",
    .exception = "AssertionError",
    .message = "no_buffer do not support trtllm_mha attention backend.",
    .why =
        "trtllm_mha works on pages of at least 16 tokens, and no_buffer needs a page size of 1. "
        "The check looks at --attention-backend alone: the split prefill and decode flags are not "
        "seen here.",
    .source = "server_args.py: ServerArgs._validate_mamba_no_buffer",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-radix-cache-strategy no_buffer "
            "--disable-overlap-schedule --attention-backend trtllm_mha",
            "b200"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-radix-cache-strategy no_buffer "
             "--disable-overlap-schedule",
             "b200"},
};

constexpr Rule kExtraBufferUnsupported{
    .id = "mamba-radix-cache/extra-buffer-unsupported",
    .exception = "AssertionError",
    .message = "extra_buffer is not supported for {}; use no_buffer.",
    .why =
        "extra_buffer needs kernels that write state snapshots while they run: they exist for some "
        "architectures, and there only in the triton linear attention backend. SGLang names the "
        "model in either case; when the model is a supported one, the cause is "
        "--linear-attn-backend, and setting only --linear-attn-prefill-backend and "
        "--linear-attn-decode-backend avoids it.",
    .source = "server_args.py: ServerArgs._validate_mamba_extra_buffer",
    .bad =
        {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-radix-cache-strategy extra_buffer "
         "--linear-attn-backend flashinfer",
         "h100"},
    .good =
        {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-radix-cache-strategy extra_buffer",
         "h100"},
};

constexpr Rule kExtraBufferNeedsGpu{
    .id = "mamba-radix-cache/extra-buffer-needs-gpu",
    .exception = "AssertionError",
    .message = "extra_buffer needs CUDA/MUSA/NPU/ROCm/XPU (FLA).",
    .why =
        "The snapshot kernels run on a GPU only. The flag need not have been given: on a CPU "
        "`auto` becomes extra_buffer too for models that support it, and then fails here.",
    .source = "server_args.py: ServerArgs._validate_mamba_extra_buffer",
    .bad = {"--model-path nvidia/Nemotron-H-56B-Base-8K --trust-remote-code", "cpu"},
    .good = {"--model-path nvidia/Nemotron-H-56B-Base-8K --trust-remote-code --disable-radix-cache",
             "cpu"},
};

constexpr Rule kLazyNotUnderPd{
    .id = "mamba-radix-cache/extra-buffer-lazy-not-under-pd",
    .exception = "AssertionError",
    .message =
        "extra_buffer_lazy unsupported under PD disaggregation; use "
        "--mamba-radix-cache-strategy extra_buffer.",
    .why =
        "The decode side of prefill/decode disaggregation receives states into slots that must "
        "already exist; the lazy strategy has none yet.",
    .source = "server_args.py: ServerArgs._validate_mamba_extra_buffer",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-radix-cache-strategy "
            "extra_buffer_lazy --disaggregation-mode prefill",
            "h100"},
    .good =
        {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-radix-cache-strategy extra_buffer "
         "--disaggregation-mode prefill",
         "h100"},
    .releases = {Release::v0_5_17, Release::v0_5_18},
};

constexpr Rule kLazyNotWithDflash{
    .id = "mamba-radix-cache/extra-buffer-lazy-not-with-dflash",
    .exception = "AssertionError",
    .message =
        "extra_buffer_lazy unsupported with {}; use --mamba-radix-cache-strategy extra_buffer.",
    .why =
        "In 0.5.17 DFLASH verification does not reserve the lazy slots before it writes to them.",
    .source = "server_args.py: ServerArgs._validate_mamba_extra_buffer",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-radix-cache-strategy "
            "extra_buffer_lazy --speculative-algorithm DFLASH --speculative-draft-model-path "
            "Qwen/Qwen3-0.6B",
            "h100", "0.5.17"},
    .good =
        {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-radix-cache-strategy extra_buffer "
         "--speculative-algorithm DFLASH --speculative-draft-model-path Qwen/Qwen3-0.6B",
         "h100", "0.5.17"},
    .releases = {Release::v0_5_17, Release::v0_5_17},
};

constexpr Rule kLazyNotWithSpeculation{
    .id = "mamba-radix-cache/extra-buffer-lazy-not-with-speculation",
    .exception = "AssertionError",
    .message = "extra_buffer_lazy unsupported with spec.",
    .why =
        "Up to 0.5.16 the lazy strategy does not work with speculative decoding. The check sees "
        "only an explicit --speculative-num-draft-tokens: a count that SGLang fills in later "
        "passes.",
    .source = "server_args.py: ServerArgs._validate_mamba_extra_buffer",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-radix-cache-strategy "
            "extra_buffer_lazy --speculative-algorithm NGRAM --speculative-num-draft-tokens 8",
            "h100", "0.5.16"},
    .good =
        {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-radix-cache-strategy extra_buffer "
         "--speculative-algorithm NGRAM --speculative-num-draft-tokens 8",
         "h100", "0.5.16"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_16},
};

constexpr Rule kTrackIntervalBelowDraftTokens{
    .id = "mamba-radix-cache/track-interval-below-draft-tokens",
    .exception = "AssertionError",
    .message = "",
    .why =
        "--mamba-track-interval is the distance in tokens between state snapshots during decode; "
        "one verification step must not jump over two of them, so it has to be at least "
        "--speculative-num-draft-tokens. SGLang stops without a message.",
    .source = "server_args.py: ServerArgs._validate_mamba_extra_buffer",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --mamba-track-interval 4 "
            "--speculative-algorithm NGRAM --speculative-num-draft-tokens 8",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --speculative-algorithm NGRAM "
             "--speculative-num-draft-tokens 8",
             "h100"},
};

constexpr Rule kTrackIntervalNotPageMultiple{
    .id = "mamba-radix-cache/track-interval-not-a-page-multiple",
    .exception = "AssertionError",
    .message = "",
    .why =
        "Snapshots must fall on page ends, so --mamba-track-interval has to be a multiple of the "
        "page size. SGLang stops without a message.",
    .source = "server_args.py: ServerArgs._validate_mamba_extra_buffer",
    .bad =
        {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --page-size 64 --mamba-track-interval 100",
         "h100"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --page-size 64", "h100"},
};

constexpr Rule kZeroPageSize{
    .id = "mamba-radix-cache/page-size-zero",
    .exception = "ZeroDivisionError",
    .message = "integer modulo by zero",
    .why = "A page size of 0 is divided by before anything checks it.",
    .source = "server_args.py: ServerArgs._validate_mamba_extra_buffer",
    .bad = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --page-size 0", "h100"},
    .good = {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --page-size 1", "h100"},
};

constexpr Rule kChunkAndPageSize{
    .id = "mamba-radix-cache/chunk-size-and-page-size",
    .exception = "AssertionError",
    .message =
        "For SSM models, either chunk_size or page_size must be divisible by the other, got "
        "chunk_size={}, page_size={}",
    .why =
        "States can be kept at the ends of kernel chunks (64 tokens, or the model's "
        "mamba_chunk_size) and KV entries at the ends of pages; the two have to meet.",
    .source = "server_args.py: ServerArgs.mamba_cache_chunk_size",
    .bad =
        {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --page-size 48 --mamba-track-interval 96",
         "h100"},
    .good =
        {"--model-path Qwen/Qwen3-Next-80B-A3B-Instruct --page-size 32 --mamba-track-interval 96",
         "h100"},
};

// _MAMBA_RADIX_CACHE_ARCHS: models with recurrent layers beside attention.
bool is_hybrid_architecture(const Resolution& r, std::string_view arch) {
  if (arch == "KimiK3ForConditionalGeneration") return r.since(Release::v0_5_17);
  if (arch == "Lfm2MoeForCausalLM") return r.since(Release::v0_5_17);
  if (arch == "InternS2MobiusForConditionalGeneration") return r.since(Release::v0_5_18);
  return one_of(arch,
                {"KimiLinearForCausalLM", "BailingMoeV2_5ForCausalLM", "Qwen3NextForCausalLM",
                 "Qwen3_5MoeForConditionalGeneration", "InternS2PreviewForConditionalGeneration",
                 "Qwen3_5ForConditionalGeneration", "MiniCPMV4_6ForConditionalGeneration",
                 "NemotronHForCausalLM", "NemotronHPuzzleForCausalLM", "FalconH1ForCausalLM",
                 "JetNemotronForCausalLM", "JetVLMForConditionalGeneration", "Lfm2ForCausalLM",
                 "ZayaForCausalLM"});
}

bool uses_radix_cache_of_states(Resolution& r) {
  const ModelConfig& model = r.model();
  const std::string_view arch = model.architecture();
  if (arch == "GraniteMoeHybridForCausalLM") {
    for (const Value& layer : model.hf_config["layer_types"].as_list())
      if (layer.as_str() == "mamba") return true;
    return false;
  }
  return is_hybrid_architecture(r, arch);
}

// _mamba_radix_cache_resolution
void choose_strategy(Resolution& r) {
  if (!uses_radix_cache_of_states(r) || r.view(f::disable_radix_cache)) return;
  r.declare(f::uses_mamba_radix_cache, true,
            "The model keeps recurrent states, so its prefix cache stores states as well as KV.");
  if (r.view(f::mamba_radix_cache_strategy) != "auto") return;

  const std::string_view arch = r.model().architecture();
  const bool wants_overlap = !r.view(f::disable_overlap_schedule);
  const bool wants_paging = r.view(f::page_size).value_or(0) > 1;
  const bool supported = supports_mamba_extra_buffer(r, arch);
  if ((wants_overlap || wants_paging) && supported) {
    r.declare(f::mamba_radix_cache_strategy, "extra_buffer",
              fill("`auto` becomes extra_buffer: {} is asked for and {} supports it. Messages of "
                   "SGLang that call no_buffer the default are out of date here.",
                   {wants_overlap ? "overlap scheduling" : "a page size above 1", arch}));
    return;
  }
  std::string cause;
  if (supported) {
    cause = "overlap scheduling is off and the page size is 1, so extra slots would gain nothing";
  } else if (r.view(f::linear_attn_backend) != "triton") {
    cause = fill("--linear-attn-backend {} does not write the snapshots that extra_buffer needs",
                 {r.view(f::linear_attn_backend)});
  } else {
    cause = fill("{} has no kernels that write the snapshots extra_buffer needs", {arch});
  }
  r.declare(f::mamba_radix_cache_strategy, "no_buffer", "`auto` becomes no_buffer: " + cause + ".");
  r.declare(
      f::disable_overlap_schedule, true,
      "The no_buffer strategy that `auto` chose for recurrent states cannot work with overlap "
      "scheduling.");
}

std::vector<Fix> ways_out_of_no_buffer(const Resolution& r, std::string_view arch) {
  std::vector<Fix> fixes;
  if (supports_mamba_extra_buffer(r, arch) && r.typed(f::mamba_radix_cache_strategy))
    fixes.push_back({{unset(f::mamba_radix_cache_strategy)}, "memory for extra state slots"});
  return fixes;
}

// _validate_mamba_no_buffer
void validate_no_buffer(Resolution& r, std::string_view arch) {
  const auto page = r.view(f::page_size);
  if (page && *page != 1) {
    std::vector<Fix> fixes = ways_out_of_no_buffer(r, arch);
    if (!supports_mamba_extra_buffer(r, arch) && r.typed(f::linear_attn_backend))
      fixes.push_back({{unset(f::linear_attn_backend)}, "linear attention runs on triton"});
    if (r.typed(f::page_size)) {
      fixes.push_back({{unset(f::page_size)}, "pages of one token"});
    } else {
      fixes.push_back({{set(f::page_size, "1")}, "pages of one token"});
      if (r.typed(f::attention_backend))
        fixes.push_back({{unset(f::attention_backend)}, "another attention backend"});
    }
    fixes.push_back({{set(f::disable_radix_cache)}, "no prefix caching"});
    r.reject(kNoBufferNeedsPageSizeOne, {}, std::move(fixes),
             {f::page_size.id, f::mamba_radix_cache_strategy.id});
  }
  if (!r.view(f::disable_overlap_schedule)) {
    std::vector<Fix> fixes = ways_out_of_no_buffer(r, arch);
    fixes.push_back({{set(f::disable_overlap_schedule)},
                     "CPU work no longer hides behind the GPU: lower throughput"});
    r.reject(kNoBufferNeedsOverlapOff, {}, std::move(fixes),
             {f::mamba_radix_cache_strategy.id, f::disable_overlap_schedule.id});
  }
  if (r.view(f::attention_backend) == "trtllm_mha") {
    std::vector<Fix> fixes = ways_out_of_no_buffer(r, arch);
    fixes.push_back({{set(f::attention_backend, "triton")}, "another attention backend"});
    r.reject(kNoBufferNotTrtllmMha, {}, std::move(fixes),
             {f::attention_backend.id, f::mamba_radix_cache_strategy.id});
  }
}

bool has_snapshot_kernels(const Resolution& r) {
  const Machine& m = r.machine();
  if (is_cuda(m) || is_musa(m) || is_npu(m)) return true;
  if (is_hip(m)) return r.since(Release::v0_5_16);
  return is_xpu(m) && r.since(Release::v0_5_18);
}

std::string needs_gpu_message(const Resolution& r) {
  if (r.since(Release::v0_5_18)) return std::string(kExtraBufferNeedsGpu.message);
  return r.since(Release::v0_5_16) ? "extra_buffer needs CUDA/MUSA/NPU/ROCm (FLA)."
                                   : "extra_buffer needs CUDA/MUSA/NPU (FLA).";
}

void validate_lazy(Resolution& r) {
  if (r.view(f::mamba_radix_cache_strategy) != "extra_buffer_lazy" || !r.since(Release::v0_5_17))
    return;
  const Fix use_extra_buffer{{set(f::mamba_radix_cache_strategy, "extra_buffer")},
                             "state slots are taken up front"};
  if (r.view(f::disaggregation_mode) != "null")
    r.reject(kLazyNotUnderPd, {}, {use_extra_buffer}, {f::disaggregation_mode.id});
  const auto algorithm = r.view(f::speculative_algorithm);
  if (!r.since(Release::v0_5_18) && algorithm && upper(*algorithm) == "DFLASH")
    r.reject(kLazyNotWithDflash, {*algorithm}, {use_extra_buffer}, {f::speculative_algorithm.id});
}

// _validate_mamba_extra_buffer
void validate_extra_buffer(Resolution& r, std::string_view arch) {
  if (!supports_mamba_extra_buffer(r, arch)) {
    std::vector<Fix> fixes;
    if (r.view(f::linear_attn_backend) != "triton" && r.typed(f::linear_attn_backend))
      fixes.push_back({{unset(f::linear_attn_backend)}, "linear attention runs on triton"});
    fixes.push_back({{unset(f::mamba_radix_cache_strategy)},
                     "no_buffer: overlap scheduling off, pages of one token"});
    r.reject(kExtraBufferUnsupported, {arch}, std::move(fixes),
             {f::mamba_radix_cache_strategy.id, f::linear_attn_backend.id});
  }
  if (!has_snapshot_kernels(r)) {
    r.reject_with(
        kExtraBufferNeedsGpu, needs_gpu_message(r),
        {{{set(f::mamba_radix_cache_strategy, "no_buffer"), set(f::disable_overlap_schedule)},
          "overlap scheduling off"},
         {{set(f::disable_radix_cache)}, "no prefix caching"}},
        {f::mamba_radix_cache_strategy.id});
  }
  validate_lazy(r);

  const auto draft_tokens = r.view(f::speculative_num_draft_tokens);
  const int64_t interval = r.view(f::mamba_track_interval);
  if (draft_tokens) {
    if (!r.since(Release::v0_5_17) &&
        r.view(f::mamba_radix_cache_strategy) == "extra_buffer_lazy") {
      r.reject(kLazyNotWithSpeculation, {},
               {{{set(f::mamba_radix_cache_strategy, "extra_buffer")},
                 "state slots are taken up front"}},
               {f::speculative_num_draft_tokens.id});
    }
    if (interval < *draft_tokens) {
      r.reject(kTrackIntervalBelowDraftTokens, {}, {{{unset(f::mamba_track_interval)}, ""}},
               {f::speculative_num_draft_tokens.id});
    }
  }
  const auto page = r.view(f::page_size);
  if (!page) return;
  if (*page == 0) return r.reject(kZeroPageSize, {}, {{{unset(f::page_size)}, ""}});
  if (interval % *page != 0) {
    std::vector<Fix> fixes;
    if (r.typed(f::mamba_track_interval)) fixes.push_back({{unset(f::mamba_track_interval)}, ""});
    if (r.typed(f::page_size)) fixes.push_back({{unset(f::page_size)}, ""});
    r.reject(kTrackIntervalNotPageMultiple, {}, std::move(fixes),
             {f::mamba_track_interval.id, f::page_size.id});
  }
  const int64_t chunk = mamba_cache_chunk_size(r);
  const auto prefill = r.view(f::chunked_prefill_size);
  if (r.since(Release::v0_5_17) && prefill && 0 < *prefill && *prefill < chunk) {
    r.warn(
        "Mamba radix extra-buffer is enabled with chunked_prefill_size={} smaller than "
        "mamba_cache_chunk_size={}. This can make mamba_track_mask false for unfinished "
        "chunked-prefill handoff and skip Mamba state checkpoints.",
        {*prefill, chunk});
  }
}

}  // namespace

bool supports_mamba_extra_buffer(const Resolution& r, std::string_view arch) {
  bool supported =
      one_of(arch, {"Qwen3_5ForConditionalGeneration", "Qwen3_5MoeForConditionalGeneration",
                    "Qwen3NextForCausalLM", "InternS2PreviewForConditionalGeneration",
                    "MiniCPMV4_6ForConditionalGeneration", "BailingMoeV2_5ForCausalLM",
                    "FalconH1ForCausalLM", "GraniteMoeHybridForCausalLM", "NemotronHForCausalLM",
                    "NemotronHPuzzleForCausalLM"});
  if (arch == "KimiLinearForCausalLM") supported = r.since(Release::v0_5_16);
  if (arch == "KimiK3ForConditionalGeneration") supported = r.since(Release::v0_5_17);
  return supported && r.view(f::linear_attn_backend) == "triton";
}

int64_t mamba_cache_chunk_size(Resolution& r) {
  constexpr std::string_view kKept = "mamba_cache_chunk_size";
  if (const Value& kept = r.attribute(kKept); !kept.is_none()) return kept.as_int();
  constexpr int64_t kFlaChunkSize = 64;
  const int64_t chunk = r.model().hf_config["mamba_chunk_size"].as_int(kFlaChunkSize);
  const int64_t page = r.view(f::page_size).value_or(1);
  const int64_t large = std::max(chunk, page), small = std::min(chunk, page);
  if (small == 0) {
    r.reject(kZeroPageSize, {}, {{{unset(f::page_size)}, ""}});
    return large;
  }
  if (large % small != 0) {
    r.reject(kChunkAndPageSize, {chunk, page}, {{{unset(f::page_size)}, ""}}, {f::page_size.id});
    return large;
  }
  r.set_attribute(kKept, large);
  return large;
}

void handle_mamba_radix_cache(Resolution& r) {
  choose_strategy(r);
  if (r.stopped() || !r.view(f::uses_mamba_radix_cache)) return;
  const std::string_view arch = r.model().architecture();
  if (mamba_extra_buffer_of(r)) {
    validate_extra_buffer(r, arch);
  } else {
    validate_no_buffer(r, arch);
  }
}

RuleList mamba_radix_cache_rules() {
  return {&kNoBufferNeedsPageSizeOne,
          &kNoBufferNeedsOverlapOff,
          &kNoBufferNotTrtllmMha,
          &kExtraBufferUnsupported,
          &kExtraBufferNeedsGpu,
          &kLazyNotUnderPd,
          &kLazyNotWithDflash,
          &kLazyNotWithSpeculation,
          &kTrackIntervalBelowDraftTokens,
          &kTrackIntervalNotPageMultiple,
          &kZeroPageSize,
          &kChunkAndPageSize};
}

}  // namespace sglint
