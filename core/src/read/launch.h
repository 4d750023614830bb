#pragma once
// What the readers make of a text: one Launch per SGLang command found in it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rule.h"
#include "base/span.h"

namespace sglint {

// How the launch is written.
enum class Form : uint8_t {
  argv,
  shell,
  docker,
  compose,
  kubernetes,
  dockerfile,
  systemd,
  yaml_map,
  json_list,
  python_list,
  powershell,
  cmd,
  python_call  // Engine(model_path="…", tp_size=2)
};

// One layer of notation. A token inside `bash -c "…"` inside a YAML string has three.
enum class Writing : uint8_t {
  // what separates words
  shell,
  powershell,
  cmd,
  systemd,
  yaml_block_list,
  yaml_flow_list,
  json_list,
  python_list,
  python_call,
  yaml_map,
  // what a whole command may be wrapped in
  shell_single,
  shell_double,
  shell_bare,
  yaml_plain,
  yaml_single,
  yaml_double,
  yaml_block,
  json_string,
  python_string,
  raw
};

// A layer and the one around it (an index into the same list; itself for the outermost).
struct Context {
  Writing writing = Writing::shell;
  uint16_t outer = 0;
};

struct Token {
  std::string text;      // the value after unquoting and substitution
  Span span;             // its source, quotes included; empty for a word that the text implies
  bool unknown = false;  // holds a placeholder or an unresolved variable: no verdict may rest on it
  bool secret = false;   // never printed
  uint16_t context = 0;  // into Launch::contexts
  bool unread = false;   // names a file that was not given: for that reason it is unknown
};

struct EnvSetting {
  std::string name;
  std::string value;
  Span span;  // NAME=value, or the value where the form keeps them apart
  bool unknown = false;
  bool secret = false;
  Span value_span;       // the value alone, quotes included
  Span removal;          // what to delete to be rid of it; empty if that is not possible
  uint16_t context = 0;  // of the value
};

// Where a new environment variable goes.
struct EnvPlace {
  enum class Style : uint8_t {
    none,             // the form has no place for it
    shell_prefix,     // NAME=value␠
    docker_option,    // -e NAME=value␠
    yaml_map,         // NAME: "value"
    yaml_list,        // - NAME=value
    yaml_name_value,  // - name: NAME / value: "value"
    dockerfile,       // ENV NAME=value
    systemd,          // Environment=NAME=value
    powershell,       // $env:NAME = "value"
    cmd               // set NAME=value
  };
  Style style = Style::none;
  uint32_t at = 0;     // insertion offset
  std::string before;  // text that goes first: a line break and indentation, a new section's key
  std::string after;   // text that goes last
  uint16_t context = 0;
};

// The network that a launch listens in, as far as its text says.
struct Network {
  enum class Kind : uint8_t {
    unknown,  // a shell line: whatever host it is typed on
    host,     // a container in the network of its host
    own       // a container with a network of its own
  };
  Kind kind = Kind::unknown;
  int pod = -1;  // containers of one Kubernetes pod share a network; -1: none
  struct Published {
    int host = 0, container = 0;  // 0: not said
    Span span;
  };
  std::vector<Published> published;
};

struct Launch {
  Form form = Form::argv;
  std::vector<Token> argv;  // what SGLang gets as sys.argv[1:], without program and module
  std::vector<EnvSetting> env;
  int printed_fields = 0;  // of server_args=ServerArgs(…) in a log, which SGLang had resolved;
                           // INT_MAX if the log cuts it short
  Span span;               // from the first to the last character of the command
  std::optional<Release> release;  // from an image tag such as lmsysorg/sglang:v0.5.18
  std::string version;           // what the text says of the release if no known one has that name:
                                 // v0.4.9, latest; `release` is then the nearest or not set
  std::optional<int> gpu_count;  // from --gpus or resource limits
  std::string_view
      machine;  // of the catalogue, where the image is made for one kind: "mi300x"; and
  std::string_view machine_word;  // the word of its tag that says so: "mi30x"
  std::string name;               // compose service, container, "" where there is none
  Network network;
  std::vector<std::string> assumptions;  // what the text hints at and does not say: env_file…

  // For edits of the source.
  bool templated =
      false;  // it stands in a Helm chart or the like, whose templates stay as they are
  std::vector<Context> contexts;
  uint32_t program_end = 0;  // where the first argument could be written
  uint16_t program_context = 0;
  EnvPlace env_place;
};

// A finding of the reader itself (unclosed quote, smart quotes, a router line left out…).
struct ReadFinding {
  const Rule* rule = nullptr;
  std::string message;
  Span span;
  std::vector<TextEdit> edits;  // a fix of the text, if there is one
  std::string edit_title;
};

// A command that starts SGLang's router; left out of the check, but it names its workers.
struct RouterLine {
  std::vector<Token> argv;  // behind the program or module
};

struct ReadResult {
  std::vector<Launch> launches;
  std::vector<RouterLine> routers;
  std::vector<ReadFinding> findings;
};

// Never fails: what cannot be read is a finding. Texts over 1 MiB are refused by a finding.
ReadResult read(std::string_view text);

inline constexpr size_t kMaxText = 1 << 20;

}  // namespace sglint
