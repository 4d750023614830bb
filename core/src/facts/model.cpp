#include "facts/model.h"

#include "base/json.h"
#include "facts/model_catalogue.h"

namespace sglint {

std::optional<ModelFiles> find_model(std::string_view hub_id) {
  for (const CatalogueModel& entry : model_catalogue()) {
    if (entry.name != hub_id) continue;
    ModelFiles files;
    files.name = std::string(hub_id);
    files.config = parse_json(entry.config).value_or(Value());
    if (!entry.hf_quant_config.empty()) files.hf_quant_config = parse_json(entry.hf_quant_config).value_or(Value());
    files.from_catalogue = true;
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
