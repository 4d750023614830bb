#include "facts/env.h"

#include <algorithm>

#include "base/json.h"
#include "base/python_text.h"
#include "base/rows.h"
#include "base/text.h"
#include "facts/env_renames.h"

namespace sglint {
namespace {

using Forward = RenamedVariable::Forward;

std::optional<bool> parse_bool(std::string_view text) {
  const std::string word = lower(text);
  if (one_of(word, {"true", "1", "yes", "y"})) return true;
  if (one_of(word, {"false", "0", "no", "n"})) return false;
  return std::nullopt;
}

// EnvTuple: parts between commas, without blanks around them and without empty ones.
Value parse_tuple(std::string_view text) {
  Value::List parts;
  while (true) {
    const size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    const size_t begin = part.find_first_not_of(" \t\n\r\f\v");
    if (begin != std::string_view::npos)
      parts.emplace_back(part.substr(begin, part.find_last_not_of(" \t\n\r\f\v") - begin + 1));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

bool take_env_variable(std::string_view& rows, EnvVariable* variable) {
  if (rows.empty()) return false;
  std::string_view row = take_until(rows, '\n');
  variable->name = take_until(row, '\t');
  const std::string_view kind = take_until(row, '\t');
  variable->type = static_cast<EnvType>(std::string_view("sifbtj").find(kind[0]));
  variable->releases = static_cast<uint8_t>(cell_number(kind.substr(1)));
  variable->fallback = cell_value(take_until(row, '\t'));
  variable->old_name = take_until(row, '\t');
  return true;
}

std::optional<EnvVariable> find_env_variable(std::string_view name, Release release) {
  static const SortedRows kRows(kVariableRows);
  std::string_view rows = kRows.from(name);
  EnvVariable variable;
  while (take_env_variable(rows, &variable) && variable.name == name)
    if (variable.in(release)) return variable;
  return std::nullopt;
}

void Environment::erase(std::string_view name) {
  const auto it = values_.find(name);
  if (it != values_.end()) values_.erase(it);
}

void Environment::put_unknown(std::string name, std::string typed) {
  unknown_.push_back(name);
  put(std::move(name), std::move(typed));
}

const std::string* Environment::typed(std::string_view name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? nullptr : &it->second;
}

std::optional<std::string_view> Environment::raw(std::string_view name) const {
  const std::string* value = typed(name);
  if (!value) return std::nullopt;
  if (std::find(unknown_.begin(), unknown_.end(), name) != unknown_.end()) return std::nullopt;
  return std::string_view(*value);
}

void Environment::start(Release release) {
  release_ = release;
  if (values_.empty()) return;
  for (const RenamedVariable& renamed : renamed_variables()) {
    const std::optional<std::string_view> old_value = raw(renamed.old_name);
    if (!old_value || !renamed.releases.contains(release)) continue;
    std::string value(*old_value);
    if (renamed.how == Forward::inverted) value = parse_bool(value).value_or(false) ? "0" : "1";
    if (renamed.how == Forward::ms_to_s) {
      const std::optional<double> ms = python_float(value);
      if (!ms) continue;  // SGLang's import ends here with a ValueError
      value = real_repr(*ms / 1000.0);
    }
    put(std::string(renamed.new_name), std::move(value));
  }
  // The prefix SGL_ of old, for every variable.
  std::vector<std::pair<std::string, std::string>> prefixed;
  for (const auto& [name, value] : values_)
    if (starts_with(name, "SGL_") && raw(name))
      prefixed.emplace_back("SGLANG_" + name.substr(4), value);
  for (auto& [name, value] : prefixed) put(std::move(name), std::move(value));
}

Value Environment::get(std::string_view name) const {
  const std::optional<EnvVariable> variable = find_env_variable(name, release_);
  std::optional<std::string_view> text = raw(name);
  if (!variable) return text && !find_env_variable(name) ? Value(*text) : Value();
  if (!text && !variable->old_name.empty()) text = raw(variable->old_name);
  if (!text) return variable->fallback;
  switch (variable->type) {
    case EnvType::bool_:
      if (const std::optional<bool> b = parse_bool(*text)) return *b;
      break;
    case EnvType::int_:
      if (const std::optional<int64_t> n = python_int(*text)) return *n;
      break;
    case EnvType::float_:
      if (const std::optional<double> x = python_float(*text)) return *x;
      break;
    case EnvType::tuple:
      return parse_tuple(*text);
    case EnvType::json:
      if (text->empty()) return Value();
      if (std::optional<Value> v = parse_json(*text)) return *v;
      break;
    case EnvType::str:
      return Value(*text);
  }
  return variable->fallback;
}

bool Environment::flag(std::string_view name) const { return get(name).truthy(); }

bool Environment::flag(const char* name) const { return flag(std::string_view(name)); }
Value Environment::get(const char* name) const { return get(std::string_view(name)); }
std::optional<std::string_view> Environment::raw(const char* name) const {
  return raw(std::string_view(name));
}
bool Environment::is_set(const char* name) const { return is_set(std::string_view(name)); }

}  // namespace sglint
