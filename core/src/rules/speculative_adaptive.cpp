// --speculative-adaptive: speculative/adaptive_spec_params.py and its callers in
// arg_groups/speculative_hook.py.
#include <algorithm>

#include "base/json.h"
#include "base/python_json.h"
#include "base/python_text.h"
#include "base/sort.h"
#include "rules/speculative.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "speculative/adaptive_spec_params.py: _load_adaptive_config";

// The examples of the first four rules would need the content of a file.
constexpr Rule kConfigNotJson{
    .id = "speculative/adaptive-config-not-json",
    .exception = "JSONDecodeError",
    .message = "{}",
    .why = "The file that --speculative-adaptive-config names must hold a JSON object.",
    .source = kSource,
};

constexpr Rule kConfigNotObject{
    .id = "speculative/adaptive-config-not-an-object",
    .exception = "AttributeError",
    .message = "'{}' object has no attribute '{}'",
    .why =
        "SGLang expects an object of batch sizes, each with an object: {\"1\": "
        "{\"candidate_steps\": [1, 3, 7]}}.",
    .source = kSource,
};

constexpr Rule kCandidateSteps{
    .id = "speculative/adaptive-candidate-steps",
    .exception = "ValueError",
    .message = "BS {}: candidate_steps must be a list of non-negative ints, got {}",
    .why = "Each batch size names the draft lengths to choose from.",
    .source = kSource,
};

constexpr Rule kNoBatchSize{
    .id = "speculative/adaptive-config-without-batch-size",
    .exception = "ValueError",
    .message =
        "speculative_adaptive_config must contain at least one integer-string BS key, e.g. "
        "{{\"1\": {{\"candidate_steps\": [1,3,7]}}}}. Got keys: {}",
    .why = "The keys of the file's object are batch sizes, written as strings.",
    .source = kSource,
};

constexpr Rule kStepsNotCandidate{
    .id = "speculative/adaptive-steps-not-a-candidate",
    .exception = "ValueError",
    .message =
        "--speculative-num-steps={} is not in the adaptive config candidate_steps {}. Pass one of "
        "those values.",
    .why =
        "Adaptive speculation starts from --speculative-num-steps, which must be one of the "
        "lengths that it may switch between.",
    .source = "arg_groups/speculative_hook.py: _init_adaptive_speculative_params",
    .bad = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE --speculative-adaptive "
            "--speculative-num-steps 9"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm EAGLE --speculative-adaptive "
             "--speculative-num-steps 3"},
};

// adaptive_unsupported_reason; "" if it can run.
std::string unsupported_reason(const Resolution& r) {
  const std::optional<std::string_view> algorithm = r.get(f::speculative_algorithm);
  if (algorithm != "EAGLE" && algorithm != "EAGLE3")
    return fill("speculative_algorithm={} (only EAGLE/EAGLE3 are supported)", {algorithm});
  const std::optional<int64_t> topk = r.get(f::speculative_eagle_topk);
  if (topk && *topk != 1)
    return fill("speculative_eagle_topk={} (only topk=1 is supported)", {*topk});
  if (r.view(f::enable_dp_attention))
    return "enable_dp_attention=True is not supported (adaptive tier decisions are not "
           "synchronized across DP ranks)";
  if (r.view(f::enable_multi_layer_eagle))
    return "enable_multi_layer_eagle=True is not supported (MultiLayerEagleWorkerV2 does not "
           "implement adaptive)";
  if (r.get(f::enable_two_batch_overlap))
    return "enable_two_batch_overlap=True is not supported (adaptive state swap would discard the "
           "TboAttnBackend wrapper)";
  if (r.get(f::enable_pdmux))
    return "enable_pdmux=True is not supported (adaptive state swap does not update "
           "decode_attn_backend_group)";
  return {};
}

// Why the file's content is refused, if it is.
struct Refusal {
  const Rule* rule = nullptr;
  std::string message;
};

constexpr int64_t kDefaultCandidates[] = {0, 1, 3, 7};

// resolve_candidate_steps_from_config: all lengths of all batch sizes, ascending.
std::vector<int64_t> candidate_steps(const Resolution& r, Refusal* refusal) {
  std::vector<int64_t> steps(std::begin(kDefaultCandidates), std::end(kDefaultCandidates));
  const std::optional<std::string_view> path = r.get(f::speculative_adaptive_config);
  if (!path) return steps;
  const auto file = r.facts().files.find(*path);
  if (file == r.facts().files.end()) return steps;
  const auto refuse = [&](const Rule& rule, std::initializer_list<Arg> args) {
    if (refusal) *refusal = {&rule, fill(rule.message, args)};
    return std::vector<int64_t>();
  };
  const std::optional<Value> config = parse_json(file->second);
  if (!config) return refuse(kConfigNotJson, {python_json_error(file->second)});
  if (!config->is_dict()) return refuse(kConfigNotObject, {python_type(*config), "items"});
  steps.clear();
  bool any = false;
  Value::List keys;
  for (const Value::Item& item : config->as_dict()) {
    keys.emplace_back(item.first);
    if (item.first.empty() || item.first.find_first_not_of("0123456789") != std::string::npos)
      continue;
    if (!item.second.is_dict()) return refuse(kConfigNotObject, {python_type(item.second), "get"});
    const Value& wanted = item.second["candidate_steps"];
    bool fine = wanted.is_list() && !wanted.as_list().empty();
    for (const Value& s : wanted.as_list())
      fine = fine && (s.is_int() || s.is_bool()) && s.as_int() >= 0;
    if (!fine) return refuse(kCandidateSteps, {item.first, repr(wanted)});
    any = true;
    for (const Value& s : wanted.as_list()) steps.push_back(s.as_int());
  }
  if (!any) return refuse(kNoBatchSize, {repr(Value(std::move(keys)))});
  stable_sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace

void speculative_adaptive(Resolution& r) {
  const std::string reason = unsupported_reason(r);
  if (!reason.empty()) {
    r.warn("speculative_adaptive disabled: {}. Falling back to static speculative params.",
           {reason});
    r.set(f::speculative_adaptive, false,
          "This launch has something that adaptive speculation cannot run with.");
    return;
  }
  const std::optional<std::string_view> path = r.get(f::speculative_adaptive_config);
  if (path && r.facts().files.find(*path) == r.facts().files.end())
    r.assume(fill("{} holds an adaptive configuration with the default candidate steps.", {*path}));
  Refusal refusal;
  const std::vector<int64_t> steps = candidate_steps(r, &refusal);
  if (refusal.rule)
    return r.reject_with(
        *refusal.rule, std::move(refusal.message),
        {{{unset(f::speculative_adaptive_config)}, "the built-in candidates are used"}});
  if (!r.get(f::speculative_eagle_topk))
    r.set(f::speculative_eagle_topk, 1, "Adaptive speculation drafts a chain.");
  if (!r.get(f::speculative_num_steps))
    r.set(f::speculative_num_steps, steps[steps.size() / 2],
          "The middle one of the candidate lengths.");
  const int64_t chosen = *r.get(f::speculative_num_steps);
  if (std::find(steps.begin(), steps.end(), chosen) == steps.end()) {
    Value::List candidates;
    for (int64_t s : steps) candidates.emplace_back(s);
    return r.reject(kStepsNotCandidate, {chosen, repr(Value(std::move(candidates)))},
                    {{{unset(f::speculative_num_steps)}, "starts from the middle candidate"},
                     {{unset(f::speculative_adaptive)}, "the number of steps stays as given"}},
                    {f::speculative_adaptive.id});
  }
  r.set(f::speculative_num_draft_tokens, chosen + 1,
        "A chain verifies its draft tokens and the one before them.");
}

std::optional<int64_t> max_speculative_num_draft_tokens(const Resolution& r) {
  const std::optional<int64_t> tokens = r.get(f::speculative_num_draft_tokens);
  if (!tokens || !r.get(f::speculative_adaptive)) return tokens;
  const std::vector<int64_t> steps = candidate_steps(r, nullptr);
  return steps.empty() ? tokens : std::optional<int64_t>(steps.back() + 1);
}

RuleList speculative_adaptive_rules() {
  return {&kConfigNotJson, &kConfigNotObject, &kCandidateSteps, &kNoBatchSize, &kStepsNotCandidate};
}

}  // namespace sglint
