// ServerArgs.check_lora_server_args.
#include <algorithm>

#include "base/sort.h"
#include "base/uuid5.h"
#include "rules/check_server_args.h"
#include "rules/checks.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "server_args.py: ServerArgs.check_lora_server_args";
using Fixes = std::vector<Fix>;
using R = const Resolution&;

constexpr Rule kBatchNotPositive{
    .id = "lora/batch-not-positive",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "max_loras_per_batch must be positive",
    .why = "It counts the adapters that one batch may mix. The check is made even without LoRA.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --max-loras-per-batch 0"},
    .good = {"--model-path Qwen/Qwen3-8B --max-loras-per-batch 1"},
};

constexpr Rule kOverlapLimit{
    .id = "lora/overlap-loading-needs-limit",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message =
        "Enabling LoRA overlap loading requires pinning LoRA adapter weights in CPU memory, so "
        "--max-loaded-loras must be less than or equal to double --max-loras-per-batch: {}",
    .why =
        "Adapters that load while others run stay in pinned host memory, so their number must be "
        "bounded: give --max-loaded-loras, at most twice --max-loras-per-batch.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-lora --max-lora-rank 16 --lora-target-modules all "
            "--enable-lora-overlap-loading"},
    .good =
        {"--model-path Qwen/Qwen3-8B --enable-lora --max-lora-rank 16 --lora-target-modules all "
         "--enable-lora-overlap-loading --max-loaded-loras 16"},
};

constexpr Rule kSpeculative{
    .id = "lora/speculative-algorithm",
    .stage = Stage::check,
    .exception = "ValueError",
    .message = "Currently LoRA is only compatible with NGRAM speculative decoding.",
    .why = "A draft model knows nothing of the adapters; NGRAM has no draft model.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-lora --max-lora-rank 16 --lora-target-modules all "
            "--speculative-algorithm EAGLE"},
    .good =
        {"--model-path Qwen/Qwen3-8B --enable-lora --max-lora-rank 16 --lora-target-modules all "
         "--speculative-algorithm NGRAM"},
};

constexpr Rule kAllAndMore{
    .id = "lora/all-and-more-modules",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message =
        "If 'all' is specified in --lora-target-modules, it should be the only module specified.",
    .why = "'all' already stands for every module that can take an adapter.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-lora --max-lora-rank 16 --lora-target-modules all "
            "q_proj"},
    .good =
        {"--model-path Qwen/Qwen3-8B --enable-lora --max-lora-rank 16 --lora-target-modules all"},
};

constexpr Rule kNothingToSizeBy{
    .id = "lora/nothing-to-size-buffers-by",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message =
        "When no initial --lora-paths is provided, you need to specify both --max-lora-rank and "
        "--lora-target-modules for LoRA initialization.",
    .why =
        "Buffers for adapters are made at start-up. Their size follows from the adapters of "
        "--lora-paths, or else from these two flags.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-lora"},
    .good =
        {"--model-path Qwen/Qwen3-8B --enable-lora --max-lora-rank 16 --lora-target-modules all"},
};

constexpr Rule kLoadedUnderBatch{
    .id = "lora/loaded-under-batch",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message =
        "max_loaded_loras should be greater than or equal to max_loras_per_batch. "
        "max_loaded_loras={}, max_loras_per_batch={}",
    .why = "Adapters in a batch must be loaded. --max-loras-per-batch is 8 unless given.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-lora --max-lora-rank 16 --lora-target-modules all "
            "--max-loaded-loras 2"},
    .good =
        {"--model-path Qwen/Qwen3-8B --enable-lora --max-lora-rank 16 --lora-target-modules all "
         "--max-loaded-loras 8"},
};

constexpr Rule kMorePathsThanLoaded{
    .id = "lora/more-paths-than-loaded",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message =
        "The number of LoRA paths should not exceed max_loaded_loras. max_loaded_loras={}, "
        "lora_paths={}",
    .why = "Every adapter of --lora-paths is loaded at start-up.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --lora-paths a=/adapters/a b=/adapters/b "
            "--max-loras-per-batch 1 --max-loaded-loras 1"},
    .good = {"--model-path Qwen/Qwen3-8B --lora-paths a=/adapters/a b=/adapters/b "
             "--max-loras-per-batch 1 --max-loaded-loras 2"},
};

constexpr Rule kChunkSize{
    .id = "lora/chunk-size",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "--max-lora-chunk-size must be a power of 2 between 16 and 128.",
    .why = "The chunked kernels are compiled for these sizes.",
    .source = kSource,
    // The parser already refuses any other number.
};

constexpr Rule kDrainThreshold{
    .id = "lora/drain-threshold-negative",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "--lora-drain-wait-threshold must be non-negative.",
    .why = "It is a time to wait, in seconds.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --enable-lora --max-lora-rank 16 --lora-target-modules all "
            "--lora-drain-wait-threshold -1"},
    .good =
        {"--model-path Qwen/Qwen3-8B --enable-lora --max-lora-rank 16 --lora-target-modules all"},
};

int64_t overlap_limit(R r) { return 2 * r.get(f::max_loras_per_batch); }
int64_t path_count(R r) { return static_cast<int64_t>(r.value(f::lora_paths).as_list().size()); }
Fixes no_limit(R) {
  return {{{unset(f::max_loaded_loras)}, "any number of adapters may be loaded"}};
}

// Before the adapters are named.
constexpr Check kBeforeNaming[] = {
    {&kOverlapLimit,
     [](R r) {
       return r.get(f::enable_lora_overlap_loading).value_or(false) &&
              r.get(f::max_loaded_loras).value_or(overlap_limit(r) + 1) > overlap_limit(r);
     },
     [](R r) {
       return Fixes{
           {{set(f::max_loaded_loras, std::to_string(overlap_limit(r)))},
            "further adapters are refused"},
           {{unset(f::enable_lora_overlap_loading)}, "requests wait while an adapter loads"}};
     },
     [](R r) { return std::array<Value, 2>{overlap_limit(r)}; }},
    {&kSpeculative,
     [](R r) {
       const std::optional<std::string_view> algorithm = r.get(f::speculative_algorithm);
       return algorithm && *algorithm != "NGRAM";
     },
     [](R) {
       return Fixes{{{unset(f::speculative_algorithm)}, "no speculative decoding: slower decode"},
                    {{set(f::speculative_algorithm, "NGRAM")},
                     "drafts from n-grams of the text, without a model"}};
     }},
};

constexpr Check kAfterNaming[] = {
    {&kAllAndMore,
     [](R r) {
       const Value::List& modules = r.value(f::lora_target_modules).as_list();
       return modules.size() > 1 &&
              std::find(modules.begin(), modules.end(), Value("all")) != modules.end();
     },
     [](R) {
       return Fixes{{{set(f::lora_target_modules, "all")}, "larger adapter buffers"}};
     }},
    {&kNothingToSizeBy,
     [](R r) {
       return !r.value(f::lora_paths).truthy() &&
              !(r.value(f::max_lora_rank).truthy() && r.value(f::lora_target_modules).truthy());
     },
     [](R r) {
       std::vector<Edit> edits;
       if (!r.value(f::max_lora_rank).truthy()) edits.push_back(set(f::max_lora_rank, "64"));
       if (!r.value(f::lora_target_modules).truthy())
         edits.push_back(set(f::lora_target_modules, "all"));
       return Fixes{{std::move(edits), "buffers for adapters of up to that rank on every module"},
                    {{unset(f::enable_lora)}, "no adapters"}};
     }},
    {&kLoadedUnderBatch,
     [](R r) {
       return r.get(f::max_loaded_loras).value_or(INT64_MAX) < r.get(f::max_loras_per_batch);
     },
     [](R r) {
       return Fixes{
           no_limit(r)[0],
           {{set(f::max_loras_per_batch, std::to_string(r.get(f::max_loaded_loras).value_or(1)))},
            "fewer adapters in one batch"}};
     },
     [](R r) {
       return std::array<Value, 2>{r.value(f::max_loaded_loras), r.value(f::max_loras_per_batch)};
     }},
    {&kMorePathsThanLoaded,
     [](R r) { return path_count(r) > r.get(f::max_loaded_loras).value_or(INT64_MAX); },
     [](R r) {
       return Fixes{{{set(f::max_loaded_loras, std::to_string(path_count(r)))}, ""},
                    no_limit(r)[0]};
     },
     [](R r) {
       return std::array<Value, 2>{r.value(f::max_loaded_loras), path_count(r)};
     }},
    {&kChunkSize,
     [](R r) {
       const std::optional<int64_t> size = r.get(f::max_lora_chunk_size);
       return size && (*size < 16 || *size > 128 || (*size & (*size - 1)) != 0);
     },
     [](R) {
       return Fixes{{{unset(f::max_lora_chunk_size)}, ""}};
     }},
};

// LoRARef of one adapter.
Value lora_ref(std::string_view name, std::string_view path, Value pinned) {
  std::string key(name);
  key += '\0';
  key += path;
  return Value::dict({{"lora_id", uuid5_url_hex(key)},
                      {"lora_name", name},
                      {"lora_path", path},
                      {"pinned", pinned}});
}

void name_adapters(Resolution& r) {
  Value::List refs;
  for (const Value& given : r.value(f::lora_paths).as_list()) {
    if (given.is_dict()) {
      refs.push_back(lora_ref(str(given["lora_name"]), str(given["lora_path"]),
                              given.has("pinned") ? given["pinned"] : Value(false)));
      continue;
    }
    const std::string_view text = given.as_str();
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      refs.push_back(lora_ref(text, text, false));
    } else {
      refs.push_back(lora_ref(text.substr(0, equals), text.substr(equals + 1), false));
    }
  }
  r.set(f::lora_paths, Value(std::move(refs)),
        "Each adapter gets an id that is the same on every node.");
}

void make_modules_a_set(Resolution& r) {
  std::vector<std::string> names;
  for (const Value& m : r.value(f::lora_target_modules).as_list()) names.emplace_back(m.as_str());
  if (names.empty()) return;
  stable_sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  r.set(f::lora_target_modules, Value(Value::List(names.begin(), names.end())),
        "A set: each module once.");
}

}  // namespace

void check_lora_server_args(Resolution& r) {
  if (r.get(f::max_loras_per_batch) <= 0)
    return r.reject(kBatchNotPositive, {}, {{{unset(f::max_loras_per_batch)}, ""}});
  if (r.value(f::lora_paths).truthy()) {
    if (!r.get(f::enable_lora)) {
      r.set(f::enable_lora, true, "--lora-paths names adapters.");
      r.warn("--enable-lora is set to True because --lora-paths is provided.");
    } else if (!*r.get(f::enable_lora)) {
      r.warn("--enable-lora is set to False, any provided lora_paths will be ignored.");
    }
  }
  if (!r.get(f::enable_lora).value_or(false)) return;
  if (!r.get(f::enable_lora_overlap_loading))
    r.set(f::enable_lora_overlap_loading, false, "The default with LoRA.");
  if (!all_hold(r, kBeforeNaming)) return;
  name_adapters(r);
  make_modules_a_set(r);
  if (!all_hold(r, kAfterNaming)) return;
  if (r.get(f::lora_use_virtual_experts)) r.info("Virtual expert computation enabled.");
  if (r.get(f::lora_drain_wait_threshold) < 0)
    r.reject(kDrainThreshold, {}, {{{unset(f::lora_drain_wait_threshold)}, ""}});
}

RuleList lora_rules() {
  RuleList rules = {&kBatchNotPositive, &kDrainThreshold};
  append_rules(rules, kBeforeNaming);
  append_rules(rules, kAfterNaming);
  return rules;
}

}  // namespace sglint
