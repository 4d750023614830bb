#pragma once
// The findings of the readers.

#include "base/rule.h"

namespace sglint {

extern const Rule kTextTooLong;
extern const Rule kTooManyLaunches;
extern const Rule kTooManyWords;
extern const Rule kNotUtf8;
extern const Rule kNulByte;
extern const Rule kUtf16;
extern const Rule kNotText;
extern const Rule kUnclosedQuote;
extern const Rule kBrokenYaml;
extern const Rule kUnclosedTemplate;
extern const Rule kSmartQuotes;
extern const Rule kTypographicDash;
extern const Rule kOddSpace;
extern const Rule kRouterLeftOut;
extern const Rule kDiffusionLeftOut;
extern const Rule kSpaceAfterBackslash;
extern const Rule kCommentEndsCommand;
extern const Rule kMissingContinuation;
extern const Rule kGluedContinuation;
extern const Rule kDanglingBackslash;
extern const Rule kSeveralWordsInOneItem;
extern const Rule kLostQuotes;
extern const Rule kUnderscoreKey;
extern const Rule kImageWithoutProgram;
extern const Rule kUnknownRelease;

RuleList read_rules();

}  // namespace sglint
