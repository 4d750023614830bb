// Environment variables that do not do what they seem to (environ.py).
#include "rules/environment_notes.h"

#include <algorithm>
#include <array>

#include "base/python_text.h"
#include "facts/env_renames.h"

namespace sglint {
namespace {

// The commands of examples cannot set variables, so these rules have none.
constexpr Rule kOldName{.id = "environment/old-name",
                        .severity = Severity::warning,
                        .exception = "",
                        .message = "Environment variable {} is an old name; use {}.",
                        .why =
                            "The value is still taken over, and outranks a value under the new "
                            "name. The next releases may drop the name.",
                        .source = "environ.py: _DEPRECATED_ENVS",
                        .bad = {},
                        .good = {}};

constexpr Rule kNotUnderstood{
    .id = "environment/value-not-understood",
    .severity = Severity::warning,
    .exception = "",
    .message = "Invalid value for {}: \"{}\" is not a valid {} value, using default \"{}\"",
    .why =
        "SGLang does not stop at a value that it cannot read: a Python warning goes by and the "
        "default is used. Booleans are true, 1, yes, y and false, 0, no, n; not on and off.",
    .source = "environ.py: EnvField.get",
    .bad = {},
    .good = {}};

constexpr Rule kOtherRelease{
    .id = "environment/not-in-this-release",
    .severity = Severity::warning,
    .exception = "",
    .message = "SGLang {} does not know the environment variable {}; {} does.",
    .why = "A variable that a release does not know is ignored without a word.",
    .source = "environ.py: Envs",
    .bad = {},
    .good = {}};

constexpr Rule kUnknown{
    .id = "environment/unknown-variable",
    .severity = Severity::warning,
    .exception = "",
    .message = "SGLang does not know the environment variable {}; did you mean {}?",
    .why = "A variable with a slip in its name is ignored without a word.",
    .source = "environ.py: Envs",
    .bad = {},
    .good = {}};

constexpr size_t kFar = 3;  // more edits than a slip of the keyboard makes

// Edits (insertions, deletions, replacements) between two names; kFar if there are more than two.
size_t edits_between(std::string_view a, std::string_view b) {
  constexpr size_t kLongest = 96;
  const size_t longer = std::max(a.size(), b.size()), shorter = std::min(a.size(), b.size());
  if (longer - shorter >= kFar || longer >= kLongest) return kFar;
  std::array<size_t, kLongest + 1> row{};
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0], least = row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1] ? 1 : 0)});
      diagonal = above;
      least = std::min(least, row[j]);
    }
    if (least >= kFar) return kFar;
  }
  return std::min(row[b.size()], kFar);
}

// The declared variable that a name comes closest to, "" if none is close.
std::string_view nearest(std::string_view name, Release release) {
  // Read without being declared, one letter away from a declared name.
  if (name == "SGLANG_USE_AITER_AR") return {};
  std::string_view best;
  size_t fewest = kFar;
  std::string_view rows = kVariableRows;
  for (EnvVariable v; take_env_variable(rows, &v);) {
    if (!v.in(release)) continue;
    const size_t edits = edits_between(name, v.name);
    if (edits >= fewest) continue;
    fewest = edits;
    best = v.name;
  }
  return best;
}

bool is_old_name_of_any(std::string_view name) {
  std::string_view rows = kVariableRows;
  for (EnvVariable v; take_env_variable(rows, &v);)
    if (v.old_name == name) return true;
  for (const RenamedVariable& v : renamed_variables())
    if (v.old_name == name) return true;
  return false;
}

void note_old_names(Resolution& r, const std::string& name, const std::string& value) {
  std::string_view current;
  std::string_view rows = kVariableRows;
  for (EnvVariable v; take_env_variable(rows, &v);)
    if (v.old_name == name && v.in(r.release())) current = v.name;
  for (const RenamedVariable& v : renamed_variables())
    if (v.old_name == name && v.releases.contains(r.release())) current = v.new_name;
  if (starts_with(name, "SGL_")) current = "SGLANG_";
  if (current.empty()) return;
  const std::string new_name =
      current == "SGLANG_" ? "SGLANG_" + name.substr(4) : std::string(current);
  // What the new name holds once SGLang has taken the value over, in its unit and sense.
  const std::string new_value(r.env().raw(new_name).value_or(value));
  r.note(kOldName, {name, new_name}, {{{unset_env(name), set_env(new_name, new_value)}, ""}});
}

void note_value(Resolution& r, const EnvVariable& v, const std::string& value) {
  const char* kind = nullptr;
  if (v.type == EnvType::bool_ &&
      !one_of(lower(value), {"true", "1", "yes", "y", "false", "0", "no", "n"}))
    kind = "boolean";
  if (v.type == EnvType::int_ && !python_int(value)) kind = "integer";
  if (v.type == EnvType::float_ && !python_float(value)) kind = "float";
  if (!kind) return;
  std::vector<Fix> fixes;
  const std::string name(v.name);
  if (v.type == EnvType::bool_ && one_of(lower(value), {"on", "enable", "enabled", "t"}))
    fixes.push_back({{set_env(name, "1")}, ""});
  fixes.push_back({{unset_env(name)}, "the default, as now"});
  r.note(kNotUnderstood,
         {v.name, v.type == EnvType::bool_ ? lower(value) : value, kind, v.fallback},
         std::move(fixes));
}

void note_unknown(Resolution& r, const std::string& name, const std::string& value) {
  for (int i = kReleaseCount - 1; i >= 0; --i) {
    const auto other = static_cast<Release>(i);
    if (!find_env_variable(name, other)) continue;
    r.note(kOtherRelease, {release_name(r.release()), name, release_name(other)},
           {{{unset_env(name)}, "ignored anyway"}});
    return;
  }
  const std::string_view meant = nearest(name, r.release());
  if (!meant.empty())
    r.note(kUnknown, {name, meant}, {{{unset_env(name), set_env(std::string(meant), value)}, ""}});
}

}  // namespace

void note_environment(Resolution& r) {
  for (const auto& [name, value] : r.facts().env.all()) {
    if (!starts_with(name, "SGL")) continue;
    note_old_names(r, name, value);
    if (!starts_with(name, "SGLANG_") || is_old_name_of_any(name)) continue;
    const std::optional<EnvVariable> v = find_env_variable(name, r.release());
    if (!v)
      note_unknown(r, name, value);
    else if (r.facts().env.is_set(name))
      note_value(r, *v, value);
  }
}

RuleList environment_notes_rules() {
  return {&kOldName, &kNotUnderstood, &kOtherRelease, &kUnknown};
}

}  // namespace sglint
