#include "arguments/table.h"

#include <array>

#include "base/json.h"

namespace sglint {

Value Constant::value() const {
  switch (type) {
    case Value::Type::none:
      return {};
    case Value::Type::boolean:
      return integer != 0;
    case Value::Type::integer:
      return integer;
    case Value::Type::real:
      return real;
    case Value::Type::string:
      return text;
    default:
      return parse_json(text).value_or(Value());
  }
}

const std::vector<Value>& field_defaults(Release release) {
  static const std::array<std::vector<Value>, kReleaseCount> kDefaults = [] {
    std::array<std::vector<Value>, kReleaseCount> all;
    for (int r = 0; r < kReleaseCount; ++r) {
      all[r].resize(kFieldCount);
      for (const FieldDefault& d : argument_table(static_cast<Release>(r)).defaults)
        all[r][static_cast<size_t>(d.field)] = d.value.value();
    }
    return all;
  }();
  return kDefaults[static_cast<size_t>(release)];
}

bool has_field(Release release, Field field) {
  for (const FieldDefault& d : argument_table(release).defaults)
    if (d.field == field) return true;
  return false;
}

bool is_server_args_field(Field field) {
  return field != Field::config && field != Field::enable_expert_distribution_metrics &&
         field != Field::prefill_round_robin_balance && field != Field::collect_tokens_histogram;
}

const Option* option_of(Release release, Field field) {
  const ArgumentTable& table = argument_table(release);
  for (uint16_t index : table.order) {
    const Option& option = table.pool[index];
    if (option.dest == field &&
        (option.action == Action::store || option.action == Action::store_true ||
         option.action == Action::boolean_optional || option.action == Action::lora_path))
      return &option;
  }
  return nullptr;
}

}  // namespace sglint
