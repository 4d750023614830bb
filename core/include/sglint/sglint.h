#pragma once
// sglint: what SGLang would do with a launch command, without SGLang.
//
//   sglint::Request request;
//   request.text = "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2";
//   request.machine = "h100";
//   sglint::Report report = sglint::check(request);
//   if (report.launches[0].outcome != sglint::Outcome::ok)
//   puts(report.launches[0].error_message.c_str()); std::string json = sglint::to_json(report);
//
// No I/O, no global mutable state, no exceptions, safe from several threads. Spans are byte offsets
// in Request::text. The JSON forms of Request and Report are schema 1 (wasm/schema.json).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sglint {

inline constexpr std::string_view kVersion = "0.1.0";

struct Request {
  std::string text;               // any form: shell, docker, compose, Kubernetes, YAML…
  std::vector<std::string> argv;  // or the arguments themselves; used if `text` is empty
  std::string release;  // "0.5.18"; empty: from the text's image tag, else the reference release
  std::string machine;  // catalogue name ("h200", "h100x4") or a JSON object of facts; empty: h100
  std::string model;    // hub id when the text does not say
  std::string model_config;  // content of the model's config.json
  std::map<std::string, std::string, std::less<>> model_files;  // "hf_quant_config.json" -> content
  std::map<std::string, std::string, std::less<>>
      extra_models;                                       // path -> content of its config.json
  std::map<std::string, std::string, std::less<>> env;    // besides what the text sets
  std::map<std::string, std::string, std::less<>> files;  // name -> content, for --config
};

enum class Outcome : uint8_t { ok, error, usage_error, no_launch, invalid_request };

struct SourceSpan {
  uint32_t begin = 0, end = 0;
};

struct SourceEdit {
  SourceSpan span;
  std::string text;
};

// A way out that was checked: with these edits the command is accepted (or gets past this finding).
struct VerifiedFix {
  std::string title;
  std::string price;  // what it costs, "" if nothing
  std::vector<SourceEdit> edits;
  std::string command;    // the launch after the edit, as one shell line
  bool accepted = false;  // true: the whole launch is accepted; false: only this finding goes away
  std::vector<std::string> argv;  // the arguments after the edit
};

struct Diagnostic {
  std::string rule;      // "linear-attention/replayssm-needs-triton-decode"
  std::string severity;  // error, warning, info
  std::string stage;     // read, arguments, resolve, check, load
  std::string message;
  std::string why;
  std::vector<SourceSpan> spans;
  std::vector<VerifiedFix> fixes;
  bool behind = false;  // shows only once the findings before it are fixed
};

struct ResolvedValue {
  std::string field;
  std::string value;   // JSON
  std::string source;  // typed, config, default, rule
  std::string because;
  std::vector<std::pair<std::string, std::string>> earlier;  // {JSON value, because}, oldest first
  bool changed = false;  // differs from the release's parser default
  SourceSpan span;       // where it was typed
};

struct EffectiveValue {
  std::string name;   // "linear_attn.decode_kernel"
  std::string value;  // "triton"
  std::string because;
};

struct LaunchReport {
  std::string name;  // compose service or container
  std::string release;
  std::string machine;
  std::string model;
  SourceSpan span;
  Outcome outcome = Outcome::ok;
  std::string error_type;     // "ValueError", "" if there is none
  std::string error_message;  // SGLang's, letter for letter; argparse's last line for a usage error
  std::vector<Diagnostic> diagnostics;  // in SGLang's order
  std::vector<ResolvedValue> resolved;  // what differs from the parser's defaults
  std::vector<EffectiveValue> effective;
  std::vector<std::pair<std::string, std::string>> logs;  // {level, line} that SGLang prints
  std::vector<std::string> assumptions;
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> env;
  std::string fixed_command;  // all preferred fixes applied; "" if none is needed or none helps
  std::vector<std::string> fixed_argv;
  std::vector<SourceEdit> fixed_edits;
};

struct Report {
  std::string error;  // why the request could not be carried out; then launches is empty
  std::vector<Diagnostic> diagnostics;  // of the text as a whole
  std::vector<LaunchReport> launches;
  std::vector<std::string> secrets;     // values that no output shows; never written out
  std::vector<SourceSpan> secret_spans;  // where they stand in the text
};

Report check(const Request& request);

// JSON in, JSON out. A request that is not of the schema gives a report with `error`.
std::string to_json(const Report& report);
std::string check_json(std::string_view request_json);

struct TextStyle {
  bool color = false;     // ANSI colours
  std::string file;       // shown before line:column; "" for text that came from no file
  bool resolved = false;  // list every changed value, not only the effective backends
};

// The report for people: verdict, findings with source excerpt and fixes, effective backends.
std::string to_text(const Report& report, std::string_view source, const TextStyle& style);

// "Why is FIELD what it is?" for the first launch that has it; "" if no launch resolved it.
std::string why(const Report& report, std::string_view field);

// `source` with the edits of every launch's combined fix applied.
std::string fixed_source(const Report& report, std::string_view source);

// One line of a batch (see README): NDJSON request in, NDJSON result out, never a failure.
std::string check_batch_line(std::string_view line);

// The record of a rule as text for people; "" if there is no such rule.
std::string explain(std::string_view rule_id);
std::string rules_text();      // one line a rule: id, severity, stage
std::string rules_json();      // every rule's record
std::string catalogue_json();  // releases, machines and models that are known

}  // namespace sglint
