#include "arguments/arguments.h"

#include <cstdlib>

#include "base/json.h"

namespace sglint {

// First cut: exact option names, no type errors.
Arguments parse_arguments(Release release, const std::vector<Token>& argv, const Files&) {
  Arguments out;
  out.release = release;
  out.values = field_defaults(release);
  out.origins.resize(kFieldCount);
  const ArgumentTable& table = argument_table(release);
  const auto convert = [](const Option& o, const std::string& s) -> Value {
    switch (o.type) {
      case ArgType::int_:
      case ArgType::human_readable_int: return static_cast<int64_t>(atoll(s.c_str()));
      case ArgType::float_: return strtod(s.c_str(), nullptr);
      case ArgType::loads:
      case ArgType::json_list_type:
      case ArgType::parse_cuda_graph_config_arg: return parse_json(s).value_or(Value());
      default: return s;
    }
  };
  for (size_t i = 0; i < argv.size(); ++i) {
    std::string name = argv[i].text;
    std::optional<std::string> glued;
    const size_t eq = name.find('=');
    if (name.rfind("--", 0) == 0 && eq != std::string::npos) {
      glued = name.substr(eq + 1);
      name.resize(eq);
    }
    const Option* found = nullptr;
    for (uint16_t index : table.order)
      for (std::string_view n : table.pool[index].names)
        if (n == name) found = &table.pool[index];
    if (!found || found->dest == kNoField) {
      out.error = ArgumentError{nullptr, "", std::string(table.prog) + ": error: unrecognized arguments: " + name, static_cast<int>(i), {}, {}};
      return out;
    }
    const size_t d = static_cast<size_t>(found->dest);
    Origin origin{Origin::Kind::typed, static_cast<int>(i), static_cast<int>(i), found->names.data[0]};
    if (found->action == Action::boolean_optional) {
      out.values[d] = name.rfind("--no-", 0) != 0;
    } else if (found->type == ArgType::none) {
      out.values[d] = found->action == Action::deprecated_store_const ? Value(found->stores) : Value(true);
    } else if (found->nargs[0]) {
      Value::List values;
      while (i + 1 < argv.size() && argv[i + 1].text.rfind("--", 0) != 0) values.push_back(convert(*found, argv[++i].text));
      out.values[d] = Value(std::move(values));
    } else if (glued) {
      out.values[d] = convert(*found, *glued);
    } else if (i + 1 < argv.size()) {
      out.values[d] = convert(*found, argv[++i].text);
    }
    origin.last_token = static_cast<int>(i);
    out.origins[d] = origin;
  }
  return out;
}

}  // namespace sglint
