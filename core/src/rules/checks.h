#pragma once
// Families of assertions that SGLang makes one after another: one table, one loop.

#include <array>
#include <span>
#include <vector>

#include "resolve/resolution.h"

namespace sglint {

struct Check {
  const Rule* rule;
  bool (*broken)(const Resolution& r);
  std::vector<Fix> (*ways_out)(const Resolution& r);
  std::array<Value, 2> (*fills)(const Resolution& r) =
      nullptr;  // for the rule's message, if it has gaps
};

// Rejects the first check that is broken; false if there is one.
inline bool all_hold(Resolution& r, std::span<const Check> checks) {
  for (const Check& check : checks) {
    if (r.stopped()) return false;
    if (!check.rule->releases.contains(r.release()) || !check.broken(r)) continue;
    const std::array<Value, 2> fills = check.fills ? check.fills(r) : std::array<Value, 2>{};
    r.reject(*check.rule, {fills[0], fills[1]}, check.ways_out(r));
    return false;
  }
  return !r.stopped();
}

// The rules of a table, for the file's RuleList.
inline void append_rules(RuleList& list, std::span<const Check> checks) {
  for (const Check& check : checks) list.push_back(check.rule);
}

}  // namespace sglint
