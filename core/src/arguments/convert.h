#pragma once
// argparse's type= functions: the text of one value -> what the field holds.

#include <string>
#include <string_view>

#include "arguments/table.h"
#include "base/rule.h"

namespace sglint {

struct ConversionError {
  const Rule* rule = nullptr;
  std::string message;  // without argparse's "argument --x: "
};

// ArgumentParser._get_value
bool convert_value(const Option& option, Release release, std::string_view text, Value* value,
                   ConversionError* error);

// ArgumentParser._check_value
bool check_choice(const Option& option, const Value& value, ConversionError* error);

}  // namespace sglint
