#include "repair/repair.h"

#include <algorithm>
#include <optional>

#include "base/sort.h"
#include "base/text.h"
#include "facts/machine.h"
#include "repair/candidates.h"
#include "repair/edits.h"

namespace sglint {
namespace {

bool same_launch(const Attempt& a, const Attempt& b) {
  return std::equal(a.argv.begin(), a.argv.end(), b.argv.begin(), b.argv.end(),
                    [](const Token& x, const Token& y) { return x.text == y.text; }) &&
         a.env.all() == b.env.all();
}

// A run of the launch after some edits. Copying the facts is dear, so it is left out where only
// argv changes.
struct Trial {
  std::unique_ptr<Facts> facts;
  std::unique_ptr<Run> run;
  Trial(const Facts& given, const Attempt& attempt) {
    if (attempt.env.all() != given.env.all()) {
      facts = std::make_unique<Facts>(given);
      facts->env = attempt.env;
    }
    run = run_launch(facts ? *facts : given, attempt.argv);
  }
};

// "tp_size becomes 1": what taking flags out comes to.
std::string price_of(const Candidate& c, const Run& after) {
  if (!c.price.empty()) return c.price;
  std::string price;
  for (Field field : c.removed) {
    const Value& usual = field_defaults(after.arguments.release)[static_cast<size_t>(field)];
    const Value& value = after.resolution ? after.resolution->value(field) : usual;
    const std::string name(field_name(field));
    if (!price.empty()) price += "; ";
    if (guards_the_server(field)) {
      price += field == Field::ssl_keyfile || field == Field::ssl_certfile
                   ? "the server speaks plain HTTP"
                   : "opens the server: whoever reaches it may use it";
      continue;
    }
    if (field == Field::config) {
      price += "the settings in the file are not applied";
      continue;
    }
    price += value.is_none()   ? fill("{} is left unset", {name})
             : value.is_bool() ? fill("{} is {}", {name, value.as_bool() ? "on" : "off"})
             : value == usual  ? fill("{} is {}, the default", {name, str(value)})
                               : fill("SGLang chooses {} for {}", {str(value), name});
  }
  return price;
}

// Whether what stops the launch now is about something that the edits set: then they have only
// moved the problem.
bool about(const Run& run, const std::vector<Field>& fields) {
  const Finding* finding = blocker(run);
  if (!finding) return false;
  return std::any_of(fields.begin(), fields.end(), [&](Field f) {
    return std::find(finding->fields.begin(), finding->fields.end(), f) != finding->fields.end();
  });
}

class Repairer {
 public:
  Repairer(const Facts& facts, Repaired& out) : facts_(facts), out_(out) {}

  // Goes on from `now`, whose run is `run`; true if it ends in a launch without problems.
  bool solve(const Run& run, const Attempt& now) {
    const std::string stop = stop_of(run);
    if (stop.empty()) {
      out_.fixed = now;
      return true;
    }
    if (run.accepted() && !arguments_pass_) arguments_pass_ = now;
    if (out_.problems.size() >= kMaxProblems) return false;
    seen_.push_back(stop);
    const size_t at = out_.problems.size();
    out_.problems.push_back(describe(run, now));
    std::vector<CheckedFix> fixes = verify(candidates(facts_, run, now), now);
    bool solved = follow(fixes, at);
    if (!solved && tries_ < kMaxTries) {
      std::vector<Problem> behind = take_behind(at);
      std::vector<CheckedFix> more = verify(any_flag(run, now), now);
      solved = follow(more, at);
      if (!solved && !behind.empty()) {
        take_behind(at);
        for (Problem& p : behind) out_.problems.push_back(std::move(p));
      }
      if (solved || fixes.empty()) fixes = std::move(more);
    }
    out_.problems[at].fixes = std::move(fixes);
    seen_.pop_back();
    return solved;
  }

  // The first launch on the way whose arguments SGLang accepts, though it fails while it loads.
  const std::optional<Attempt>& arguments_pass() const { return arguments_pass_; }

 private:
  // What was found behind problem `at`, which is the last one afterwards.
  std::vector<Problem> take_behind(size_t at) {
    const auto begin = out_.problems.begin() + static_cast<long>(at) + 1;
    std::vector<Problem> out(std::make_move_iterator(begin),
                             std::make_move_iterator(out_.problems.end()));
    out_.problems.resize(at + 1);
    return out;
  }

  // The first fix that leads to an accepted launch goes to the front. Where none does, the problems
  // behind the first are kept for the report.
  bool follow(std::vector<CheckedFix>& fixes, size_t at) {
    std::vector<Problem> behind;
    for (size_t i = 0; i < fixes.size(); ++i) {
      const Trial trial(facts_, fixes[i].after);
      ++tries_;
      if (solve(*trial.run, fixes[i].after)) {
        std::rotate(fixes.begin(), fixes.begin() + static_cast<long>(i),
                    fixes.begin() + static_cast<long>(i) + 1);
        return true;
      }
      std::vector<Problem> here = take_behind(at);
      if (i == 0) behind = std::move(here);
      if (tries_ >= kMaxTries) break;
    }
    for (Problem& p : behind) out_.problems.push_back(std::move(p));
    return false;
  }

  std::vector<CheckedFix> verify(std::vector<Candidate> proposals, const Attempt& now) {
    std::vector<CheckedFix> good, moved;
    for (Candidate& c : proposals) {
      if (good.size() >= kMaxFixes || tries_ >= kMaxTries) break;
      const auto same = [&](const CheckedFix& f) { return same_launch(f.after, c.after); };
      if (same_launch(c.after, now) || std::any_of(good.begin(), good.end(), same) ||
          std::any_of(moved.begin(), moved.end(), same))
        continue;
      const Trial trial(facts_, c.after);
      ++tries_;
      const std::string stop = stop_of(*trial.run);
      if (std::find(seen_.begin(), seen_.end(), stop) != seen_.end()) continue;
      const bool exposes = std::any_of(c.removed.begin(), c.removed.end(), guards_the_server);
      CheckedFix fix{std::move(c.title),
                     price_of(c, *trial.run),
                     std::move(c.after),
                     stop.empty(),
                     stop,
                     exposes};
      (about(*trial.run, c.fields) ? moved : good).push_back(std::move(fix));
    }
    for (CheckedFix& fix : moved)
      if (good.size() < kMaxFixes) good.push_back(std::move(fix));
    stable_sort(good,
                [](const CheckedFix& a, const CheckedFix& b) { return a.exposes < b.exposes; });
    return good;
  }

  static Problem describe(const Run& run, const Attempt& now) {
    Problem problem;
    problem.found_in = now;
    problem.stop = stop_of(run);
    if (run.arguments.error) {
      const ArgumentError& e = *run.arguments.error;
      problem.message = e.message;
      problem.rule = e.rule;
      problem.exception = e.exception;
      if (e.token >= 0) problem.tokens.push_back(e.token);
      return problem;
    }
    const Finding& finding = *blocker(run);
    problem.message = finding.message;
    problem.rule = finding.rule;
    problem.exception = std::string(finding.rule->exception);
    problem.fields = finding.fields;
    problem.at_load = run.accepted();
    for (Field field : finding.fields)
      for (int i : typed_tokens(run.arguments, field)) problem.tokens.push_back(i);
    return problem;
  }

  const Facts& facts_;
  Repaired& out_;
  std::optional<Attempt> arguments_pass_;
  std::vector<std::string> seen_;  // what stops the launches on the way here
  int tries_ = 0;
};

// Whether it is the machine: those of the catalogue on which the launch has no problem.
std::vector<std::string> accepted_elsewhere(const Facts& facts, const std::vector<Token>& argv) {
  std::vector<std::string> out;
  Facts there = facts;
  for (std::string_view name : machine_names()) {
    std::optional<Machine> machine = find_machine(name);
    if (!machine) continue;
    there.machine = std::move(*machine);
    if (stop_of(*run_launch(there, argv)).empty()) out.emplace_back(name);
  }
  return out;
}

}  // namespace

Repaired repair(const Facts& facts, const std::vector<Token>& argv) {
  Repaired out;
  out.first = run_launch(facts, argv);
  out.fixed = {argv, facts.env};
  if (stop_of(*out.first).empty()) return out;
  Repairer repairer(facts, out);
  const bool solved = repairer.solve(*out.first, out.fixed);
  // A way out that only leads to a problem of its own is none.
  for (Problem& p : out.problems) {
    const auto new_problem = [&](const CheckedFix& fix) {
      return !fix.accepted &&
             std::none_of(out.problems.begin(), out.problems.end(),
                          [&](const Problem& known) { return known.stop == fix.stop; });
    };
    p.fixes.erase(std::remove_if(p.fixes.begin(), p.fixes.end(), new_problem), p.fixes.end());
  }
  for (const Problem& p : out.problems)
    out.exposes = out.exposes || (!p.fixes.empty() && p.fixes.front().exposes);
  // Half a way is worth having: what is left is a failure of the load, which the report shows.
  const bool half = !solved && repairer.arguments_pass() && !out.first->accepted();
  if (half) out.fixed = *repairer.arguments_pass();
  if (solved || half) {
    out.fixed_facts = std::make_unique<Facts>(facts);
    out.fixed_facts->env = out.fixed.env;
    out.fixed_run = run_launch(*out.fixed_facts, out.fixed.argv);
  }
  if (!solved) out.elsewhere = accepted_elsewhere(half ? *out.fixed_facts : facts, out.fixed.argv);
  return out;
}

std::vector<CheckedFix> check_fixes(const Facts& facts, const Run& run, const Attempt& now,
                                    const Finding& finding) {
  std::vector<CheckedFix> out;
  const std::string stop = stop_of(run);
  for (const Fix& fix : finding.fixes) {
    Candidate c = candidate(run, now, fix);
    if (same_launch(c.after, now) || out.size() >= kMaxFixes) continue;
    const Trial trial(facts, c.after);
    if (stop_of(*trial.run) != stop || !trial.run->resolution) continue;
    const auto& notes = trial.run->resolution->notes();
    const bool still = std::any_of(notes.begin(), notes.end(), [&](const Finding& n) {
      return n.rule == finding.rule && n.message == finding.message;
    });
    if (!still)
      out.push_back({std::move(c.title), price_of(c, *trial.run), std::move(c.after), stop.empty(),
                     stop, false});
  }
  return out;
}

}  // namespace sglint
