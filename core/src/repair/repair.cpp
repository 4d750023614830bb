#include "repair/repair.h"

#include <algorithm>

#include "repair/edits.h"

namespace sglint {
namespace {

struct Candidate {
  std::string title;
  std::string price;
  Attempt after;
};

std::string stop_of(const Run& run) {
  if (run.arguments.error) return run.arguments.error->message;
  if (run.resolution->stopped()) return run.resolution->rejection()->message;
  return {};
}

Facts with_env(const Facts& facts, const Environment& env) {
  Facts out = facts;
  out.env = env;
  return out;
}

Candidate candidate(const Run& run, const Attempt& now, const Fix& fix) {
  Candidate c{title_of(run.arguments.release, fix.edits), std::string(fix.price), now};
  c.after.argv = apply_to_argv(run.arguments, now.argv, fix.edits);
  apply_to_env(c.after.env, fix.edits);
  return c;
}

// What the rule proposes; then, for a rule that proposes nothing, taking out a flag that it is
// about.
std::vector<Candidate> candidates(const Run& run, const Attempt& now) {
  std::vector<Candidate> out;
  if (run.arguments.error) {
    const ArgumentError& e = *run.arguments.error;
    for (const auto& [index, text] : e.token_fixes) {
      Candidate c{fill("Replace {} by {}", {now.argv[static_cast<size_t>(index)].text, text}), "",
                  now};
      c.after.argv[static_cast<size_t>(index)].text = text;
      out.push_back(std::move(c));
    }
    for (const Fix& fix : e.fixes) out.push_back(candidate(run, now, fix));
    if (e.token >= 0) {  // the token alone, then with the values behind it
      Candidate c{fill("Remove {}", {now.argv[static_cast<size_t>(e.token)].text}), "", now};
      auto begin = c.after.argv.begin() + e.token;
      auto end = begin + 1;
      out.push_back({c.title, "", now});
      out.back().after.argv.erase(out.back().after.argv.begin() + e.token);
      while (end != c.after.argv.end() && !starts_with(end->text, "-")) ++end;
      if (end - begin > 1) {
        c.title += " and its value";
        c.after.argv.erase(begin, end);
        out.push_back(std::move(c));
      }
    }
    return out;
  }
  const Finding& finding = *run.resolution->rejection();
  for (const Fix& fix : finding.fixes) out.push_back(candidate(run, now, fix));
  for (Field field : finding.fields)
    if (run.resolution->typed(field))
      out.push_back(candidate(run, now, {{{Edit::Kind::unset_flag, field, {}, {}}}, ""}));
  return out;
}

// Last resort: any one flag the user typed.
std::vector<Candidate> any_flag(const Run& run, const Attempt& now) {
  std::vector<Candidate> out;
  if (!run.resolution) return out;
  for (int i = 0; i < kFieldCount; ++i) {
    const auto field = static_cast<Field>(i);
    if (field != Field::model_path &&
        run.arguments.origins[static_cast<size_t>(i)].kind == Origin::Kind::typed)
      out.push_back(candidate(run, now, {{{Edit::Kind::unset_flag, field, {}, {}}}, ""}));
  }
  return out;
}

bool same_argv(const std::vector<Token>& a, const std::vector<Token>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Token& x, const Token& y) { return x.text == y.text; });
}

void verify(const Facts& facts, std::vector<Candidate> proposals, const Attempt& now,
            const std::vector<std::string>& seen, std::vector<CheckedFix>& out) {
  for (Candidate& c : proposals) {
    if (out.size() >= kMaxFixes) break;
    if (same_argv(c.after.argv, now.argv) && c.after.env.all() == now.env.all()) continue;
    const bool known = std::any_of(out.begin(), out.end(), [&](const CheckedFix& f) {
      return same_argv(f.after.argv, c.after.argv) && f.after.env.all() == c.after.env.all();
    });
    if (known) continue;
    const Facts changed = with_env(facts, c.after.env);
    const std::unique_ptr<Run> run = run_launch(changed, c.after.argv);
    const bool accepted = run->accepted();
    if (!accepted && std::find(seen.begin(), seen.end(), stop_of(*run)) != seen.end()) continue;
    out.push_back({std::move(c.title), std::move(c.price), std::move(c.after), accepted});
  }
}

Problem describe(const Run& run, const Attempt& now) {
  Problem problem;
  problem.found_in = now;
  problem.message = stop_of(run);
  if (run.arguments.error) {
    problem.rule = run.arguments.error->rule;
    problem.exception = run.arguments.error->exception;
    if (run.arguments.error->token >= 0) problem.tokens.push_back(run.arguments.error->token);
    return problem;
  }
  const Finding& finding = *run.resolution->rejection();
  problem.rule = finding.rule;
  problem.exception = std::string(finding.rule->exception);
  problem.fields = finding.fields;
  for (Field field : finding.fields) {
    const Origin& origin = run.arguments.origins[static_cast<size_t>(field)];
    if (origin.kind == Origin::Kind::typed)
      for (int i = origin.first_token; i <= origin.last_token; ++i) problem.tokens.push_back(i);
  }
  return problem;
}

}  // namespace

Repaired repair(const Facts& facts, const std::vector<Token>& argv) {
  Repaired out;
  out.first = run_launch(facts, argv);
  out.fixed = {argv, facts.env};
  if (out.first->accepted()) return out;

  std::vector<std::string> seen;
  Attempt now{argv, facts.env};
  const Facts* now_facts = &facts;
  const Run* run = out.first.get();
  while (!run->accepted() && out.problems.size() < kMaxProblems) {
    seen.push_back(stop_of(*run));
    Problem problem = describe(*run, now);
    verify(*now_facts, candidates(*run, now), now, seen, problem.fixes);
    if (problem.fixes.empty()) verify(*now_facts, any_flag(*run, now), now, seen, problem.fixes);
    out.problems.push_back(std::move(problem));
    if (out.problems.back().fixes.empty()) {
      out.fixed_run.reset();
      return out;
    }
    now = out.problems.back().fixes.front().after;
    out.fixed_run.reset();  // refers to the facts that are replaced next
    out.fixed_facts = std::make_unique<Facts>(with_env(facts, now.env));
    out.fixed_run = run_launch(*out.fixed_facts, now.argv);
    now_facts = out.fixed_facts.get();
    run = out.fixed_run.get();
  }
  if (run->accepted()) {
    out.fixed = std::move(now);
  } else {
    out.fixed_run.reset();
  }
  return out;
}

}  // namespace sglint
