#include "facts/model.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "facts/model_catalogue.h"

namespace sglint {

std::optional<ModelFiles> find_model(std::string_view hub_id) {
  // "org__name" is how a file of the model is called where a slash cannot be.
  std::string name(hub_id);
  if (const size_t bars = name.find("__");
      bars != std::string::npos && name.find('/') == std::string::npos)
    name.replace(bars, 2, "/");
  const std::span<const CatalogueModel> all = model_catalogue();
  const auto it =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const CatalogueModel& m, const std::string& n) { return m.name < n; });
  if (it == all.end() || it->name != name) return std::nullopt;
  ModelFiles files;
  files.config = parse_json(it->config).value_or(Value());
  if (!it->hf_quant_config.empty())
    files.hf_quant_config = parse_json(it->hf_quant_config).value_or(Value());
  files.name = std::move(name);
  files.from_catalogue = true;
  return files;
}

std::optional<ModelFiles> find_model_like(std::string_view path) {
  constexpr std::string_view kCache = "models--";  // models--ORG--NAME of the Hub's cache
  const size_t cache = path.rfind(kCache);
  const std::string_view origin = path;
  if (cache != path.npos) {
    path.remove_prefix(cache + kCache.size());
    path = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), path.find("--") + 2));
  }
  while (ends_with(path, "/")) path.remove_suffix(1);
  std::string name = lower(path.substr(path.find_last_of("/\\") + 1));
  if (const size_t dot = name.find("___"); dot != name.npos)  // ModelScope's cache: Qwen2___5-7B
    name.replace(dot, 3, ".");
  for (const char* date : {"v3-0324", "r1-0528"})  // weights of another date, the same config.json
    if (name == std::string("deepseek-") + date) name.resize(name.size() - 5);
  for (const CatalogueModel& entry : model_catalogue()) {
    const std::string_view known = entry.name.substr(entry.name.find('/') + 1);
    if (known.size() != name.size() || lower(known) != name) continue;
    std::optional<ModelFiles> files = find_model(entry.name);
    files->from_catalogue = false;  // the weights may be others, such as quantized ones
    files->taken_from = std::string(origin);
    return files;
  }
  return std::nullopt;
}

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> names;
  for (const CatalogueModel& entry : model_catalogue()) names.push_back(entry.name);
  return names;
}

}  // namespace sglint
