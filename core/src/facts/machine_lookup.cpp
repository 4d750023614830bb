// Catalogue names: "h200", and "h200x4" for four of them.
#include <cstdlib>

#include "base/json.h"
#include "base/text.h"
#include "facts/machine.h"
#include "facts/machine_catalogue.h"

namespace sglint {

std::string_view count_in_name(std::string_view machine) {
  for (const CatalogueMachine& entry : machine_catalogue())
    if (entry.name == machine) return {};
  const size_t x = machine.rfind('x');
  if (x == machine.npos || x + 1 == machine.size() || machine.size() - x > 4 ||
      machine.find_first_not_of("0123456789", x + 1) != machine.npos)
    return {};
  return machine.substr(x);
}

std::optional<Machine> find_machine(std::string_view name) {
  const std::string wanted = lower(name);
  const auto lookup = [](std::string_view n) -> std::optional<Machine> {
    for (const CatalogueMachine& entry : machine_catalogue()) {
      if (entry.name != n) continue;
      std::optional<Machine> machine =
          machine_from_facts(parse_json(entry.facts).value_or(Value()), nullptr);
      if (machine) machine->name = std::string(n);
      return machine;
    }
    return std::nullopt;
  };
  if (std::optional<Machine> machine = lookup(wanted)) return machine;
  const std::string_view times = count_in_name(wanted);
  if (times.empty()) return std::nullopt;
  std::optional<Machine> machine =
      lookup(std::string_view(wanted).substr(0, wanted.size() - times.size()));
  const int count = atoi(times.data() + 1);
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
