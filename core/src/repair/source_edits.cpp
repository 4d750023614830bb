#include "repair/source_edits.h"

#include <algorithm>

#include "base/text.h"
#include "read/edit_source.h"
#include "read/quoting.h"

namespace sglint {

std::vector<TextEdit> source_edits(std::string_view text, const Launch& launch, const Facts& facts,
                                   const Attempt& after) {
  std::vector<EnvChange> env;
  for (const auto& setting : after.env.all())
    if (const std::string* was = facts.env.typed(setting.first); !was || *was != setting.second)
      env.push_back({setting.first, setting.second});
  for (const auto& setting : facts.env.all())
    if (!after.env.typed(setting.first)) env.push_back({setting.first, std::nullopt});
  return edit_source(text, launch, after.argv, env).value_or(std::vector<TextEdit>());
}

namespace {

// What was a variable stays one. Only a shell's: Kubernetes' $(NAME) would run a program of it.
std::string quoted(const Launch& launch, std::string_view word, bool unknown, uint16_t context) {
  const bool expands = unknown && context < launch.contexts.size() &&
                       launch.contexts[context].writing == Writing::shell &&
                       (launch.form != Form::kubernetes || !contains(word, "$("));
  if (unknown && launch.templated && contains(word, "'")) return std::string(word);
  return expands ? quote_expanding(word) : quote_shell(word);
}

}  // namespace

std::string shell_command(const Launch& launch, const Attempt& attempt) {
  std::string out;
  for (const EnvSetting& e : launch.env)
    if (const std::string* value = attempt.env.typed(e.name))
      out +=
          e.name + "=" +
          (e.secret ? "***" : quoted(launch, *value, e.unknown && *value == e.value, e.context)) +
          " ";
  for (const auto& setting : attempt.env.all()) {
    const bool known = std::any_of(launch.env.begin(), launch.env.end(),
                                   [&](const EnvSetting& e) { return e.name == setting.first; });
    if (!known) out += setting.first + "=" + quote_shell(setting.second) + " ";
  }
  out += "sglang serve";
  for (const Token& token : attempt.argv)
    out += " " + (token.secret ? std::string("***")
                               : quoted(launch, token.text, token.unknown, token.context));
  return out;
}

}  // namespace sglint
