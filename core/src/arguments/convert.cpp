#include "arguments/convert.h"

#include <algorithm>
#include <cmath>

#include "arguments/rules.h"
#include "base/python_text.h"
#include "base/text.h"

namespace sglint {
namespace {

[[gnu::cold]] bool fail(ConversionError* error, const Rule& rule, std::string message) {
  *error = {&rule, std::move(message)};
  return false;
}

// utils/common.py: human_readable_int
bool human_readable_int(std::string_view text, Value* value, ConversionError* error) {
  text = python_strip(text);
  size_t whole = 0;
  const auto digit_at = [&](size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  while (digit_at(whole)) ++whole;
  size_t end = whole;
  if (whole && end < text.size() && text[end] == '.' && digit_at(end + 1)) {
    ++end;
    while (digit_at(end)) ++end;
  }
  const std::string_view number = text.substr(0, end), suffix = text.substr(end);
  constexpr std::string_view kLetters = "kMGT";
  const size_t power = suffix.empty() ? kLetters.npos : std::string_view("KMGT").find(suffix[0]);
  if (whole && suffix.size() == 2 && suffix[1] == 'i' && power != kLetters.npos) {
    if (number.size() > whole)
      return fail(error, kInvalidSize,
                  fill("Decimals are not allowed with IEC suffixes like '{}'. Use an integer IEC "
                       "value such as '{}{}', or an SI value such as '{}{}'.",
                       {suffix, python_int(number.substr(0, whole)).value_or(0), suffix, number,
                        suffix.substr(0, 1)}));
    const int64_t n = python_int(number).value_or(INT64_MAX);
    const int shift = 10 * static_cast<int>(power + 1);
    *value = n > (INT64_MAX >> shift) ? INT64_MAX : n << shift;
    return true;
  }
  const size_t si = suffix.size() == 1 ? kLetters.find(suffix[0]) : kLetters.npos;
  if (whole && si != kLetters.npos) {
    // Exactly, by moving the decimal point; what is left behind it is dropped.
    std::string digits(number.substr(0, whole));
    const std::string_view decimals = number.size() > whole ? number.substr(whole + 1) : "";
    for (size_t i = 0; i < 3 * (si + 1); ++i) digits += i < decimals.size() ? decimals[i] : '0';
    *value = python_int(digits).value_or(INT64_MAX);
    return true;
  }
  if (const auto n = python_int(text)) {
    *value = *n;
    return true;
  }
  return fail(
      error, kInvalidSize,
      fill(
          "Invalid integer value: '{}'. Use a plain integer, SI suffixes (1k, 1M), or IEC suffixes "
          "(1Ki, 1Mi). Suffixes are case-sensitive.",
          {text}));
}

bool has_non_finite(const Value& v) {
  if (v.is_real()) return !std::isfinite(v.as_real());
  const auto& items = v.as_list();
  const auto& members = v.as_dict();
  return std::any_of(items.begin(), items.end(), has_non_finite) ||
         std::any_of(members.begin(), members.end(),
                     [](const Value::Item& m) { return has_non_finite(m.second); });
}

// model_executor/cuda_graph_config.py: parse_cuda_graph_config_arg
bool cuda_graph_config(std::string_view text, Release release, Value* value,
                       ConversionError* error) {
  std::string why;
  const std::optional<Value> parsed = python_json_loads(text, &why);
  if (!parsed) return fail(error, kInvalidJson, "--cuda-graph-config must be JSON: " + why);
  if (!parsed->is_dict())
    return fail(error, kInvalidJson,
                fill("--cuda-graph-config must be a JSON object, got {}", {python_type(*parsed)}));
  std::string prefill_keys = "('backend', 'max_bs', 'bs', 'tc_compiler', 'full_prefill_max_req'";
  if (release >= Release::v0_5_17) prefill_keys += ", 'full_prefill_prefix_chunk_tokens'";
  prefill_keys += ")";
  for (const auto& [phase, settings] : parsed->as_dict()) {
    if (!one_of(phase, {"decode", "prefill"}))
      return fail(
          error, kInvalidJson,
          fill("--cuda-graph-config: unknown phase '{}', expected one of ('decode', 'prefill')",
               {phase}));
    if (!settings.is_dict())
      return fail(error, kInvalidJson,
                  fill("--cuda-graph-config['{}'] must be a JSON object, got {}",
                       {phase, python_type(settings)}));
    for (const Value::Item& setting : settings.as_dict()) {
      const bool prefill = phase == "prefill";
      const bool known = one_of(setting.first, {"backend", "max_bs", "bs", "tc_compiler"}) ||
                         (prefill && setting.first == "full_prefill_max_req") ||
                         (prefill && release >= Release::v0_5_17 &&
                          setting.first == "full_prefill_prefix_chunk_tokens");
      if (!known)
        return fail(error, kInvalidJson,
                    fill("--cuda-graph-config['{}']: unknown key '{}', expected one of {}",
                         {phase, setting.first,
                          prefill ? prefill_keys : "('backend', 'max_bs', 'bs', 'tc_compiler')"}));
    }
  }
  *value = *parsed;
  return true;
}

}  // namespace

bool convert_value(const Option& option, Release release, std::string_view text, Value* value,
                   ConversionError* error) {
  switch (option.type) {
    case ArgType::none:
    case ArgType::str:
      *value = Value(text);
      return true;
    case ArgType::int_:
      if (const auto n = python_int(text)) {
        *value = *n;
        return true;
      }
      return fail(error, kInvalidInt, "invalid int value: " + repr(text));
    case ArgType::float_:
      if (const auto n = python_float(text)) {
        *value = *n;
        return true;
      }
      return fail(error, kInvalidFloat, "invalid float value: " + repr(text));
    case ArgType::human_readable_int:
      return human_readable_int(text, value, error);
    case ArgType::nullable_str:
      *value = text.empty() || text == "None" ? Value() : Value(text);
      return true;
    case ArgType::loads: {
      std::string why;
      if (auto parsed = python_json_loads(text, &why)) {
        *value = std::move(*parsed);
        return true;
      }
      return fail(error, kInvalidJson, "invalid loads value: " + repr(text));
    }
    case ArgType::json_list_type: {
      // orjson knows no NaN; it does not insist on a list.
      std::string why;
      auto parsed = python_json_loads(text, &why);
      if (parsed && !has_non_finite(*parsed)) {
        *value = std::move(*parsed);
        return true;
      }
      return fail(error, kInvalidJson,
                  fill("Invalid JSON list: {}. Please provide a valid JSON list.", {text}));
    }
    case ArgType::parse_cuda_graph_config_arg:
      return cuda_graph_config(text, release, value, error);
  }
  return true;
}

bool check_choice(const Option& option, const Value& value, ConversionError* error) {
  if (option.choices.empty()) return true;
  const bool numbers = option.integer_choices;
  for (std::string_view choice : option.choices)
    if (numbers ? value.is_int() && std::to_string(value.as_int()) == choice
                : value.as_str() == choice)
      return true;
  std::string all;
  for (std::string_view choice : option.choices)
    all += (all.empty() ? "" : ", ") + (numbers ? std::string(choice) : repr(choice));
  return fail(error, kInvalidChoice,
              fill("invalid choice: {} (choose from {})", {repr(value), all}));
}

}  // namespace sglint
