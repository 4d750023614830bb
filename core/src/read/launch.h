#pragma once
// What the readers make of a text: one Launch per SGLang command found in it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rule.h"
#include "base/span.h"

namespace sglint {

// How the launch is written, which decides how an edit must be quoted and laid out.
enum class Form : uint8_t { argv, shell, docker, compose, kubernetes, dockerfile, systemd, yaml_map, json_list, python_list, powershell, cmd };

struct Token {
  std::string text;      // the value after unquoting and substitution
  Span span;             // its source, quotes included
  bool unknown = false;  // holds a placeholder or an unresolved variable: no verdict may rest on it
  bool secret = false;   // never printed
};

struct EnvSetting {
  std::string name;
  std::string value;
  Span span;  // NAME=value, or the value where the form keeps them apart
  bool unknown = false;
  bool secret = false;
};

struct Launch {
  Form form = Form::argv;
  std::vector<Token> argv;  // what SGLang gets as sys.argv[1:], without program and module
  std::vector<EnvSetting> env;
  Span span;                // from the first to the last character of the command
  std::optional<Release> release;    // from an image tag such as lmsysorg/sglang:v0.5.18
  std::optional<int> gpu_count;      // from --gpus or resource limits
  std::string name;                  // compose service, container, "" where there is none
};

// A finding of the reader itself (unclosed quote, smart quotes, a router line left out…).
struct ReadFinding {
  const Rule* rule = nullptr;
  std::string message;
  Span span;
  std::vector<TextEdit> edits;  // a fix of the text, if there is one
  std::string edit_title;
};

struct ReadResult {
  std::vector<Launch> launches;
  std::vector<ReadFinding> findings;
};

// Never fails: what cannot be read is a finding. Texts over 1 MiB are refused by a finding.
ReadResult read(std::string_view text);

}  // namespace sglint
