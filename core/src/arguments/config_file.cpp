#include "arguments/config_file.h"

#include "arguments/rules.h"
#include "base/python_text.h"
#include "base/text.h"
#include "base/yaml.h"

namespace sglint {
namespace {

// What ConfigArgumentMerger knows of the parser's actions, by dest.
std::string_view unsupported_action(Release release, std::string_view dest) {
  std::string_view name;
  for (const Option& option : argument_table(release).options) {
    if (option.dest == kNoField || field_name(option.dest) != dest) continue;
    switch (option.action) {
      case Action::store:
      case Action::store_true:
      case Action::help:
        break;
      case Action::boolean_optional:
        name = "BooleanOptionalAction";
        break;
      case Action::lora_path:
        name = "LoRAPathAction";
        break;
      case Action::deprecated_alias_store:
        name = "DeprecatedAliasStoreAction";
        break;
      case Action::deprecated_store_true:
        name = "DeprecatedStoreTrueAction";
        break;
      case Action::deprecated_store_const:
        name = "DeprecatedStoreConstAction";
        break;
      case Action::deprecated_removed:
        name = "DeprecatedAction";
        break;
    }
  }
  return name;
}

bool is_switch(Release release, std::string_view dest) {
  for (const Option& option : argument_table(release).options) {
    if (option.action == Action::store_true && field_name(option.dest) == dest) return true;
  }
  return false;
}

// pathlib: Path(path).suffix
std::string_view suffix_of(std::string_view path) {
  while (ends_with(path, "/")) path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  const std::string_view name = slash == path.npos ? path : path.substr(slash + 1);
  const size_t dot = name.rfind('.');
  return dot == name.npos || dot == 0 || dot + 1 == name.size() ? std::string_view()
                                                                : name.substr(dot);
}

// Python's type of a key that is not a string; "" for one that is.
std::string_view odd_key_type(const YamlNode& map, std::string_view key) {
  for (const auto& [node, value] : map.pairs) {
    if (!node->is_scalar()) continue;
    const std::optional<Value> v = yaml_scalar(*node);
    if (!v || v->is_str() || str(*v) != key) continue;
    return v->is_none() ? "NoneType" : v->is_bool() ? "bool" : v->is_int() ? "int" : "float";
  }
  return {};
}

// "date" or "datetime" where YAML makes one of a value inside a map; "" if there is none.
std::string_view date_inside(const YamlNode& node) {
  if (node.is_scalar()) {
    if (node.style != YamlNode::Style::plain || !node.tag.empty()) return {};
    const std::string_view s = node.text;
    const auto digits = [&](size_t from, size_t count) {
      for (size_t i = from; i < from + count; ++i)
        if (i >= s.size() || s[i] < '0' || s[i] > '9') return false;
      return true;
    };
    if (!digits(0, 4) || s.size() < 8 || s[4] != '-' || !digits(5, 1)) return {};
    if (s.size() == 10 && digits(5, 2) && s[7] == '-' && digits(8, 2)) return "date";
    return s.find(':') != s.npos ? "datetime" : "";
  }
  for (const YamlPtr& item : node.items)
    if (const auto found = date_inside(*item); !found.empty()) return found;
  for (const auto& [key, value] : node.pairs)
    if (const auto found = date_inside(*value); !found.empty()) return found;
  return {};
}

class Merger {
 public:
  Merger(Release release, const std::vector<Token>& argv, const Files& files)
      : release_(release), argv_(argv), files_(files) {}

  MergedArgv run() {
    int at = -1;
    for (size_t i = 0; i < argv_.size(); ++i) {
      if (argv_[i].text != "--config") continue;
      if (at >= 0)
        return fail(kSeveralConfigFiles, static_cast<int>(i), kSeveralConfigFiles.message);
      at = static_cast<int>(i);
    }
    path_at_ = at + 1;
    if (static_cast<size_t>(path_at_) == argv_.size())
      return fail(kNoConfigFile, at, kNoConfigFile.message);
    const std::string& path = argv_[static_cast<size_t>(path_at_)].text;
    out_.unread = argv_[static_cast<size_t>(path_at_)].unknown;
    if (!path.empty() && !out_.unread && !read(path)) return std::move(out_);
    for (size_t i = 0; i < argv_.size(); ++i) {
      const bool taken =
          !path.empty() && (static_cast<int>(i) == at || static_cast<int>(i) == path_at_);
      if (taken) continue;
      out_.argv.push_back(argv_[i]);
      out_.source.push_back(static_cast<int>(i));
    }
    return std::move(out_);
  }

 private:
  MergedArgv fail(const Rule& rule, int token, std::string_view message) {
    out_.error =
        ArgumentError{&rule, std::string(rule.exception), std::string(message), token, {}, {}};
    return std::move(out_);
  }
  bool refuse(const Rule& rule, std::string message, std::string exception = {}) {
    if (exception.empty()) exception = std::string(rule.exception);
    out_.error = ArgumentError{&rule, std::move(exception), std::move(message), path_at_, {}, {}};
    return false;
  }

  bool read(const std::string& path) {
    if (!is_config_name(path))
      return refuse(kConfigNotYaml, fill(kConfigNotYaml.message, {suffix_of(path)}));
    const std::string* text = find_file(files_, path);
    if (!text) return refuse(kConfigNotFound, fill(kConfigNotFound.message, {path}));

    const auto broken = [&](const YamlError& error) {
      std::string message = error.python_message(path);
      out_.logs.push_back(
          {Level::error, fill("Failed to read config file {}: {}", {path, message})});
      return refuse(kConfigBroken, std::move(message), error.exception);
    };
    YamlError error;
    const std::optional<Value> config = load_yaml(*text, &error);
    if (!config) return broken(error);
    if (config->is_none()) return true;
    if (!config->is_dict()) return refuse(kConfigNotAMap, std::string(kConfigNotAMap.message));
    const YamlStream stream = parse_yaml(*text);
    const YamlNode& root = *stream.documents.front();
    if (root.weight > kYamlMaxWeight) return refuse(kConfigBroken, "", "MemoryError");
    for (const auto& [key, value] : config->as_dict())
      if (!add(root, key, value)) return false;
    return true;
  }

  bool add(const YamlNode& root, const std::string& key, const Value& value) {
    if (const auto type = odd_key_type(root, key); !type.empty())
      return refuse(kConfigKeyNotText, fill(kConfigKeyNotText.message, {type}));
    const std::string dest = underscores(key);
    if (const auto action = unsupported_action(release_, dest); !action.empty())
      return refuse(kConfigUnsupportedOption,
                    fill(kConfigUnsupportedOption.message, {dest, action}));
    if (value.is_bool()) {
      if (!is_switch(release_, dest)) {
        word("--" + key);
        word(value.as_bool() ? "true" : "false");
      } else if (value.as_bool()) {
        word("--" + key);
      }
    } else if (value.is_list()) {
      if (value.as_list().empty()) return true;
      word("--" + key);
      for (const Value& item : value.as_list()) word(str(item));
    } else if (value.is_dict()) {
      const YamlNode* node = root.find(key);
      if (const auto date = node ? date_inside(*node) : std::string_view(); !date.empty())
        return refuse(kConfigNotJson, fill(kConfigNotJson.message, {date}));
      word("--" + key);
      word(python_json_dumps(value));
    } else {
      word("--" + key);
      word(str(value));
    }
    return true;
  }

  void word(std::string text) {
    out_.argv.push_back({std::move(text), {}, false, false});
    out_.source.push_back(-1);
  }

  Release release_;
  const std::vector<Token>& argv_;
  const Files& files_;
  MergedArgv out_;
  int path_at_ = -1;
};

}  // namespace

std::string_view file_name(std::string_view path) {
  while (starts_with(path, "./")) path.remove_prefix(2);
  return path;
}

const std::string* find_file(const Files& files, std::string_view path) {
  const auto it = files.find(file_name(path));
  return it == files.end() ? nullptr : &it->second;
}

bool is_config_name(std::string_view path) {
  return one_of(lower(suffix_of(path)), {".yaml", ".yml"});
}

MergedArgv merge_config_file(Release release, const std::vector<Token>& argv, const Files& files) {
  return Merger(release, argv, files).run();
}

}  // namespace sglint
