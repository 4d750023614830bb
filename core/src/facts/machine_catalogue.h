#pragma once

#include <span>
#include <string_view>

namespace sglint {

struct CatalogueMachine {
  std::string_view name;   // "h100"
  std::string_view facts;  // JSON, as core/data/machines.json has it
};

std::span<const CatalogueMachine> machine_catalogue();

// "x4" of "h100x4"; "" where the name says no count ("rtx4090" is a name).
std::string_view count_in_name(std::string_view machine);

}  // namespace sglint
