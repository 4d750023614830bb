#pragma once
// What the argument parser and the reading of --config refuse. Messages are argparse's and
// SGLang's.

#include "base/rule.h"

namespace sglint {

extern const Rule kUnknownFlag;
extern const Rule kFlagOfOtherRelease;
extern const Rule kFlagOfOtherServer;
extern const Rule kStrayValue;
extern const Rule kAmbiguousFlag;
extern const Rule kMissingValue;
extern const Rule kValueNotExpected;
extern const Rule kInvalidInt;
extern const Rule kInvalidFloat;
extern const Rule kInvalidSize;
extern const Rule kInvalidJson;
extern const Rule kInvalidChoice;
extern const Rule kRequired;
extern const Rule kRemovedFlag;
extern const Rule kHelp;
extern const Rule kLoraPathNotJson;
extern const Rule kLoraPathIncomplete;
extern const Rule kUnknownLogLevel;
extern const Rule kLogLevelIsFormat;

extern const Rule kSeveralConfigFiles;
extern const Rule kNoConfigFile;
extern const Rule kConfigNotYaml;
extern const Rule kConfigNotFound;
extern const Rule kConfigBroken;
extern const Rule kConfigNotAMap;
extern const Rule kConfigUnsupportedOption;
extern const Rule kConfigKeyNotText;
extern const Rule kConfigNotJson;

// Traps that SGLang accepts in silence.
extern const Rule kConfigIgnored;
extern const Rule kRepeatedFlag;
extern const Rule kDeprecatedFlag;

RuleList arguments_rules();

}  // namespace sglint
