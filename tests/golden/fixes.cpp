// Measures the fixes on the recordings of what SGLang rejected.
//
// fixes --cases DIR [--floor FILE] [--set S] [--release R] [--rule R] [--id ID] [--first N]
//       [--write FILE]
//
// Every case with outcome `error` or `usage_error` is checked. Prints per set and release how many
// get a combined fix that is accepted when it is checked anew (fixed), and how many of these keep
// every flag that no title of the fix names (kept); then the ids without a fix by the rule that is
// in the way. --first N prints N fixes in full, --write the fixed commands as cases, for SGLang to
// judge. With --floor the exit code is 1 if a figure is under its recorded floor.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "arguments/option_index.h"
#include "base/json.h"
#include "base/text.h"
#include "cases.h"
#include "repair/repair.h"
#include "report/launch_facts.h"

using namespace sglint;

namespace {

struct Tally {
  int cases = 0, fixed = 0, kept = 0;
};

struct Options {
  std::string cases, floor, set, release, rule, id, write;
  int first = 0;
};

using Argv = std::vector<std::string>;

Argv words(const std::vector<Token>& argv) {
  Argv out;
  for (const Token& t : argv) out.push_back(t.text);
  return out;
}

// Which words of `before` are not in `after`: what the longest common subsequence leaves out.
std::vector<bool> lost(const Argv& before, const Argv& after) {
  const size_t n = before.size(), m = after.size();
  std::vector<std::vector<size_t>> best(n + 1, std::vector<size_t>(m + 1));
  for (size_t i = n; i-- > 0;)
    for (size_t j = m; j-- > 0;)
      best[i][j] =
          before[i] == after[j] ? best[i + 1][j + 1] + 1 : std::max(best[i + 1][j], best[i][j + 1]);
  std::vector<bool> out(n, false);
  for (size_t i = 0, j = 0; i < n;) {
    if (j < m && before[i] == after[j]) {
      ++i, ++j;
    } else if (j < m && best[i][j + 1] >= best[i + 1][j]) {
      ++j;
    } else {
      out[i++] = true;
    }
  }
  return out;
}

// Every flag that is gone or has another value is named in a title.
bool keeps_the_rest(const Argv& before, const Argv& after, const std::string& titles) {
  const std::vector<bool> gone = lost(before, after);
  std::string flag;
  for (size_t i = 0; i < before.size(); ++i) {
    const bool is_flag =
        before[i].size() > 1 && before[i][0] == '-' && !strchr("0123456789.", before[i][1]);
    if (is_flag) flag = before[i].substr(0, before[i].find('='));
    if (gone[i] && !contains(titles, before[i]) && (flag.empty() || !contains(titles, flag)))
      return false;
  }
  return true;
}

std::string joined(const Argv& list) {
  std::string out;
  for (const std::string& w : list) out += " " + w;
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    std::string first;
    const struct {
      const char* name;
      std::string* slot;
    } known[] = {{"--cases", &o.cases},     {"--floor", &o.floor}, {"--set", &o.set},
                 {"--release", &o.release}, {"--rule", &o.rule},   {"--id", &o.id},
                 {"--write", &o.write},     {"--first", &first}};
    bool found = false;
    for (const auto& k : known) {
      if (found || strcmp(argv[i], k.name) != 0 || i + 1 >= argc) continue;
      *k.slot = argv[++i];
      found = true;
    }
    if (!found) {
      fprintf(stderr, "fixes: unknown option %s\n", argv[i]);
      return 2;
    }
    if (!first.empty()) o.first = atoi(first.c_str());
  }
  const std::vector<std::string> files = case_files(o.cases);
  if (files.empty()) {
    fprintf(stderr, "fixes: no .ndjson files in %s\n", o.cases.c_str());
    return 2;
  }

  std::ofstream written;
  if (!o.write.empty()) written.open(o.write);
  std::map<std::string, Tally> table;
  std::map<std::string, Argv> without, changed;
  int shown = 0;
  for (const std::string& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      const Value c = parse_json(line).value_or(Value());
      if (c["expect"]["outcome"].as_str() == "ok" || !selected(o.set, c["set"].as_str()) ||
          !selected(o.release, c["release"].as_str()) || !selected(o.id, c["id"].as_str()))
        continue;
      std::string why;
      const std::optional<LaunchFacts> given = launch_facts(c, &why);
      if (!given || given->launches.empty()) {
        fprintf(stderr, "fixes: %s: %s\n", str(c["id"]).c_str(), why.c_str());
        return 2;
      }
      const Launch& launch = given->launches.front();
      const Facts facts = facts_of(*given, launch);
      const Repaired repaired = repair(facts, launch.argv);
      const std::string first_rule = repaired.problems.empty() || !repaired.problems[0].rule
                                         ? "(none)"
                                         : std::string(repaired.problems[0].rule->id);
      if (!selected(o.rule, first_rule)) continue;
      const Argv before = words(launch.argv), after = words(repaired.fixed.argv);
      std::string titles;
      for (const Problem& p : repaired.problems)
        if (!p.fixes.empty()) titles += (titles.empty() ? "" : "; ") + p.fixes[0].title;
      bool fixed = false;
      if (repaired.fixed_run) {
        Facts again = facts;
        again.env = repaired.fixed.env;
        fixed = run_launch(again, repaired.fixed.argv)->accepted();
      }
      const bool kept = fixed && keeps_the_rest(before, after, titles);
      for (Tally* t : {&table[str(c["set"]) + " " + str(c["release"])], &table["total"]}) {
        ++t->cases;
        t->fixed += fixed;
        t->kept += kept;
      }
      if (!fixed) {
        std::string in_the_way = "(accepted)";
        for (const Problem& p : repaired.problems)
          if (p.rule && (p.fixes.empty() || in_the_way == "(accepted)"))
            in_the_way = std::string(p.rule->id);
        without[in_the_way].push_back(str(c["id"]));
      } else if (!kept) {
        changed[first_rule].push_back(str(c["id"]));
      }
      if (shown < o.first) {
        ++shown;
        printf("\n%s  [%s] machine %s model %s\n  before:%s\n", str(c["id"]).c_str(),
               str(c["release"]).c_str(), str(c["machine"]).c_str(), str(c["model"]).c_str(),
               joined(before).c_str());
        for (const Problem& p : repaired.problems) {
          printf("  %s: %s\n", p.rule ? std::string(p.rule->id).c_str() : "?",
                 p.message.substr(0, 300).c_str());
          for (const CheckedFix& f : p.fixes)
            printf("    %s %s%s%s\n", f.accepted ? "*" : "-", f.title.c_str(),
                   f.price.empty() ? "" : " -- ", f.price.c_str());
        }
        printf("  after: %s\n", fixed ? joined(after).c_str() : " none");
      }
      if (fixed && written.is_open()) {
        Value::Dict d;
        for (const Value::Item& item : c.as_dict())
          if (item.first != "argv" && item.first != "env" && item.first != "expect")
            d.push_back(item);
        Value::List list;
        for (const std::string& w : after) list.emplace_back(w);
        Value::Dict env;
        for (const auto& [key, value] : repaired.fixed.env.all()) env.emplace_back(key, value);
        d.emplace_back("argv", std::move(list));
        d.emplace_back("env", Value::dict(std::move(env)));
        d.emplace_back("rule", first_rule);
        d.emplace_back("titles", titles);
        written << to_json(Value::dict(std::move(d))) << "\n";
      }
    }
  }

  for (const auto& [rule, ids] : changed)
    printf("changes an unnamed flag, %s:%s\n", rule.c_str(), joined(ids).c_str());
  std::vector<std::pair<std::string, Argv>> groups(without.begin(), without.end());
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  printf("\nwithout a fix, by the rule in the way:\n");
  for (const auto& [rule, ids] : groups)
    printf("%5zu %s:%s\n", ids.size(), rule.c_str(), joined(ids).c_str());
  printf("\n%-30s %6s %8s %8s\n", "set release", "cases", "fixed%", "kept%");
  for (const auto& [group, t] : table)
    printf("%-30s %6d %8.2f %8.2f\n", group.c_str(), t.cases, percent(t.fixed, t.cases),
           percent(t.kept, t.fixed));

  if (o.floor.empty()) return 0;
  const Value floors = read_floors(o.floor);
  if (floors.as_dict().empty()) {
    fprintf(stderr, "fixes: cannot read the floor in %s\n", o.floor.c_str());
    return 2;
  }
  int failures = 0;
  for (const Value::Item& row : floors.as_dict()) {
    const Tally& t = table[row.first];
    const double fixed = percent(t.fixed, t.cases), kept = percent(t.kept, t.fixed);
    if (t.cases > 0 && fixed + 0.005 >= row.second["fixed"].as_real() &&
        kept + 0.005 >= row.second["kept"].as_real())
      continue;
    printf("under the floor: %s fixed %.2f kept %.2f\n", row.first.c_str(), fixed, kept);
    ++failures;
  }
  return failures ? 1 : 0;
}
