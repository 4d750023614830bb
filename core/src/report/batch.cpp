// The batch format (DESIGN.md): one request a line in, one result a line out.
#include <algorithm>

#include "base/json.h"
#include "repair/repair.h"
#include "report/launch_facts.h"
#include "report/outcomes.h"
#include "sglint/sglint.h"

namespace sglint {
namespace {

std::string invalid(const Value& id, std::string message) {
  return to_json(
      Value::dict({{"id", id}, {"outcome", "invalid_request"}, {"message", std::move(message)}}));
}

}  // namespace

std::string check_batch_line(std::string_view line) {
  JsonError error;
  const std::optional<Value> request = parse_json(line, &error);
  if (!request)
    return invalid(
        {}, fill("Not JSON at byte {}: {}", {static_cast<int64_t>(error.offset), error.what}));
  const Value& id = (*request)["id"];
  std::string why;
  std::optional<LaunchFacts> given = launch_facts(*request, &why);
  if (!given) return invalid(id, why);
  if (given->launches.empty())
    return invalid(id, "No SGLang launch command was found in the text.");

  const Launch& launch = given->launches.front();
  const Facts facts = facts_of(*given, launch);
  Repaired repaired;
  const bool fix = !request->has("fix") || (*request)["fix"].truthy();
  if (fix)
    repaired = repair(facts, launch.argv);
  else
    repaired.first = run_launch(facts, launch.argv);
  const Run* run = repaired.first.get();

  Value::Dict out{{"id", id}};
  Value::Dict resolved;
  Value::List logs, rules;
  Value failure, usage;
  const Ending ending = stop_of(run->arguments, run->resolution.get());
  if (ending.outcome == Outcome::usage_error) usage = ending.message;
  if (ending.outcome == Outcome::error)
    failure = Value::dict({{"type", ending.type}, {"message", ending.message}});
  const auto ignored = [&](const Rule* rule) {
    return rule &&
           std::find(given->ignore.begin(), given->ignore.end(), rule->id) != given->ignore.end();
  };
  if (ending.rule && !ignored(ending.rule)) rules.push_back(ending.rule->id);
  for (const Log& log : run->arguments.logs)
    logs.push_back(Value::List{level_name(log.level), log.message});
  if (const Resolution* r = run->resolution.get()) {
    for (const Log& log : r->logs())
      logs.push_back(Value::List{level_name(log.level), log.message});
    const std::vector<Value>& defaults = field_defaults(facts.release);
    for (int i = 0; i < kFieldCount && !r->rejection(); ++i) {
      const auto field = static_cast<Field>(i);
      if (is_server_args_field(field, facts.release) &&
          r->value(field) != defaults[static_cast<size_t>(i)])
        resolved.emplace_back(std::string(field_name(field)), r->value(field));
    }
  }
  out.emplace_back("outcome", outcome_name(ending.outcome));
  out.emplace_back("error", failure);
  out.emplace_back("usage_message", usage);
  out.emplace_back("resolved", Value::dict(std::move(resolved)));
  out.emplace_back("logs", std::move(logs));
  if (fix) {
    Value fixed_argv, fixed_env;
    // A rejection that is to be ignored is wanted as it is.
    const bool wanted = !repaired.problems.empty() &&
                        std::all_of(repaired.problems.begin(), repaired.problems.end(),
                                    [&](const Problem& p) { return ignored(p.rule); });
    if (repaired.fixed_run && !wanted) {
      Value::List words;
      for (const Token& t : repaired.fixed.argv) words.push_back(t.text);
      Value::Dict env;
      for (const auto& [name, value] : repaired.fixed.env.all()) env.emplace_back(name, value);
      fixed_argv = std::move(words);
      fixed_env = Value::dict(std::move(env));
    }
    out.emplace_back("fixed_argv", std::move(fixed_argv));
    out.emplace_back("fixed_env", std::move(fixed_env));
  }
  out.emplace_back("rules", std::move(rules));
  if (request->has("text")) {
    Value::List launches;
    for (const Launch& l : given->launches) {
      Value::List argv;
      Value::Dict env;
      for (const Token& t : l.argv) argv.push_back(t.text);
      for (const EnvSetting& e : l.env) env.emplace_back(e.name, e.value);
      launches.push_back(
          Value::dict({{"argv", std::move(argv)}, {"env", Value::dict(std::move(env))}}));
    }
    out.emplace_back("launches", std::move(launches));
  }
  std::string result = to_json(Value::dict(std::move(out)));
  write_exactly(result, launch.argv);
  return result;
}

}  // namespace sglint
