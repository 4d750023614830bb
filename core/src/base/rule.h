#pragma once
// The record that stands beside each condition. Tests, `sglint explain`, the rule pages, SARIF and
// the TypeScript ids are made from it; there is no second copy.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/release.h"

namespace sglint {

enum class Severity : uint8_t { error, warning, info };
enum class Stage : uint8_t { read, arguments, resolve, check, load, deployment };

std::string_view severity_name(Severity severity);
std::string_view stage_name(Stage stage);

// A command that the tests run.
struct Example {
  std::string_view command;  // what follows `sglang serve`, or the whole line with its environment
  std::string_view machine = "h100";  // a catalogue name
  std::string_view release = "";      // "": the reference release
  std::string_view text = "";  // instead of `command`: raw text, for the findings of the reader
  bool empty() const { return command.empty() && text.empty(); }
};

// What a user would paste: the raw text, or the command with `sglang serve` in front.
std::string example_source(const Example& example);

struct Rule {
  std::string_view id;  // "linear-attention/flashkda-is-prefill-only": domain / what is wrong
  Stage stage = Stage::resolve;
  Severity severity = Severity::error;
  std::string_view exception;  // what SGLang raises: "ValueError"…; empty if it does not
  std::string_view message;    // SGLang's text, verbatim; `{}` marks what is filled in
  std::string_view why;        // in our words: what goes wrong, and where SGLang's text misleads
  std::string_view source;     // "server_args.py: ServerArgs._handle_linear_attn_backend"
  Example bad;                 // fires exactly this rule first
  Example good;                // its nearest accepted neighbour
  ReleaseRange releases;
};

// Each domain file lists its rules in one function of this shape; registry.cpp lists the files.
using RuleList = std::vector<const Rule*>;

}  // namespace sglint
