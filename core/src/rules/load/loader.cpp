// What the weight loader reads of --model-loader-extra-config: configs/load_config.py and the
// loaders' __init__ in model_loader/loader.py.

#include "base/json.h"
#include "base/text.h"
#include "rules/load/layout.h"

namespace sglint {
namespace {

#define SGLINT_QWEN "--model-path Qwen/Qwen3-8B"
constexpr ReleaseRange kSince0516{Release::v0_5_16, Release::v0_5_18};

constexpr Rule kKeys{
    .id = "loader/unexpected-extra-config",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "Unexpected extra config keys for load format LoadFormat.{}: {}",
    .why =
        "The loader knows enable_multithread_load and num_threads (and, with fastsafetensors, "
        "enable_gds). ServerArgs does not look at the keys; the worker does when it makes the "
        "loader. Several keys are printed in no fixed order.",
    .source = "model_loader/loader.py: DefaultModelLoader.__init__",
    .bad = {SGLINT_QWEN " --model-loader-extra-config '{\"num_thread\": 8}'"},
    .good = {SGLINT_QWEN " --model-loader-extra-config '{\"num_threads\": 8}'"},
    .releases = kSince0516,
};

constexpr Rule kNoExtra{
    .id = "loader/no-extra-config",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "Model loader extra config is not supported for load format LoadFormat.{}",
    .why = "ServerArgs takes it; the worker stops when it makes the loader.",
    .source = "model_loader/loader.py: DummyModelLoader.__init__, GGUFModelLoader.__init__",
    .bad = {SGLINT_QWEN " --load-format dummy --model-loader-extra-config '{\"num_threads\": 8}'"},
    .good = {SGLINT_QWEN " --load-format dummy"},
    .releases = kSince0516,
};

constexpr Rule kNotJson{
    .id = "loader/extra-config-is-not-json",
    .stage = Stage::load,
    .message = "--model-loader-extra-config is not JSON: {}",
    .why =
        "ServerArgs takes any text; the worker stops with a JSONDecodeError when it starts to "
        "load.",
    .source = "configs/load_config.py: LoadConfig.__post_init__",
    .bad = {SGLINT_QWEN " --model-loader-extra-config num_threads=8"},
    .good = {SGLINT_QWEN " --model-loader-extra-config '{\"num_threads\": 8}'"},
    .releases = kSince0516,
};
#undef SGLINT_QWEN

}  // namespace

void loader(Resolution& r) {
  if (!r.since(Release::v0_5_16) || !r.typed(f::model_loader_extra_config)) return;
  const std::string_view text = r.get(f::model_loader_extra_config), format = r.get(f::load_format);
  const std::vector<Fix> without{{{unset(f::model_loader_extra_config)}, "the loader's defaults"}};
  const auto note = [&](const Rule& rule, Arg a, Arg b = "") {
    r.note(rule, {a, b}, without, {f::model_loader_extra_config.id, f::load_format.id});
  };
  if (text.empty()) return;
  const std::optional<Value> extra = parse_json(text);
  if (!extra) return note(kNotJson, repr(text));
  if (!extra->is_dict() || extra->as_dict().empty()) return;
  if (one_of(format, {"dummy", "gguf"})) return note(kNoExtra, upper(format));
  if (!one_of(format, {"auto", "pt", "safetensors", "npcache", "mistral", "fastsafetensors"}))
    return;
  std::string unknown;
  for (const auto& [key, value] : extra->as_dict()) {
    const bool gds =
        r.since(Release::v0_5_17) && format == "fastsafetensors" && key == "enable_gds";
    if (!gds && !one_of(key, {"enable_multithread_load", "num_threads"}))
      unknown += (unknown.empty() ? "" : ", ") + repr(std::string_view(key));
  }
  if (!unknown.empty()) note(kKeys, upper(format), "{" + unknown + "}");
}

RuleList loader_rules() { return {&kKeys, &kNoExtra, &kNotJson}; }

}  // namespace sglint
