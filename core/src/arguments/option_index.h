#pragma once
// Finding an option of a release by its name or by the start of its name.

#include <span>
#include <string_view>
#include <vector>

#include "arguments/table.h"

namespace sglint {

struct OptionName {
  std::string_view name;  // "--tp-size"
  const Option* option;
  uint16_t order;  // in which argparse knows the names
};

class OptionIndex {
 public:
  explicit OptionIndex(const ArgumentTable& table);

  const OptionName* find(std::string_view name) const;
  // All names that begin so, in argparse's order.
  std::vector<OptionName> beginning_with(std::string_view prefix) const;
  std::span<const OptionName> all() const { return sorted_; }  // by name
  const std::vector<const Option*>& required() const { return required_; }

 private:
  std::vector<OptionName> sorted_;
  std::vector<const Option*> required_;
};

const OptionIndex& option_index(Release release);

}  // namespace sglint
