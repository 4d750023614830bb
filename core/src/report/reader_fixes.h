#pragma once
// What the reader mends in the text (typographic dashes and quotes, odd spaces), and the fixes of
// the launches on top of that.

#include <string>
#include <string_view>
#include <vector>

#include "report/launch_facts.h"

namespace sglint {

// The text after edits, which are in order; one that overlaps those before it is left out.
std::string edited(const std::vector<SourceEdit>& edits, std::string_view text);

// One list of edits that does what `first` and then `then`, whose spans are of the text in between,
// do. Empty if an edit of the one is cut by two of the other.
std::vector<SourceEdit> compose(const std::vector<SourceEdit>& first,
                                const std::vector<SourceEdit>& then);

// Reads the text again as the reader's edits leave it, and checks the launches that this changes:
// their combined fix holds the reader's edits, and a finding that goes away through them has them
// as its fix. False if the text has errors then, too.
[[gnu::cold]] bool mend_text(const Value& request, const LaunchFacts& given, Report& report);

}  // namespace sglint
