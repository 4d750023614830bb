#pragma once
// SGLang's environment variables (environ.py) and a launch's settings of them.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "arguments/table.h"

namespace sglint {

enum class EnvType : uint8_t { str, int_, float_, bool_, tuple, json };

struct EnvVariable {
  std::string_view name;
  EnvType type;
  Value fallback;
  std::string_view old_name;  // read where `name` is not set, "" if there is none
  uint8_t releases;           // bit per Release
  bool in(Release release) const { return releases >> static_cast<int>(release) & 1; }
};

// Rows of cells (base/rows.h) sorted by name: name, first letter of the type with the bits of the
// releases, default, old name. A variable that changed between releases has a row for each form.
extern const char kVariableRows[];
// Takes one variable off the front; false at the end.
bool take_env_variable(std::string_view& rows, EnvVariable* variable);
std::optional<EnvVariable> find_env_variable(std::string_view name,
                                             Release release = kReferenceRelease);

// What is set for one launch. Steps may set variables as SGLang does (os.environ, envs.X.set).
class Environment {
 public:
  void put(std::string name, std::string value) { values_[std::move(name)] = std::move(value); }
  // Set to what nobody knows: it counts as not set, and all() has it as typed.
  void put_unknown(std::string name, std::string typed);
  void erase(std::string_view name);
  std::optional<std::string_view> raw(std::string_view name) const;  // as typed; nullopt if not set
  std::optional<std::string_view> raw(const char* name) const;
  const std::string* typed(std::string_view name) const;  // also what is unknown; null if not set
  bool is_set(std::string_view name) const { return raw(name).has_value(); }
  bool is_set(const char* name) const;

  // What environ.py does when it is imported: forwards the values of renamed variables. From here
  // on get() answers for this release.
  void start(Release release);

  // envs.NAME.get(): the parsed setting, else the variable's default. A setting that does not parse
  // gives the default, as in environ.py. None for a variable that the release does not know.
  bool flag(std::string_view name) const;
  bool flag(const char* name) const;
  Value get(std::string_view name) const;
  Value get(const char* name) const;

  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> unknown_;
  Release release_ = kReferenceRelease;
};

}  // namespace sglint
