// sglint::check: a request becomes a report.
#include <algorithm>

#include "base/json.h"
#include "repair/repair.h"
#include "repair/source_edits.h"
#include "report/check_launch.h"
#include "report/effective.h"
#include "report/launch_facts.h"
#include "report/outcomes.h"
#include "report/reader_fixes.h"
#include "report/secrets.h"
#include "report/suppress.h"
#include "rules/deployment.h"
#include "sglint/sglint.h"

namespace sglint {
namespace {

SourceSpan to_span(Span s) { return {s.begin, s.end}; }

std::vector<SourceEdit> to_edits(const std::vector<TextEdit>& edits) {
  std::vector<SourceEdit> out;
  for (const TextEdit& e : edits) out.push_back({to_span(e.span), e.text});
  return out;
}

std::vector<std::string> words(const std::vector<Token>& argv) {
  std::vector<std::string> out;
  for (const Token& t : argv) out.push_back(t.secret ? "***" : t.text);
  return out;
}

void describe(const Rule* rule, Diagnostic& d) {
  d.rule = rule ? std::string(rule->id) : "arguments/rejected";
  d.severity = std::string(severity_name(rule ? rule->severity : Severity::error));
  d.stage = std::string(stage_name(rule ? rule->stage : Stage::arguments));
  d.why = rule ? std::string(rule->why) : "";
}

VerifiedFix to_fix(std::string_view text, const Launch& launch, const Facts& facts,
                   const CheckedFix& fix) {
  return {fix.title,
          fix.price,
          to_edits(source_edits(text, launch, facts, fix.after)),
          shell_command(launch, fix.after),
          fix.accepted,
          words(fix.after.argv)};
}

// Spans of tokens that still stand in the source, neighbours joined.
std::vector<SourceSpan> token_spans(const Attempt& attempt, const std::vector<int>& tokens) {
  std::vector<SourceSpan> out;
  for (int i : tokens) {
    const Span span = attempt.argv[static_cast<size_t>(i)].span;
    if (span.empty()) continue;
    if (!out.empty() && span.begin >= out.back().end && span.begin <= out.back().end + 1) {
      out.back().end = span.end;
    } else {
      out.push_back(to_span(span));
    }
  }
  return out;
}

Diagnostic to_diagnostic(const Finding& finding, const Resolution& r,
                         const std::vector<Token>& argv) {
  Diagnostic d;
  describe(finding.rule, d);
  d.message = finding.message;
  std::vector<int> tokens;
  for (Field field : finding.fields)
    for (int i : typed_tokens(r.arguments(), field)) tokens.push_back(i);
  d.spans = token_spans({argv, {}}, tokens);
  return d;
}

std::vector<ResolvedValue> resolved_values(const Resolution& r, const std::vector<Token>& argv) {
  std::vector<ResolvedValue> out;
  const std::vector<Value>& defaults = field_defaults(r.release());
  for (int i = 0; i < kFieldCount; ++i) {
    const auto field = static_cast<Field>(i);
    const Value& value = r.value(field);
    const Origin& origin = r.arguments().origins[static_cast<size_t>(i)];
    const bool given = origin.kind != Origin::Kind::parser_default;
    const bool changed = value != defaults[static_cast<size_t>(i)];
    if ((!given && !changed) || !is_server_args_field(field, r.release())) continue;
    ResolvedValue v;
    v.field = std::string(field_name(field));
    v.value = to_json(value);
    v.changed = changed;
    v.source = origin.kind == Origin::Kind::typed         ? "typed"
               : origin.kind == Origin::Kind::config_file ? "config"
                                                          : "default";
    v.because = given ? fill("{} was given", {origin.flag}) : "SGLang's default";
    if (given && origin.kind == Origin::Kind::typed && origin.first_token >= 0)
      v.span = {argv[static_cast<size_t>(origin.first_token)].span.begin,
                argv[static_cast<size_t>(origin.last_token)].span.end};
    for (const Change& change : r.changes()) {
      if (change.field != field) continue;
      v.earlier.emplace_back(to_json(change.before), v.because);
      v.because = change.because;
      v.source = "rule";
    }
    if (argv.size() && given && origin.last_token >= 0 &&
        origin.last_token < static_cast<int>(argv.size()) &&
        argv[static_cast<size_t>(origin.last_token)].secret)
      v.value = "\"***\"";
    out.push_back(std::move(v));
  }
  return out;
}

// What the verdict rests on and the text does not say.
void assume(const LaunchFacts& given, const Launch& launch, const std::optional<ModelFiles>& model,
            LaunchReport& out) {
  constexpr int kMostListed = 50;
  if (!given.release && !launch.version.empty())
    out.assumptions.push_back(launch.release
                                  ? fill("Release: {}, the nearest to {} of those that are known.",
                                         {out.release, launch.version})
                                  : fill("Release: {}, because {} does not say which one it is.",
                                         {out.release, launch.version}));
  if (model && !model->taken_from.empty())
    out.assumptions.push_back(
        fill("Model {}: taken for {}, whose name it has; its config.json "
             "was not given.",
             {model->taken_from, model->name}));
  for (const std::string& a : launch.assumptions) out.assumptions.push_back(a);
  for (const Token& t : launch.argv) {
    if (!t.unknown || ++out.unknown_values > kMostListed) continue;
    out.assumptions.push_back(fill(
        t.unread ? "{} was not given to this check: nothing is said of what it sets."
                 : "{} is a placeholder or an unresolved variable: nothing is said of its value.",
        {t.text}));
  }
  if (out.unknown_values > kMostListed)
    out.assumptions.push_back(
        fill("{} more values are unknown.", {out.unknown_values - kMostListed}));
}

}  // namespace

LaunchReport check_launch(const LaunchFacts& given, const Launch& launch, CheckedLaunch* keep) {
  LaunchReport out;
  auto held = std::make_unique<Facts>(facts_of(given, launch));
  const Facts& facts = *held;
  out.name = launch.name;
  out.release = std::string(release_name(facts.release));
  out.machine = facts.machine.name.empty() ? facts.machine.gpu_name : facts.machine.name;
  out.model = facts.model ? facts.model->name : "";
  out.span = to_span(launch.span);
  out.argv = words(launch.argv);
  for (const EnvSetting& e : launch.env) out.env.emplace_back(e.name, e.secret ? "***" : e.value);
  out.assumptions = facts.machine.assumed;
  assume(given, launch, facts.model, out);

  Repaired repaired = repair(facts, launch.argv);
  const Run& first = *repaired.first;
  for (const Log& log : first.arguments.logs)
    out.logs.emplace_back(level_name(log.level), log.message);
  if (first.resolution) {
    for (const Log& log : first.resolution->logs())
      out.logs.emplace_back(level_name(log.level), log.message);
    for (const std::string& a : first.resolution->assumptions()) out.assumptions.push_back(a);
  }
  for (size_t i = 0; i < repaired.problems.size(); ++i) {
    const Problem& problem = repaired.problems[i];
    if (i == 0 && !problem.at_load) {
      out.outcome = problem.exception.empty() ? Outcome::usage_error : Outcome::error;
      out.error_type = problem.exception;
      out.error_message = problem.message;
    }
    Diagnostic d;
    describe(problem.rule, d);
    d.message = problem.message;
    d.behind = i > 0;
    d.spans = token_spans(problem.found_in, problem.tokens);
    for (const CheckedFix& fix : problem.fixes)
      d.fixes.push_back(to_fix(given.text, launch, facts, fix));
    if (problem.fixes.empty()) {
      std::string where;
      for (const std::string& name : repaired.elsewhere)
        where += (where.empty() ? "" : ", ") + name;
      d.why += where.empty() ? " No change of the arguments helps."
                             : fill(
                                   " No change of the arguments helps on this machine; the command "
                                   "is accepted on {}.",
                                   {where});
    }
    out.diagnostics.push_back(std::move(d));
  }
  for (const ArgumentFinding& finding : first.arguments.findings) {
    Diagnostic d;
    describe(finding.rule, d);
    d.message = finding.message;
    if (finding.token >= 0) d.spans = token_spans({launch.argv, {}}, {finding.token});
    for (const CheckedFix& fix : check_flag_fix(facts, first, {launch.argv, facts.env}, finding))
      d.fixes.push_back(to_fix(given.text, launch, facts, fix));
    out.diagnostics.push_back(std::move(d));
  }
  const Run& shown = repaired.fixed_run ? *repaired.fixed_run : first;
  if (shown.resolution) {
    for (const Finding& note : shown.resolution->notes()) {
      const bool told =
          std::any_of(repaired.problems.begin(), repaired.problems.end(), [&](const Problem& p) {
            return p.at_load && p.rule == note.rule && p.message == note.message;
          });
      if (told) continue;
      out.diagnostics.push_back(to_diagnostic(note, *shown.resolution, repaired.fixed.argv));
      for (const CheckedFix& fix : check_fixes(repaired.fixed_facts ? *repaired.fixed_facts : facts,
                                               shown, repaired.fixed, note))
        out.diagnostics.back().fixes.push_back(to_fix(given.text, launch, facts, fix));
    }
  }
  if (shown.accepted()) {
    out.resolved =
        resolved_values(*shown.resolution, repaired.fixed_run ? repaired.fixed.argv : launch.argv);
    out.effective = effective_values(*shown.resolution);
  }
  // What takes the API key or TLS away is offered, not done.
  if (repaired.fixed_run && !repaired.exposes) {
    out.fixed_command = shell_command(launch, repaired.fixed);
    out.fixed_argv = words(repaired.fixed.argv);
    out.fixed_edits = to_edits(source_edits(given.text, launch, facts, repaired.fixed));
  }
  if (keep) *keep = {std::move(held), std::move(repaired)};
  write_exactly(out.error_message, launch.argv);
  for (Diagnostic& d : out.diagnostics) write_exactly(d.message, launch.argv);
  for (ResolvedValue& v : out.resolved) write_exactly(v.value, launch.argv);
  return out;
}

namespace {

// Whether the shell goes on while the command runs: an & ends its line.
bool in_background(std::string_view text, Span span) {
  const std::string_view rest =
      text.substr(std::min<size_t>(span.end, text.size()), text.find('\n', span.end) - span.end);
  const size_t last = rest.find_last_not_of(" \t\r");
  return last != rest.npos && rest[last] == '&' && (last == 0 || rest[last - 1] != '&');
}

constexpr size_t kMostMembers = 64;  // pairs are compared

[[gnu::cold, gnu::noinline]] void check_together(const LaunchFacts& given,
                                                 const std::vector<CheckedLaunch>& checked,
                                                 Report& report) {
  std::vector<Member> members;
  std::vector<const Launch*> launches;
  for (size_t i = 0; i < checked.size(); ++i) {
    const Launch& launch = given.launches[i];
    const Run& run = *checked[i].repaired.first;
    // Logs are of any host and time.
    if (run.arguments.error || given.launches[i].printed_fields) continue;
    members.push_back({launch.name.empty() ? fill("launch {}", {i + 1}) : launch.name,
                       &run.arguments, run.accepted() ? run.resolution.get() : nullptr,
                       &launch.network, in_background(given.text, launch.span)});
    launches.push_back(&launch);
  }
  // A router may mean a launch whose arguments are wrong.
  const bool all = members.size() == given.launches.size();
  for (const DeploymentFinding& finding :
       check_deployment(members, all ? given.routers : std::vector<RouterLine>())) {
    Diagnostic d;
    describe(finding.rule, d);
    d.message = finding.message;
    for (const auto& [member, field] : finding.about) {
      const std::vector<SourceSpan> spans = token_spans(
          {launches[member]->argv, {}}, typed_tokens(*members[member].arguments, field));
      d.spans.insert(d.spans.end(), spans.begin(), spans.end());
    }
    for (const Span& span : finding.at) d.spans.push_back(to_span(span));
    if (d.spans.empty() && !finding.about.empty())
      d.spans.push_back(to_span(launches[finding.about[0].first]->span));
    report.deployment.push_back(std::move(d));
  }
}

Report check_value(const Value& request) {
  Report report;
  std::optional<LaunchFacts> given = launch_facts(request, &report.error);
  if (!given) return report;
  for (const ReadFinding& finding : given->read_findings) {
    Diagnostic d;
    describe(finding.rule, d);
    d.message = finding.message;
    d.spans.push_back(to_span(finding.span));
    if (!finding.edits.empty())
      d.fixes.push_back({finding.edit_title, "", to_edits(finding.edits), "", false, {}});
    report.diagnostics.push_back(std::move(d));
  }
  const size_t count = given->launches.size();
  const bool several = count + given->routers.size() > 1 && count <= kMostMembers;
  std::vector<CheckedLaunch> checked(several ? count : 0);
  for (size_t i = 0; i < count; ++i)
    report.launches.push_back(
        check_launch(*given, given->launches[i], several ? &checked[i] : nullptr));
  if (several) check_together(*given, checked, report);
  // Nothing is right while the text itself is not.
  const bool unreadable = !given->read_findings.empty() && !mend_text(request, *given, report);
  for (LaunchReport& launch : report.launches) {
    for (Diagnostic& d : launch.diagnostics)
      for (VerifiedFix& fix : d.fixes) fix.accepted = fix.accepted && !unreadable;
    if (unreadable)
      launch.fixed_edits.clear();  // a quote that is not closed may swallow half a text
  }
  suppress(report, given->text, given->ignore);
  report.secrets = secrets_of(given->text, given->launches);
  report.secret_spans = secret_spans(given->text, given->launches, report.secrets);
  if (!report.secrets.empty()) hide_secrets(report);
  return report;
}

}  // namespace

Report check(const Request& request) { return check_value(request_value(request)); }

std::string check_json(std::string_view request_json) {
  Report broken;
  const std::optional<Value> request = parse_request(request_json, &broken.error);
  return to_json(request ? check_value(*request) : broken);
}

}  // namespace sglint
