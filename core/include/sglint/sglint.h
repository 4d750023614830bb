#pragma once
// sglint: what SGLang would do with a launch command, without SGLang.
//
//   sglint::Request request;
//   request.text = "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2";
//   request.machine = "h100";
//   sglint::Report report = sglint::check(request);
//   if (report.launches[0].outcome != sglint::Outcome::ok)
//     puts(report.launches[0].error_message.c_str());
//   std::string json = sglint::to_json(report);
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
  // path -> content of its config.json, or {"config.json": {…}, other files}
  std::map<std::string, std::string, std::less<>> extra_models;
  std::map<std::string, std::string, std::less<>> env;    // besides what the text sets
  std::map<std::string, std::string, std::less<>> files;  // name -> content, for --config; what
                                                          // `text` names besides is unknown
  std::vector<std::string> ignore;                        // ids of rules to suppress
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
  std::string rule;      // "replayssm/needs-triton-or-helion-decode"
  std::string severity;  // error, warning, info
  std::string stage;     // read, arguments, resolve, check, load
  std::string message;
  std::string why;
  std::vector<SourceSpan> spans;
  std::vector<VerifiedFix> fixes;
  bool behind = false;  // shows only once the findings before it are fixed
  // Why it does not count ("" if no reason is given): `# sglint: ignore RULE reason` in the text,
  // or Request::ignore. What SGLang raises stays in `outcome` all the same.
  std::optional<std::string> suppressed;
  bool suppressed_in_source = false;
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
  int unknown_values = 0;  // placeholders and unresolved variables among the arguments
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
  std::vector<Diagnostic> deployment;    // across launches
  std::vector<std::string> secrets;      // values that no output shows; never written out
  std::vector<SourceSpan> secret_spans;  // where they stand in the text
};

Report check(const Request& request);

// What the launches of a request may name on disk, and neither the request nor the catalogue of
// models holds. A caller with a disk can add it under `path`: the content of a config to `files`,
// that of a model's config.json to `extra_models`.
struct NamedFile {
  enum class Kind : uint8_t { config, model };
  Kind kind = Kind::config;
  std::string path;  // as the launch names it; of a model its folder, or its id on the Hub
};
std::vector<NamedFile> files_named(const Request& request);

// JSON in, JSON out. A request that is not of the schema gives a report with `error`.
std::string to_json(const Report& report);
std::string check_json(std::string_view request_json);

// The same launch over machines and releases. Nothing is repaired unless `fixes` asks for it, so
// that a page can have it after each keystroke.
struct MatrixOptions {
  std::vector<std::string> machines;  // as Request::machine; empty: 15 of the catalogue
  std::vector<std::string> releases;  // empty: all
  bool fixes = false;                 // fill in MatrixCell::fix
};

struct MatrixCell {
  std::string machine, release;
  Outcome outcome = Outcome::ok;
  std::string rule;  // what rejects it
  std::string error_type, error_message;
  std::string load;  // the rule of the first error that shows after the weights are loaded
  std::vector<std::pair<std::string, std::string>> effective;  // {name, value}
  std::string fix;                                             // title of the first verified fix
};

struct MatrixLaunch {
  std::string name;
  std::vector<MatrixCell> cells;  // machine by machine, each over all releases
};

struct Matrix {
  std::string error;  // why the request could not be carried out
  std::vector<std::string> machines, releases;
  std::vector<MatrixLaunch> launches;
};

Matrix matrix(const Request& request, const MatrixOptions& options = {});

// What a newer (or older) release changes for a launch.
struct FlagChange {
  std::string flag;
  std::string change;   // renamed, removed, deprecated, ignored, ambiguous, added
  std::string instead;  // what to write now, "" if there is nothing
  SourceSpan span;
};

struct DefaultChange {  // a parser default that this launch relies on
  std::string field, flag;
  std::string from, to;  // JSON
  std::string keep;      // what to add to keep the old value; checked. "" if that is not possible
};

struct ValueChange {
  std::string field;
  std::string from, to;  // JSON; "" where that release has no such field
  std::string because_from, because;
};

struct LaunchUpgrade {
  std::string name;
  MatrixCell from, to;
  std::vector<FlagChange> flags;
  std::vector<DefaultChange> defaults;
  std::vector<ValueChange> resolved;   // empty if the older release does not accept the launch
  std::vector<ValueChange> effective;  // values are JSON
  std::vector<Diagnostic> appeared, gone;
  bool accepted = false;  // whether `command` is accepted by the newer release
  std::string command;    // for the newer release, "" if it needs no change or none helps
  std::vector<std::string> argv;
  std::vector<SourceEdit> edits;
};

struct Upgrade {
  std::string error;
  std::string from, to;
  std::vector<LaunchUpgrade> launches;
  std::vector<std::string> secrets;
};

Upgrade upgrade(const Request& request, std::string_view from, std::string_view to);

struct TextStyle {
  bool color = false;     // ANSI colours
  std::string file;       // shown before line:column; "" for text that came from no file
  bool resolved = false;  // list every changed value, not only the effective backends
};

// The report for people: verdict, findings with source excerpt and fixes, effective backends.
std::string to_text(const Report& report, std::string_view source, const TextStyle& style);

// Request JSON with "machines", "releases" (lists) and "fixes" (boolean) besides.
std::string matrix_json(std::string_view request_json);
std::string to_json(const Matrix& matrix);
std::string to_text(const Matrix& matrix, const TextStyle& style);

// Request JSON with "from" and "to" (releases) besides.
std::string upgrade_json(std::string_view request_json);
std::string to_json(const Upgrade& upgrade);
std::string to_text(const Upgrade& upgrade, std::string_view source, const TextStyle& style);

// For code scanning, test reports and annotations; `file` is the name that they show. Columns are
// UTF-16 units.
std::string to_sarif(const Report& report, std::string_view source, std::string_view file);
std::string to_junit(const Report& report, std::string_view source, std::string_view file);
std::string to_github(const Report& report, std::string_view source, std::string_view file);

// Of the command line: 0 accepted, or a router alone; 1 rejected, no launch at all, or a finding at
// or over `fail_on` (error, warning, info); 2 not carried out. What is suppressed does not count.
int exit_code(const Report& report, std::string_view fail_on);

// "Why is FIELD what it is?" for the first launch that has it; "" if no launch resolved it.
std::string why(const Report& report, std::string_view field);
// Where that is "": the sentence that says why, with the field that may have been meant.
std::string why_not(const Report& report, std::string_view field);

// `source` with the edits of every launch's combined fix applied.
std::string fixed_source(const Report& report, std::string_view source);

// One line of a batch (see README): NDJSON request in, NDJSON result out, never a failure.
std::string check_batch_line(std::string_view line);

// The record of a rule as text for people; "" if there is no such rule.
std::string explain(std::string_view rule_id);
std::string rules_text();  // one line a rule: id, severity, stage
std::string rules_json();  // every rule's record
std::string_view newest_release();
std::string catalogue_json();  // releases, machines and models that are known

}  // namespace sglint
