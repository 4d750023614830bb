#pragma once
// utils/hf_transformers/config.py: get_config(), the config of a model path as SGLang's code sees
// it.

#include <string>
#include <string_view>

#include "facts/model.h"
#include "resolve/resolution.h"

namespace sglint {

struct HfConfig {
  bool known = false;          // the files of the path are known
  Value config;                // hf_config
  Value text;                  // get_hf_text_config(hf_config)
  std::string_view text_key;   // where `text` stands in `config`; "" where they are one
  std::string rope_class;      // the class that logs that it has no rope_parameters; mostly empty
  const Rule* rule = nullptr;  // what SGLang raises while it loads the config, nullptr if nothing
  std::string message;

  bool failed() const { return rule != nullptr; }
};

// What is known of the files at a model path: the model of the launch, a draft model that the
// request brings along, or a model of the catalogue.
const ModelFiles* find_model_files(const Resolution& r, std::string_view path,
                                   std::optional<ModelFiles>& storage);

// Whether a value of --json-model-override-args goes into the part of that name (a config of its
// own) instead of taking its place.
bool merges_override(Release release, std::string_view key, const Value& override);

// get_config(path, trust_remote_code, model_override_args). `overrides` is the value of
// --json-model-override-args. Logs nothing and rejects nothing: some callers catch what it raises.
HfConfig load_hf_config(const Resolution& r, std::string_view path, const Value& overrides);

// Rejects for what load_hf_config() says SGLang raises. `path` is the field of the model.
void reject_config(Resolution& r, const HfConfig& failed, Field path);

}  // namespace sglint
