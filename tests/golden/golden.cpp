// Compares the checker with the recordings of what SGLang did.
//
// golden --cases DIR [--floor FILE] [--set S] [--release R] [--domain D] [--function F] [--id ID]
//        [--first N] [--by-domain] [--by-function]
//
// Prints agreement per set and release (outcome: same outcome, exception type and message;
// resolved: of the cases where both say ok, every field; logs: every line in order), then the first
// N disagreements in full. --function selects by the SGLang function that rejected. With --floor
// the exit code is 1 if a figure is under its recorded floor.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cases.h"
#include "sglint/sglint.h"

using namespace sglint;

namespace {

struct Tally {
  int cases = 0, outcome = 0, ok = 0, resolved = 0, logs = 0;
};

struct Options {
  std::string cases, floor, set, release, domain, function, id;
  int first = 5;
  bool by_domain = false, by_function = false;
};

std::string sorted_letters(std::string_view s) {
  std::string out(s);
  std::sort(out.begin(), out.end());
  return out;
}

// A message that lists a set may print it in any order.
bool same_message(const Value& expected, const Value& got, bool unordered) {
  if (expected == got) return true;
  return unordered && sorted_letters(expected.as_str()) == sorted_letters(got.as_str());
}

bool same_outcome(const Value& c, const Value& got) {
  const Value& expect = c["expect"];
  if (expect["outcome"] != got["outcome"]) return false;
  const bool unordered = c["unordered_message"].truthy();
  if (expect["outcome"].as_str() == "usage_error")
    return same_message(expect["usage_message"], got["usage_message"], unordered);
  if (expect["outcome"].as_str() != "error") return true;
  return expect["error"]["type"] == got["error"]["type"] &&
         same_message(expect["error"]["message"], got["error"]["message"], unordered);
}

std::vector<std::string> differing_fields(const Value& expected, const Value& got) {
  std::vector<std::string> names;
  for (const Value::Item& e : expected.as_dict())
    if (e.first != "random_seed" && !(got.has(e.first) && got[e.first] == e.second))
      names.push_back(e.first);
  for (const Value::Item& g : got.as_dict())
    if (g.first != "random_seed" && !expected.has(g.first)) names.push_back(g.first);
  return names;
}

void print_case(const Value& c, const Value& got) {
  printf("\n%s  [%s %s %s] machine %s model %s\n  argv:", std::string(c["id"].as_str()).c_str(),
         std::string(c["set"].as_str()).c_str(), std::string(c["release"].as_str()).c_str(),
         std::string(c["domain"].as_str()).c_str(), str(c["machine"]).c_str(),
         str(c["model"]).c_str());
  for (const Value& a : c["argv"].as_list()) printf(" %s", str(a).c_str());
  printf("\n  env: %s files: %s extra_models: %s\n", to_json(c["env"]).c_str(),
         to_json(c["files"]).substr(0, 300).c_str(),
         to_json(c["extra_models"]).substr(0, 200).c_str());
  const Value& e = c["expect"];
  if (!same_outcome(c, got)) {
    printf("  SGLang: %s %s %s %s\n", str(e["outcome"]).c_str(), str(e["error"]["type"]).c_str(),
           str(e["error"]["message"]).c_str(), str(e["usage_message"]).c_str());
    if (e.has("site")) printf("  site:   %s\n", to_json(e["site"]).c_str());
    printf("  sglint: %s %s %s %s\n", str(got["outcome"]).c_str(),
           str(got["error"]["type"]).c_str(), str(got["error"]["message"]).c_str(),
           str(got["usage_message"]).c_str());
  } else {
    for (const std::string& name : differing_fields(e["resolved"], got["resolved"]))
      printf("  %s: SGLang %s, sglint %s\n", name.c_str(), to_json(e["resolved"][name]).c_str(),
             got["resolved"].has(name) ? to_json(got["resolved"][name]).c_str() : "(default)");
  }
  const Value::List& want = e["logs"].as_list();
  const Value::List& have = got["logs"].as_list();
  for (size_t i = 0; i < std::max(want.size(), have.size()); ++i) {
    if (i < want.size() && i < have.size() && want[i] == have[i]) continue;
    printf("  log %zu: SGLang %s\n         sglint %s\n", i,
           i < want.size() ? to_json(want[i]).c_str() : "-",
           i < have.size() ? to_json(have[i]).c_str() : "-");
    break;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const auto text = [&](const char* name, std::string& slot) {
      if (strcmp(argv[i], name) != 0 || i + 1 >= argc) return false;
      slot = argv[++i];
      return true;
    };
    std::string number;
    if (text("--cases", o.cases) || text("--floor", o.floor) || text("--set", o.set) ||
        text("--release", o.release) || text("--domain", o.domain) ||
        text("--function", o.function) || text("--id", o.id))
      continue;
    if (text("--first", number)) {
      o.first = atoi(number.c_str());
    } else if (!strcmp(argv[i], "--by-domain")) {
      o.by_domain = true;
    } else if (!strcmp(argv[i], "--by-function")) {
      o.by_function = true;
    } else {
      fprintf(stderr, "golden: unknown option %s\n", argv[i]);
      return 2;
    }
  }
  const std::vector<std::string> files = case_files(o.cases);
  if (files.empty()) {
    fprintf(stderr, "golden: no .ndjson files in %s\n", o.cases.c_str());
    return 2;
  }

  std::map<std::string, Tally> table;
  int shown = 0, total = 0;
  for (const std::string& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      const Value c = parse_json(line).value_or(Value());
      if (!selected(o.set, c["set"].as_str()) || !selected(o.release, c["release"].as_str()) ||
          !selected(o.domain, c["domain"].as_str()) || !selected(o.id, c["id"].as_str()) ||
          !selected(o.function, c["expect"]["site"]["function"].as_str()))
        continue;
      // Fixes are measured by another program.
      const Value got =
          parse_json(check_batch_line("{\"fix\":false," + line.substr(1))).value_or(Value());
      ++total;
      const bool outcome = same_outcome(c, got);
      const bool ok = outcome && c["expect"]["outcome"].as_str() == "ok";
      const bool resolved =
          ok && differing_fields(c["expect"]["resolved"], got["resolved"]).empty();
      const bool logs = c["expect"]["logs"] == got["logs"];
      std::string group = str(c["set"]) + " " + str(c["release"]);
      if (o.by_domain) group += " " + str(c["domain"]);
      if (o.by_function)
        group += " " + std::string(c["expect"]["site"]["function"].as_str("(accepted)"));
      for (Tally* t : {&table[group], &table["total"]}) {
        ++t->cases;
        t->outcome += outcome;
        t->ok += ok;
        t->resolved += resolved;
        t->logs += logs;
      }
      if ((!outcome || (ok && !resolved) || !logs) && shown < o.first) {
        print_case(c, got);
        ++shown;
      }
    }
  }

  printf("\n%-60s %6s %9s %9s %9s\n", "set release", "cases", "outcome%", "resolved%", "logs%");
  for (const auto& [group, t] : table)
    if (group != "total")
      printf("%-60s %6d %9.2f %9.2f %9.2f\n", group.c_str(), t.cases, percent(t.outcome, t.cases),
             percent(t.resolved, t.ok), percent(t.logs, t.cases));
  const Tally& t = table["total"];
  printf("%-60s %6d %9.2f %9.2f %9.2f\n", "total", t.cases, percent(t.outcome, t.cases),
         percent(t.resolved, t.ok), percent(t.logs, t.cases));
  if (total == 0) {
    fprintf(stderr, "golden: no case was selected\n");
    return 2;
  }

  if (o.floor.empty()) return 0;
  const Value floors = read_floors(o.floor);
  if (floors.as_dict().empty()) {
    fprintf(stderr, "golden: cannot read the floor in %s\n", o.floor.c_str());
    return 2;
  }
  int failures = 0;
  for (const Value::Item& row : floors.as_dict()) {
    const Tally& have = table[row.first];
    const struct {
      const char* what;
      double value;
    } figures[] = {{"outcome", percent(have.outcome, have.cases)},
                   {"resolved", percent(have.resolved, have.ok)},
                   {"logs", percent(have.logs, have.cases)}};
    for (const auto& figure : figures) {
      const double floor = row.second[figure.what].as_real();
      if (have.cases > 0 && figure.value + 1e-9 >= floor) continue;
      printf("under the floor: %s %s %.2f < %.2f\n", row.first.c_str(), figure.what, figure.value,
             floor);
      ++failures;
    }
  }
  printf("%zu passed, %d failed\n", floors.as_dict().size() * 3 - static_cast<size_t>(failures),
         failures);
  return failures ? 1 : 0;
}
