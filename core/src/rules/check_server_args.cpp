// ServerArgs.check_server_args: what SGLang checks just before it starts its processes, when
// everything is resolved.
#include "rules/check_server_args.h"

#include "rules/models/families.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr std::string_view kSource = "server_args.py: ServerArgs.check_server_args";

constexpr Rule kNameMissing{
    .id = "serving/dummy-model-without-name",
    .stage = Stage::check,
    .exception = "TypeError",
    .message = "argument of type 'NoneType' is not iterable",
    .why =
        "For the model paths \"dummy\" and \"none\" SGLang resolves nothing, so the name to serve "
        "under is missing too and the check for a colon fails. They are meant for SGLang's own "
        "tests.",
    .source = kSource,
    .bad = {"--model-path dummy"},
    .good = {"--model-path Qwen/Qwen3-8B"},
};

constexpr Rule kNameColon{
    .id = "serving/name-with-colon",
    .stage = Stage::check,
    .exception = "AssertionError",
    .message =
        "served_model_name cannot contain a colon (':') character. The colon is reserved for the "
        "'model:adapter' syntax used in LoRA adapter specification. Invalid value: '{}'",
    .why =
        "Clients name an adapter as model:adapter, so the model's own name must be free of colons. "
        "Without --served-model-name the name is the model path.",
    .source = kSource,
    .bad = {"--model-path Qwen/Qwen3-8B --served-model-name qwen3:8b"},
    .good = {"--model-path Qwen/Qwen3-8B --served-model-name qwen3-8b"},
};

void check_served_name(Resolution& r) {
  const std::optional<std::string_view> name = r.get(f::served_model_name);
  if (!name)
    return r.reject(kNameMissing, {}, {{{set(f::served_model_name, "dummy")}, ""}},
                    {f::model_path.id});
  const std::string scheme = lower(*name);
  for (std::string_view store : {"s3://", "gs://", "az://"})
    if (starts_with(scheme, store)) return;
  if (!contains(*name, ":")) return;
  std::string without(*name);
  for (char& c : without)
    if (c == ':') c = '-';
  r.reject(kNameColon, {*name},
           {{{set(f::served_model_name, std::move(without))}, "clients use the new name"}});
}

}  // namespace

void check_server_args(Resolution& r) {
  for (void (*part)(Resolution&) :
       {check_parallelism, check_served_name, check_lora_server_args, check_scheduling,
        check_workers, check_token_buckets, check_priorities, validate_hisparse, check_serving}) {
    if (r.stopped()) return;
    r.enter("check_server_args");
    part(r);
  }
}

RuleList check_server_args_rules() { return {&kNameMissing, &kNameColon}; }

}  // namespace sglint
