#pragma once
// What could be changed to be rid of a problem, not yet checked.

#include <string>
#include <vector>

#include "repair/repair.h"

namespace sglint {

struct Candidate {
  std::string title;
  std::string price;  // "" for a removal: then what runs instead is said
  Attempt after;
  std::vector<Field> fields;   // that it changes
  std::vector<Field> removed;  // of these, the ones taken out
};

// Without it anyone may use the server, or read along: taking it out is the last thing to propose,
// and nothing to do unasked.
bool guards_the_server(Field field);

// The rejection, or what fails at load; null if there is neither.
const Finding* blocker(const Run& run);

// What stops a launch, in words; "" if nothing does.
std::string stop_of(const Run& run);

// A fix of a rule; nothing changes in it what is not there.
Candidate candidate(const Run& run, const Attempt& now, const Fix& fix);

// What the rule or the parser proposes, in its order but for this: what leaves the typed flags
// alone comes before what changes them. Then taking out flags that the problem is about.
std::vector<Candidate> candidates(const Facts& facts, const Run& run, const Attempt& now);

// Last resort: taking out any one flag that was typed.
std::vector<Candidate> any_flag(const Run& run, const Attempt& now);

}  // namespace sglint
