// Report -> JSON, schema 1 (wasm/schema.json). Keys in a fixed order, so that native, Node and
// browser give the same bytes.
#include "base/json.h"
#include "report/json_object.h"
#include "report/outcomes.h"
#include "sglint/sglint.h"

namespace sglint {

void append_span(std::string& out, SourceSpan s) {
  out += '[' + std::to_string(s.begin) + ',' + std::to_string(s.end) + ']';
}

void append_edits(Object& o, std::string_view name, std::string& out,
                  const std::vector<SourceEdit>& items) {
  o.list(name, items, [&](const SourceEdit& e) {
    Object edit(out);
    append_span(edit.key("span"), e.span);
    edit.text("text", e.text);
  });
}

void append_error(Object& o, std::string& out, Outcome outcome, std::string_view type,
                  std::string_view message) {
  o.key("error");
  if (outcome == Outcome::ok) {
    out += "null";
    return;
  }
  Object error(out);
  error.text("type", type);
  error.text("message", message);
}

void append_diagnostic(std::string& out, const Diagnostic& d) {
  Object o(out);
  o.text("rule", d.rule);
  o.text("severity", d.severity);
  o.text("stage", d.stage);
  o.text("message", d.message);
  o.text("why", d.why);
  o.boolean("behind", d.behind);
  if (d.suppressed)
    o.text("suppressed", *d.suppressed);
  else
    o.key("suppressed") += "null";
  o.list("spans", d.spans, [&](SourceSpan s) { append_span(out, s); });
  o.list("fixes", d.fixes, [&](const VerifiedFix& fix) {
    Object f(out);
    f.text("title", fix.title);
    f.text("price", fix.price);
    f.boolean("accepted", fix.accepted);
    append_edits(f, "edits", out, fix.edits);
    f.text("command", fix.command);
    f.strings("argv", fix.argv);
  });
}

namespace {

void launch(std::string& out, const LaunchReport& l) {
  Object o(out);
  o.text("name", l.name);
  o.text("release", l.release);
  o.text("machine", l.machine);
  o.text("model", l.model);
  append_span(o.key("span"), l.span);
  o.text("outcome", outcome_name(l.outcome));
  append_error(o, out, l.outcome, l.error_type, l.error_message);
  o.list("diagnostics", l.diagnostics, [&](const Diagnostic& d) { append_diagnostic(out, d); });
  o.key("resolved");
  {
    Object resolved(out);
    for (const ResolvedValue& v : l.resolved) {
      Object r(resolved.key(v.field));
      r.key("value") += v.value;
      r.text("source", v.source);
      r.text("because", v.because);
      r.boolean("changed", v.changed);
      append_span(r.key("span"), v.span);
      r.list("earlier", v.earlier, [&](const std::pair<std::string, std::string>& e) {
        Object earlier(out);
        earlier.key("value") += e.first;
        earlier.text("because", e.second);
      });
    }
  }
  o.key("effective");
  {
    Object effective(out);
    for (const EffectiveValue& e : l.effective) {
      Object value(effective.key(e.name));
      value.text("value", e.value);
      value.text("because", e.because);
    }
  }
  o.list("logs", l.logs, [&](const std::pair<std::string, std::string>& log) {
    out += '[';
    append_json(out, std::string_view(log.first));
    out += ',';
    append_json(out, std::string_view(log.second));
    out += ']';
  });
  o.strings("assumptions", l.assumptions);
  o.key("unknown_values") += std::to_string(l.unknown_values);
  o.strings("argv", l.argv);
  o.key("env");
  {
    Object env(out);
    for (const auto& [name, value] : l.env) env.text(name, value);
  }
  o.text("fixed_command", l.fixed_command);
  o.strings("fixed_argv", l.fixed_argv);
  append_edits(o, "fixed_edits", out, l.fixed_edits);
}

}  // namespace

std::string to_json(const Report& report) {
  std::string out;
  out.reserve(16384);
  {
    Object o(out);
    o.key("schema") += '1';
    o.text("version", kVersion);
    o.text_or_null("error", report.error);
    o.list("diagnostics", report.diagnostics,
           [&](const Diagnostic& d) { append_diagnostic(out, d); });
    o.list("launches", report.launches, [&](const LaunchReport& l) { launch(out, l); });
    o.list("deployment", report.deployment,
           [&](const Diagnostic& d) { append_diagnostic(out, d); });
    o.list("secrets", report.secret_spans, [&](SourceSpan s) {
      Object secret(out);
      append_span(secret.key("span"), s);
    });
  }
  return out;
}

}  // namespace sglint
