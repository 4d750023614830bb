#include "facts/model.h"

#include <algorithm>

#include "base/json.h"
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

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> names;
  for (const CatalogueModel& entry : model_catalogue()) names.push_back(entry.name);
  return names;
}

}  // namespace sglint
