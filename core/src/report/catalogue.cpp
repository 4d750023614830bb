// Rules and catalogues as text and JSON.
#include "base/json.h"
#include "base/text.h"
#include "facts/machine.h"
#include "facts/machine_catalogue.h"
#include "facts/model.h"
#include "rules/registry.h"
#include "sglint/sglint.h"

namespace sglint {
namespace {

Value example_value(const Example& e) {
  if (e.empty()) return {};
  return Value::dict(
      {{"source", example_source(e)},
       {"machine", e.machine},
       {"release", e.release.empty() ? release_name(kReferenceRelease) : e.release}});
}

Value names(const std::vector<std::string_view>& all) {
  Value::List out;
  for (std::string_view n : all) out.emplace_back(n);
  return out;
}

}  // namespace

std::string rules_json() {
  Value::List rules;
  for (const Rule* rule : all_rules()) {
    rules.push_back(Value::dict({{"id", rule->id},
                                 {"stage", stage_name(rule->stage)},
                                 {"severity", severity_name(rule->severity)},
                                 {"exception", rule->exception},
                                 {"message", rule->message},
                                 {"why", rule->why},
                                 {"source", rule->source},
                                 {"since", release_name(rule->releases.since)},
                                 {"until", release_name(rule->releases.until)},
                                 {"bad", example_value(rule->bad)},
                                 {"good", example_value(rule->good)}}));
  }
  return to_json(Value(std::move(rules)));
}

std::string rules_text() {
  std::string out;
  for (const Rule* rule : all_rules())
    out += fill("{}  {}  {}\n", {rule->id, severity_name(rule->severity), stage_name(rule->stage)});
  return out;
}

std::string explain(std::string_view rule_id) {
  const Rule* rule = find_rule(rule_id);
  if (!rule) return {};
  std::string out = fill("{}\n  {} at stage {}, SGLang {} to {}\n\n",
                         {rule->id, severity_name(rule->severity), stage_name(rule->stage),
                          release_name(rule->releases.since), release_name(rule->releases.until)});
  if (!rule->message.empty())
    out += fill("SGLang says\n  {}{}{}\n\n",
                {rule->exception, rule->exception.empty() ? "" : ": ", rule->message});
  out += fill("Why\n  {}\n", {rule->why});
  for (const auto& [title, example] :
       {std::pair{"Rejected", rule->bad}, std::pair{"Accepted", rule->good}})
    if (!example.empty())
      out += fill("\n{} on {}\n  {}\n", {title, example.machine, example_source(example)});
  out += fill("\nSource\n  {}\n", {rule->source});
  return out;
}

std::string_view newest_release() { return release_name(kReferenceRelease); }

std::string catalogue_json() {
  Value::List releases;
  for (int i = kReleaseCount; i-- > 0;)
    releases.emplace_back(release_name(static_cast<Release>(i)));
  std::string out = to_json(Value::dict({{"version", kVersion},
                                         {"releases", std::move(releases)},
                                         {"machines", names(machine_names())},
                                         {"models", names(model_names())}}));
  out.pop_back();
  out += ",\"machine_facts\":";
  char separator = '{';
  for (const CatalogueMachine& m : machine_catalogue()) {
    out += separator;
    separator = ',';
    append_json(out, m.name);
    out += ':';
    out += m.facts;
  }
  return out + "}}";
}

}  // namespace sglint
