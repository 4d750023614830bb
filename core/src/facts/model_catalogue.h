#pragma once

#include <span>
#include <string_view>

namespace sglint {

struct CatalogueModel {
  std::string_view name;             // hub id
  std::string_view config;           // JSON
  std::string_view hf_quant_config;  // JSON, "" if the model has none
};

std::span<const CatalogueModel> model_catalogue();

}  // namespace sglint
