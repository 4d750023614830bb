#include "repair/source_edits.h"

#include <algorithm>

#include "read/edit_source.h"
#include "read/quoting.h"

namespace sglint {

std::vector<TextEdit> source_edits(std::string_view text, const Launch& launch, const Facts& facts,
                                   const Attempt& after) {
  std::vector<EnvChange> env;
  for (const auto& setting : after.env.all())
    if (facts.env.raw(setting.first) != std::string_view(setting.second))
      env.push_back({setting.first, setting.second});
  for (const auto& setting : facts.env.all())
    if (!after.env.is_set(setting.first)) env.push_back({setting.first, std::nullopt});
  return edit_source(text, launch, after.argv, env).value_or(std::vector<TextEdit>());
}

std::string shell_command(const Launch& launch, const Attempt& attempt) {
  std::string out;
  for (const EnvSetting& e : launch.env)
    if (attempt.env.is_set(e.name))
      out += e.name + "=" + (e.secret ? "***" : quote_shell(*attempt.env.raw(e.name))) + " ";
  for (const auto& setting : attempt.env.all()) {
    const bool known = std::any_of(launch.env.begin(), launch.env.end(),
                                   [&](const EnvSetting& e) { return e.name == setting.first; });
    if (!known) out += setting.first + "=" + quote_shell(setting.second) + " ";
  }
  out += "sglang serve";
  for (const Token& token : attempt.argv)
    out += " " + (token.secret ? std::string("***") : quote_shell(token.text));
  return out;
}

}  // namespace sglint
