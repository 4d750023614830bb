#pragma once
// Every problem of a launch, each with fixes that were checked.

#include <memory>
#include <string>
#include <vector>

#include "repair/run.h"

namespace sglint {

// A launch as it would be after some edits.
struct Attempt {
  std::vector<Token> argv;
  Environment env;
};

struct CheckedFix {
  std::string title;
  std::string price;
  Attempt after;
  bool accepted = false;  // the whole launch is accepted; otherwise only this problem goes away
  std::string stop;       // what is in the way then, "" if accepted
  bool exposes = false;   // it takes the API key or TLS away: not to be done unasked
};

// What stops the launch. A rejection, or what fails once the weights are loaded.
struct Problem {
  const Rule* rule = nullptr;  // null only where a parser error has no record
  std::string message;
  std::string exception;    // "" for a usage error
  std::vector<int> tokens;  // of the attempt it was found in
  std::vector<Field> fields;
  Attempt found_in;
  std::vector<CheckedFix> fixes;  // the preferred one first, at most kMaxFixes
  bool at_load = false;           // SGLang's argument resolution accepts the launch
  std::string stop;
};

inline constexpr size_t kMaxFixes = 3;
inline constexpr size_t kMaxProblems = 16;
inline constexpr int kMaxTries = 96;  // runs spent on one launch

struct Repaired {
  std::unique_ptr<Run> first;          // the launch as it was given
  std::vector<Problem> problems;       // in the order in which SGLang would show them
  Attempt fixed;                       // all preferred fixes applied
  std::unique_ptr<Facts> fixed_facts;  // what `fixed_run` refers to
  std::unique_ptr<Run> fixed_run;      // null if nothing had to be or could be fixed
  bool exposes = false;                // one of these takes the API key or TLS away
  std::vector<std::string> elsewhere;  // if nothing helps: machines of the catalogue that accept it
};

// `facts` must outlive the result.
Repaired repair(const Facts& facts, const std::vector<Token>& argv);

// The edits of a finding that stops nothing, checked: after them it is gone and the launch is no
// worse.
std::vector<CheckedFix> check_fixes(const Facts& facts, const Run& run, const Attempt& now,
                                    const Finding& finding);

// The same for what the parser has to say of a flag: a repeated one goes, an old name is replaced
// by the new one. Nothing that SGLang ends with may change. `facts` are those of `now`.
std::vector<CheckedFix> check_flag_fix(const Facts& facts, const Run& run, const Attempt& now,
                                       const ArgumentFinding& finding);

}  // namespace sglint
