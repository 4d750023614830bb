// What the parser warns of, mended: a flag that is given twice, an old name.
#include <algorithm>
#include <optional>

#include "arguments/option_index.h"
#include "arguments/rules.h"
#include "base/text.h"
#include "repair/candidates.h"
#include "repair/edits.h"
#include "repair/flag_groups.h"

namespace sglint {
namespace {

// "--cuda-graph-backend-{decode,prefill}=disabled" -> one flag each; nothing for what is no flag.
std::vector<std::string> spelt_out(Release release, std::string_view replacement) {
  const size_t open = replacement.find('{'), close = replacement.find('}');
  std::vector<std::string> out;
  if (open == replacement.npos || close == replacement.npos) {
    out.emplace_back(replacement);
  } else {
    for (size_t at = open + 1; at < close;) {
      const size_t end = std::min(replacement.find(',', at), close);
      out.push_back(std::string(replacement.substr(0, open)) +
                    std::string(replacement.substr(at, end - at)) +
                    std::string(replacement.substr(close + 1)));
      at = end + 1;
    }
  }
  for (const std::string& flag : out)
    if (!option_index(release).find(flag.substr(0, flag.find('=')))) return {};
  return out;
}

// argv with the flag of that token written otherwise, or taken out.
std::optional<Candidate> rewritten(const Run& run, const Attempt& now,
                                   const ArgumentFinding& finding, std::vector<Field>& may_change) {
  const Release release = run.arguments.release;
  FlagGroup group;
  for (const FlagGroup& g : flag_groups(release, now.argv))
    if (static_cast<int>(g.first) == finding.token) group = g;
  if (!group.option) return std::nullopt;
  std::vector<Token> tokens(now.argv.begin() + static_cast<long>(group.first),
                            now.argv.begin() + static_cast<long>(group.last) + 1);
  std::string words;
  for (const Token& t : tokens) words += (words.empty() ? "" : " ") + shown(t);
  Candidate c{"", "", now, {}, {}};
  const std::string_view instead = group.option->replacement();
  if (finding.rule == &kRepeatedFlag) {
    c.title = "Remove the earlier " + words;
    c.price = "none: the later one counts already";
    tokens.clear();
  } else if (group.option->action == Action::deprecated_removed) {
    c.title = "Remove " + words;
    c.price = "none: the flag does nothing";
    tokens.clear();
  } else if (!instead.empty()) {
    const std::vector<std::string> flags = spelt_out(release, instead);
    const size_t equals = tokens[0].text.find('=');
    const bool brings_value = contains(instead, "=");
    const bool has_value = tokens.size() > 1 || equals != std::string::npos;
    if (flags.empty() || (brings_value && has_value) || (flags.size() > 1 && has_value))
      return std::nullopt;
    const Token first = tokens[0];
    c.title = "Write ";
    for (size_t i = 0; i < flags.size(); ++i) {
      const Token flag{flags[i] + (equals == std::string::npos ? "" : first.text.substr(equals)),
                       i == 0 ? first.span : Span{}, first.unknown, first.secret, first.context};
      c.title += (i ? " " : "") + flags[i];
      if (i == 0)
        tokens[0] = flag;
      else
        tokens.push_back(flag);
      may_change.push_back(
          option_index(release).find(flags[i].substr(0, flags[i].find('=')))->option->dest);
    }
    c.title += " instead of " + first.text.substr(0, equals);
    c.price = "none: the same setting under its new name";
    may_change.push_back(group.option->dest);
  } else {
    return std::nullopt;
  }
  auto& argv = c.after.argv;
  argv.erase(argv.begin() + static_cast<long>(group.first),
             argv.begin() + static_cast<long>(group.last) + 1);
  argv.insert(argv.begin() + static_cast<long>(group.first), tokens.begin(), tokens.end());
  return c;
}

// Whether both runs end with the same values, but for these fields.
bool same_values(const Run& a, const Run& b, const std::vector<Field>& but) {
  for (int i = 0; i < kFieldCount; ++i) {
    const auto field = static_cast<Field>(i);
    if (std::find(but.begin(), but.end(), field) != but.end()) continue;
    if (a.resolution->value(field) != b.resolution->value(field)) return false;
  }
  return true;
}

}  // namespace

std::vector<CheckedFix> check_flag_fix(const Facts& facts, const Run& run, const Attempt& now,
                                       const ArgumentFinding& finding) {
  std::vector<Field> may_change;
  if (finding.token < 0 || !run.resolution) return {};
  std::optional<Candidate> c = rewritten(run, now, finding, may_change);
  if (!c) return {};
  const std::unique_ptr<Run> after = run_launch(facts, c->after.argv);
  const std::string stop = stop_of(run);
  if (!after->resolution || stop_of(*after) != stop ||
      after->arguments.findings.size() >= run.arguments.findings.size() ||
      !same_values(run, *after, may_change))
    return {};
  return {
      {std::move(c->title), std::move(c->price), std::move(c->after), stop.empty(), stop, false}};
}

}  // namespace sglint
