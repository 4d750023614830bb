#include "arguments/table.h"

#include "base/rows.h"

namespace sglint {
namespace {

bool in_release(std::string_view bits, Release release) {
  return cell_number(bits) >> static_cast<int>(release) & 1;
}

bool has_letter(std::string_view flags, char letter) { return flags.find(letter) != flags.npos; }

ArgumentTable read_table(Release release) {
  ArgumentTable table;
  table.options.reserve(kFieldCount * 9 / 8);  // some fields have a flag more
  table.has.reserve(kFieldCount);
  table.defaults.reserve(kFieldCount);
  std::string_view rows = kOptionRows;
  int64_t dest = 0;
  while (!rows.empty()) {
    std::string_view row = take_until(rows, '\n');
    const auto cell = [&row] { return take_until(row, '\t'); };
    const std::string_view names = cell(), releases = cell(), field = cell();
    dest = field.empty() ? dest + 1 : cell_number(field);
    if (!in_release(releases, release)) continue;
    Option o;
    o.names = names;
    o.dest = static_cast<Field>(dest);
    o.action = static_cast<Action>(cell_number(cell()));
    o.type = static_cast<ArgType>(cell_number(cell()));
    o.nargs = cell();
    const std::string_view flags = cell();
    o.integer_choices = has_letter(flags, 'i');
    o.choices_unordered = has_letter(flags, 'u');
    o.required = has_letter(flags, 'r');
    o.choices = cell();
    o.constant_cell = cell();
    o.rare_cells = row;
    table.options.push_back(o);
  }
  rows = kFieldRows;
  while (!rows.empty()) {
    std::string_view row = take_until(rows, '\n');
    take_until(row, '\t');
    bool has = false;
    Value value;
    while (!row.empty()) {
      const std::string_view releases = take_until(row, '\t'), constant = take_until(row, '\t');
      if (!in_release(releases, release)) continue;
      has = true;
      value = cell_value(constant);
    }
    table.has.push_back(has);
    table.defaults.push_back(std::move(value));
  }
  return table;
}

}  // namespace

std::string_view Option::rare(int cell) const {
  std::string_view rest = rare_cells;
  while (cell-- > 0) take_until(rest, '\t');
  return take_until(rest, '\t');
}

const ArgumentTable& argument_table(Release release) { return of_release<read_table>(release); }

std::string_view field_name(Field field) {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    names.reserve(kFieldCount);
    std::string_view rows = kFieldRows;
    while (!rows.empty()) {
      std::string_view row = take_until(rows, '\n');
      names.push_back(take_until(row, '\t'));
    }
    return names;
  }();
  return kNames[static_cast<size_t>(field)];
}

bool is_server_args_field(Field field, Release release) {
  return field != Field::config &&
         (field != Field::enable_expert_distribution_metrics || release < Release::v0_5_18) &&
         field != Field::prefill_round_robin_balance && field != Field::collect_tokens_histogram;
}

const Option* option_of(Release release, Field field) {
  for (const Option& option : argument_table(release).options) {
    if (option.dest == field &&
        (option.action == Action::store || option.action == Action::store_true ||
         option.action == Action::boolean_optional || option.action == Action::lora_path))
      return &option;
  }
  return nullptr;
}

}  // namespace sglint
