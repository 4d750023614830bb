// ServerArgs.validate_buckets_rule: --prompt-tokens-buckets and --generation-tokens-buckets.
#include <algorithm>
#include <cmath>

#include "base/python_text.h"
#include "base/sort.h"
#include "rules/check_server_args.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "server_args.py: ServerArgs.validate_buckets_rule";

constexpr Rule kKind{
    .id = "metrics/buckets-kind",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "Unsupported {} rule type: '{}'. Must be one of: 'tse', 'default', 'custom'",
    .why = "The first word says how the buckets of the histogram are made.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets linear"},
    .good = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets default"},
};

constexpr Rule kTseCount{
    .id = "metrics/buckets-tse-words",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "{} TSE rule requires exactly 4 parameters: ['tse', middle, base, count], got {}",
    .why = "Buckets grow from the middle outwards: tse MIDDLE BASE COUNT.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets tse 1000 2"},
    .good = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets tse 1000 2 8"},
};

constexpr Rule kTseNumbers{
    .id = "metrics/buckets-tse-numbers",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "{} TSE rule parameters must be: ['tse', <float:middle>, <float:base>, <int:count>]",
    .why = "The three parameters are numbers, the last a whole one.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets tse 1000 two 8"},
    .good = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets tse 1000 2 8"},
};

constexpr Rule kTseBase{
    .id = "metrics/buckets-tse-base",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "{} TSE base must be larger than 1, got: {}",
    .why = "Distances between buckets grow by this factor.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets tse 1000 1 8"},
    .good = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets tse 1000 2 8"},
};

constexpr Rule kTseSteps{
    .id = "metrics/buckets-tse-steps",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "{} TSE count must be positive, got: {}",
    .why = "It counts the buckets on each side of the middle.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets tse 1000 2 0"},
    .good = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets tse 1000 2 8"},
};

constexpr Rule kTseMiddle{
    .id = "metrics/buckets-tse-middle",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "{} TSE middle must be positive, got: {}",
    .why = "It is the number of tokens around which buckets are finest.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets tse 0 2 8"},
    .good = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets tse 1000 2 8"},
};

constexpr Rule kDefault{
    .id = "metrics/buckets-default-words",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "{} default rule should only have one parameter: ['default'], got {}",
    .why = "default takes no parameter.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets default 10"},
    .good = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets default"},
};

constexpr Rule kCustomNone{
    .id = "metrics/buckets-custom-empty",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "{} custom rule requires at least one bucket value: ['custom', value1, ...]",
    .why = "custom is followed by the bounds of the buckets.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets custom"},
    .good = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets custom 10 100"},
};

constexpr Rule kCustomNumbers{
    .id = "metrics/buckets-custom-numbers",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "{} custom rule bucket values must be numeric",
    .why = "The bounds are numbers of tokens.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets custom ten"},
    .good = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets custom 10 100"},
};

constexpr Rule kCustomTwice{
    .id = "metrics/buckets-custom-twice",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "{} custom rule bucket values should not contain duplicates",
    .why = "Two buckets cannot have the same bound.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets custom 10 10"},
    .good = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets custom 10 100"},
};

constexpr Rule kCustomNegative{
    .id = "metrics/buckets-custom-negative",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message = "{} custom rule bucket values should be non-negative",
    .why = "The bounds are numbers of tokens.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets custom -1 10"},
    .good = {"--model-path Qwen/Qwen3-8B --prompt-tokens-buckets custom 10 100"},
};

struct Verdict {
  const Rule* broken = nullptr;
  Value detail;
};

Verdict check_tse(const Value::List& words) {
  if (words.size() != 4) return {&kTseCount, words.size()};
  const std::optional<double> middle = python_float(words[1].as_str());
  const std::optional<double> base = python_float(words[2].as_str());
  const std::optional<int64_t> count = python_int(words[3].as_str());
  if (!middle || !base || !count) return {&kTseNumbers, {}};
  if (!(*base > 1)) return {&kTseBase, *base};
  if (*count <= 0) return {&kTseSteps, *count};
  if (!(*middle > 0)) return {&kTseMiddle, *middle};
  return {};
}

Verdict check_custom(const Value::List& words) {
  if (words.size() < 2) return {&kCustomNone, {}};
  std::vector<double> bounds;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::optional<double> bound = python_float(words[i].as_str());
    if (!bound) return {&kCustomNumbers, {}};
    bounds.push_back(*bound);
  }
  stable_sort(bounds);
  if (std::adjacent_find(bounds.begin(), bounds.end()) != bounds.end()) return {&kCustomTwice, {}};
  if (!(bounds.front() >= 0)) return {&kCustomNegative, {}};
  return {};
}

}  // namespace

void check_token_buckets(Resolution& r) {
  struct Histogram {
    std::string_view flag;
    Key<Value> key;
  };
  for (const Histogram& h :
       {Histogram{"--prompt-tokens-buckets", f::prompt_tokens_buckets},
        Histogram{"--generation-tokens-buckets", f::generation_tokens_buckets}}) {
    const Value::List& words = r.value(h.key).as_list();
    if (words.empty() || r.stopped()) continue;
    const std::string_view kind = words.front().as_str();
    Verdict verdict{&kKind, kind};
    if (kind == "tse") verdict = check_tse(words);
    if (kind == "custom") verdict = check_custom(words);
    if (kind == "default") verdict = {words.size() == 1 ? nullptr : &kDefault, words.size()};
    if (verdict.broken)
      r.reject(*verdict.broken, {h.flag, verdict.detail},
               {{{unset(h.key)}, "the default buckets"}});
  }
}

RuleList token_buckets_rules() {
  return {&kKind,    &kTseCount,   &kTseNumbers,    &kTseBase,     &kTseSteps,      &kTseMiddle,
          &kDefault, &kCustomNone, &kCustomNumbers, &kCustomTwice, &kCustomNegative};
}

}  // namespace sglint
