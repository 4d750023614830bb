#pragma once
// YAML text -> nodes with byte spans, on libyaml, and nodes -> values as PyYAML's SafeLoader does
// it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/span.h"
#include "base/value.h"

namespace sglint {

struct YamlNode;
using YamlPtr = std::shared_ptr<const YamlNode>;  // an alias shares its anchor's node

// Zero-based, in characters, as PyYAML's Mark counts.
struct YamlMark {
  uint32_t line = 0;
  uint32_t column = 0;
};

struct YamlNode {
  enum class Kind : uint8_t { scalar, sequence, mapping };
  enum class Style : uint8_t { plain, single_quoted, double_quoted, literal, folded, block, flow };
  Kind kind = Kind::scalar;
  Style style = Style::plain;
  std::string text;  // of a scalar, unescaped and unfolded
  std::string tag;   // explicit: "!x", "tag:yaml.org,2002:str"; "" if there is none
  Span span;         // quotes and block indicators included, anchor and tag left out
  YamlMark mark;
  std::vector<YamlPtr> items;                      // of a sequence
  std::vector<std::pair<YamlPtr, YamlPtr>> pairs;  // of a mapping, in order, duplicates kept
  bool alias = false;                              // a scalar written *name; `span` is the alias
  bool anchored = false;                           // others may refer to it
  uint32_t weight = 1;  // nodes below it and itself, each alias counted as what it stands for
  uint32_t height = 0;  // of what is below it, likewise

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_mapping() const { return kind == Kind::mapping; }
  const YamlNode* find(
      std::string_view key) const;  // last value of a scalar key; nullptr if absent
};

struct YamlError {
  std::string exception;  // PyYAML's: ScannerError, ParserError, ComposerError, ConstructorError…
  std::string context;    // "while scanning a simple key", "" if there is none
  std::optional<YamlMark> context_mark;
  std::string problem;
  std::optional<YamlMark> problem_mark;
  Span span;                     // where the problem is, one byte or empty at the end
  uint32_t reader_position = 0;  // of a ReaderError: the character and where it is
  int reader_character = 0;

  // PyYAML's str(exception) for a file of that name; without a name, the problem on one line.
  std::string python_message(std::string_view file) const;
  std::string one_line() const;
};

struct YamlStream {
  std::vector<YamlPtr> documents;  // those before the error, if there is one
  std::vector<YamlMark> starts;    // of each document, its `---` if it has one
  YamlPtr partial;                 // the blocks of the document with the error, up to it
  std::optional<YamlError> error;
};

// Nesting deeper than 200 is an error.
YamlStream parse_yaml(std::string_view text);

// Aliases of aliases: what is higher has no value; what is heavier is too much to write out.
inline constexpr uint32_t kYamlMaxHeight = 1000;
inline constexpr uint32_t kYamlMaxWeight = 1000000;

// Python's yaml.safe_load of the node: YAML 1.1 booleans, octal and sexagesimal numbers, merges.
// Dates become the text of Python's str(); keys become Python's str(key). nullopt with `error`
// filled where SafeLoader raises.
std::optional<Value> yaml_value(const YamlNode& node, YamlError* error = nullptr);

// The value of one scalar by its text, tag and style; does not fail for implicit tags.
std::optional<Value> yaml_scalar(const YamlNode& node, YamlError* error = nullptr);

// yaml.safe_load(text): None for an empty stream; refuses a second document as PyYAML does.
std::optional<Value> load_yaml(std::string_view text, YamlError* error = nullptr);

}  // namespace sglint
