// Report -> JSON, schema 1 (wasm/schema.json). Keys in a fixed order, so that native, Node and
// browser give the same bytes.
#include "base/json.h"
#include "sglint/sglint.h"

namespace sglint {
namespace {

// Appends "key":value pairs; the commas are its business.
class Object {
 public:
  explicit Object(std::string& out) : out_(out) { out_ += '{'; }
  ~Object() { out_ += '}'; }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  std::string& key(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    append_json(out_, name);
    out_ += ':';
    return out_;
  }
  void text(std::string_view name, std::string_view value) { append_json(key(name), value); }
  void boolean(std::string_view name, bool value) { key(name) += value ? "true" : "false"; }
  template <class List, class Each>
  void list(std::string_view name, const List& items, Each each) {
    key(name) += '[';
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_ += ',';
      first = false;
      each(item);
    }
    out_ += ']';
  }
  void strings(std::string_view name, const std::vector<std::string>& items) {
    list(name, items, [this](const std::string& s) { append_json(out_, std::string_view(s)); });
  }

 private:
  std::string& out_;
  bool first_ = true;
};

void span(std::string& out, SourceSpan s) {
  out += '[' + std::to_string(s.begin) + ',' + std::to_string(s.end) + ']';
}

void edits(Object& o, std::string_view name, std::string& out,
           const std::vector<SourceEdit>& items) {
  o.list(name, items, [&](const SourceEdit& e) {
    Object edit(out);
    span(edit.key("span"), e.span);
    edit.text("text", e.text);
  });
}

void diagnostic(std::string& out, const Diagnostic& d) {
  Object o(out);
  o.text("rule", d.rule);
  o.text("severity", d.severity);
  o.text("stage", d.stage);
  o.text("message", d.message);
  o.text("why", d.why);
  o.boolean("behind", d.behind);
  o.list("spans", d.spans, [&](SourceSpan s) { span(out, s); });
  o.list("fixes", d.fixes, [&](const VerifiedFix& fix) {
    Object f(out);
    f.text("title", fix.title);
    f.text("price", fix.price);
    f.boolean("accepted", fix.accepted);
    edits(f, "edits", out, fix.edits);
    f.text("command", fix.command);
    f.strings("argv", fix.argv);
  });
}

std::string_view outcome_name(Outcome outcome) {
  constexpr std::string_view kNames[] = {"ok", "error", "usage_error", "no_launch",
                                         "invalid_request"};
  return kNames[static_cast<int>(outcome)];
}

void launch(std::string& out, const LaunchReport& l) {
  Object o(out);
  o.text("name", l.name);
  o.text("release", l.release);
  o.text("machine", l.machine);
  o.text("model", l.model);
  span(o.key("span"), l.span);
  o.text("outcome", outcome_name(l.outcome));
  if (l.outcome == Outcome::ok) {
    o.key("error") += "null";
  } else {
    Object error(o.key("error"));
    error.text("type", l.error_type);
    error.text("message", l.error_message);
  }
  o.list("diagnostics", l.diagnostics, [&](const Diagnostic& d) { diagnostic(out, d); });
  o.key("resolved");
  {
    Object resolved(out);
    for (const ResolvedValue& v : l.resolved) {
      Object r(resolved.key(v.field));
      r.key("value") += v.value;
      r.text("source", v.source);
      r.text("because", v.because);
      r.boolean("changed", v.changed);
      span(r.key("span"), v.span);
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
  o.strings("argv", l.argv);
  o.key("env");
  {
    Object env(out);
    for (const auto& [name, value] : l.env) env.text(name, value);
  }
  o.text("fixed_command", l.fixed_command);
  o.strings("fixed_argv", l.fixed_argv);
  edits(o, "fixed_edits", out, l.fixed_edits);
}

}  // namespace

std::string to_json(const Report& report) {
  std::string out;
  out.reserve(16384);
  {
    Object o(out);
    o.key("schema") += '1';
    o.text("version", kVersion);
    if (report.error.empty()) {
      o.key("error") += "null";
    } else {
      o.text("error", report.error);
    }
    o.list("diagnostics", report.diagnostics, [&](const Diagnostic& d) { diagnostic(out, d); });
    o.list("launches", report.launches, [&](const LaunchReport& l) { launch(out, l); });
    o.list("secrets", report.secret_spans, [&](SourceSpan s) {
      Object secret(out);
      span(secret.key("span"), s);
    });
  }
  return out;
}

}  // namespace sglint
