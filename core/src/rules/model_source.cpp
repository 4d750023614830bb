// Model paths that are fetched before anything is read from them.
#include "rules/load_format.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kNoStreamer{
    .id = "model-source/runai-streamer-missing",
    .exception = "ModuleNotFoundError",
    .message = "No module named 'runai_model_streamer'",
    .why =
        "Models in object stores (s3://, gs://, az://) are read with the Run:ai model streamer, "
        "which a plain installation of SGLang does not bring: pip install \"sglang[runai]\". The "
        "official images have it.",
    .source = "utils/runai_utils.py: ObjectStorageModel",
    // No example: no catalogue machine says that the package is missing.
    .bad = {},
    .good = {}};

// ServerArgs._resolve_hf_gguf_model_path: owner/repo/file.gguf is downloaded.
bool is_hub_gguf(const Resolution& r, std::string_view path) {
  if (path.empty() || !ends_with(path, ".gguf") || contains(path, "://") || is_gguf_file(r, path))
    return false;
  while (!path.empty() && path.front() == '/') path.remove_prefix(1);
  int slashes = 0;
  for (char c : path) slashes += c == '/';
  return slashes >= 2;
}

}  // namespace

void model_source_paths(Resolution& r) {
  const std::optional<std::string_view> paths[] = {r.get(f::model_path), r.get(f::tokenizer_path),
                                                   r.get(f::speculative_draft_model_path)};
  const auto& packages = r.machine().packages;
  const auto streamer = packages.find("runai_model_streamer");
  for (int i = 0; i < (r.since(Release::v0_5_17) ? 3 : 2); ++i) {
    if (!paths[i]) continue;
    if (r.since(Release::v0_5_18) && i != 1 && is_hub_gguf(r, *paths[i]))
      r.assume(fill("{} is on the hub; SGLang downloads it and goes on with the local path.",
                    {*paths[i]}));
    if (!is_runai_object_uri(*paths[i])) continue;
    if (streamer != packages.end() && !streamer->second)
      return r.reject(kNoStreamer, {}, {}, {Field::model_path});
    r.assume("The package runai_model_streamer is installed and can read the object store.");
  }
}

RuleList model_source_rules() { return {&kNoStreamer}; }

}  // namespace sglint
