#pragma once

#include <span>
#include <string_view>

namespace sglint {

struct CatalogueMachine {
  std::string_view name;   // "h100"
  std::string_view facts;  // JSON, as core/data/machines.json has it
};

std::span<const CatalogueMachine> machine_catalogue();

}  // namespace sglint
