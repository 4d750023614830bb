#pragma once
// argv -> typed field values, as SGLang's argparse does it.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arguments/edit.h"
#include "arguments/table.h"
#include "base/log.h"
#include "base/rule.h"
#include "read/launch.h"

namespace sglint {

// Where a field's value came from.
struct Origin {
  enum class Kind : uint8_t { parser_default, typed, config_file };
  Kind kind = Kind::parser_default;
  int first_token = -1;   // the flag in argv; for config_file in the merged argv (then no span)
  int last_token = -1;    // its last value
  std::string_view flag;  // the option string as the table has it (aliases kept)
  bool unknown = false;   // a placeholder or an unresolved variable stands in its words
};

// What the parser itself says: argparse's last line, or an exception of --config handling.
struct ArgumentError {
  const Rule* rule = nullptr;
  std::string exception;  // "" for a usage error
  // argparse's last line behind "sglang serve: error: ", or the exception's text.
  std::string message;
  int token = -1;          // the offending token, -1 if none
  std::vector<int> stray;  // with it, many words that no flag takes: they can only go together
  std::vector<Fix> fixes;
  // Replace argv[first] by second (typos, renames).
  std::vector<std::pair<int, std::string>> token_fixes;
};

struct ArgumentFinding {
  const Rule* rule = nullptr;
  std::string message;
  int token = -1;
  std::vector<Fix> fixes;
};

struct Arguments {
  Release release = kReferenceRelease;
  std::vector<Value> values;    // by Field
  std::vector<Origin> origins;  // by Field
  std::optional<ArgumentError> error;
  std::vector<ArgumentFinding> findings;
  std::vector<Log> logs;       // deprecation warnings, in order
  bool unread_config = false;  // --config names a file that is unknown or not given
};

// The tokens of argv that set the field last, flag and values; none where it was not typed.
std::vector<int> typed_tokens(const Arguments& arguments, Field field);

using Files = std::map<std::string, std::string, std::less<>>;  // name -> content, for --config

Arguments parse_arguments(Release release, const std::vector<Token>& argv, const Files& files);

}  // namespace sglint
