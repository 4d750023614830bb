// Catalogue names: "h200", and "h200x4" for four of them.
#include <cstdlib>

#include "base/json.h"
#include "base/text.h"
#include "facts/machine.h"
#include "facts/machine_catalogue.h"

namespace sglint {

std::optional<Machine> find_machine(std::string_view name) {
  const std::string wanted = lower(name);
  const auto lookup = [](std::string_view n) -> std::optional<Machine> {
    for (const CatalogueMachine& entry : machine_catalogue()) {
      if (entry.name != n) continue;
      std::optional<Machine> machine = machine_from_facts(parse_json(entry.facts).value_or(Value()), nullptr);
      if (machine) machine->name = std::string(n);
      return machine;
    }
    return std::nullopt;
  };
  if (std::optional<Machine> machine = lookup(wanted)) return machine;
  const size_t x = wanted.rfind('x');
  if (x == std::string::npos || x + 1 == wanted.size() || wanted.size() - x > 4) return std::nullopt;
  for (size_t i = x + 1; i < wanted.size(); ++i)
    if (wanted[i] < '0' || wanted[i] > '9') return std::nullopt;
  std::optional<Machine> machine = lookup(std::string_view(wanted).substr(0, x));
  const int count = atoi(wanted.c_str() + x + 1);
  if (!machine || count < 1) return std::nullopt;
  machine->num_gpus = count;
  machine->name = wanted;
  return machine;
}

std::vector<std::string_view> machine_names() {
  std::vector<std::string_view> names;
  for (const CatalogueMachine& entry : machine_catalogue()) names.push_back(entry.name);
  return names;
}

}  // namespace sglint
