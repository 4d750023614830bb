// The report for machines that show findings: SARIF 2.1.0, JUnit, GitHub annotations.
#include <algorithm>

#include "base/text.h"
#include "report/json_object.h"
#include "report/lines.h"
#include "report/secrets.h"
#include "rules/registry.h"

namespace sglint {
namespace {

constexpr std::string_view kSite = SGLINT_SITE;  // core/CMakeLists.txt; ends with a slash

struct Position {
  size_t line = 1, column = 1;  // columns in UTF-16 units, from 1
};

Position position(const Lines& lines, size_t offset) {
  offset = std::min(offset, lines.text().size());
  const size_t row = lines.number(offset);
  size_t units = 0;
  for (size_t i = lines.begin(row); i < offset; ++i) {
    const auto c = static_cast<unsigned char>(lines.text()[i]);
    if ((c & 0xc0) != 0x80) units += c >= 0xf0 ? 2 : 1;  // beyond the BMP: a surrogate pair
  }
  return {row, units + 1};
}

struct Entry {
  const Diagnostic* d;
  const LaunchReport* launch;  // null: of the text as a whole
};

std::vector<Entry> entries(const Report& report, bool suppressed) {
  std::vector<Entry> out;
  const auto add = [&](const std::vector<Diagnostic>& list, const LaunchReport* launch) {
    for (const Diagnostic& d : list)
      if (suppressed || !d.suppressed) out.push_back({&d, launch});
  };
  add(report.diagnostics, nullptr);
  for (const LaunchReport& l : report.launches) add(l.diagnostics, &l);
  add(report.deployment, nullptr);
  return out;
}

SourceSpan place(const Entry& e) {
  if (!e.d->spans.empty()) return e.d->spans.front();
  return e.launch ? e.launch->span : SourceSpan{};
}

// FNV-1a, 64 bits: stable between releases of the compiler and of sglint.
std::string fingerprint(std::string_view s) {
  uint64_t h = 1469598103934665603u;
  for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(h >> shift) & 15];
  return out;
}

void region(Object& o, std::string_view key, const Lines& lines, SourceSpan span) {
  const Position a = position(lines, span.begin), b = position(lines, span.end);
  Object r(o.key(key));
  for (const auto& [name, n] : {std::pair{"startLine", a.line}, std::pair{"startColumn", a.column},
                                std::pair{"endLine", b.line}, std::pair{"endColumn", b.column}})
    r.key(name) += std::to_string(n);
}

void message(Object& o, std::string_view key, std::string_view text) {
  Object(o.key(key)).text("text", text);
}

std::string_view level(std::string_view severity) {
  return severity == "info" ? std::string_view("note") : severity;
}

void replace_all(std::string& s, std::string_view from, std::string_view to) {
  for (size_t at = s.find(from); at != s.npos; at = s.find(from, at + to.size()))
    s.replace(at, from.size(), to);
}

std::string percent(std::string_view text, bool property) {
  std::string out(text);
  replace_all(out, "%", "%25");
  replace_all(out, "\r", "%0D");
  replace_all(out, "\n", "%0A");
  if (property) {
    replace_all(out, ":", "%3A");
    replace_all(out, ",", "%2C");
  }
  return out;
}

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\n')
      out += "&#10;";
    else if (u < 0x20 && c != '\t')
      out += "?";  // XML 1.0 has no way to write these
    else
      out += c;
  }
  return out;
}

std::string spoken(const Entry& e) {
  const bool first = e.launch && e.d == &e.launch->diagnostics.front();
  return (first && !e.launch->error_type.empty() ? e.launch->error_type + ": " : "") + e.d->message;
}

}  // namespace

std::string to_sarif(const Report& report, std::string_view source, std::string_view file) {
  const std::string text = masked(source, report.secrets);
  const Lines lines(text);
  const std::vector<Entry> all = entries(report, true);
  std::vector<std::string_view> rules;
  for (const Entry& e : all)
    if (std::find(rules.begin(), rules.end(), e.d->rule) == rules.end()) rules.push_back(e.d->rule);
  std::vector<std::string> seen;
  std::string out;
  const auto artifact = [&](Object& o) {
    Object(o.key("artifactLocation")).text("uri", file.empty() ? "stdin" : file);
  };
  {
    Object o(out);
    o.text("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    o.text("version", "2.1.0");
    o.list("runs", std::vector<int>{0}, [&](int) {
      Object run(out);
      {
        Object tool(run.key("tool"));
        Object driver(tool.key("driver"));
        driver.text("name", "sglint");
        driver.text("semanticVersion", kVersion);
        driver.text("informationUri", kSite);
        driver.list("rules", rules, [&](std::string_view id) {
          Object r(out);
          r.text("id", id);
          if (const Rule* rule = find_rule(id)) {
            r.text("helpUri", fill("{}rules/{}.html", {kSite, id}));
            message(r, "fullDescription", rule->why);
            Object(r.key("defaultConfiguration"))
                .text("level", level(severity_name(rule->severity)));
          }
        });
      }
      run.text("columnKind", "utf16CodeUnits");
      run.list("results", all, [&](const Entry& e) {
        const SourceSpan span = place(e);
        Object r(out);
        r.text("ruleId", e.d->rule);
        r.key("ruleIndex") +=
            std::to_string(std::find(rules.begin(), rules.end(), e.d->rule) - rules.begin());
        r.text("level", level(e.d->severity));
        message(r, "message", spoken(e));
        r.list("locations", std::vector<int>{0}, [&](int) {
          Object location(out);
          Object physical(location.key("physicalLocation"));
          artifact(physical);
          region(physical, "region", lines, span);
        });
        // What the finding is about and not where: lines above it may come and go.
        std::string identity = e.d->rule + '\n' + std::string(file) + '\n' +
                               (e.launch ? e.launch->name : std::string()) + '\n' +
                               text.substr(span.begin, span.end - span.begin);
        const auto before = std::count(seen.begin(), seen.end(), identity);
        seen.push_back(identity);
        Object(r.key("partialFingerprints"))
            .text("sglint/v1", fingerprint(identity + '\n' + std::to_string(before)));
        if (e.d->suppressed)
          r.list("suppressions", std::vector<int>{0}, [&](int) {
            Object s(out);
            s.text("kind", e.d->suppressed_in_source ? "inSource" : "external");
            s.text("justification", *e.d->suppressed);
          });
        std::vector<const VerifiedFix*> fixes;
        for (const VerifiedFix& fix : e.d->fixes)
          if (!fix.edits.empty()) fixes.push_back(&fix);
        if (fixes.empty()) return;
        r.list("fixes", fixes, [&](const VerifiedFix* fix) {
          Object f(out);
          message(f, "description",
                  fix->title + (fix->price.empty() ? "" : " (" + fix->price + ")"));
          f.list("artifactChanges", std::vector<int>{0}, [&](int) {
            Object change(out);
            artifact(change);
            change.list("replacements", fix->edits, [&](const SourceEdit& edit) {
              Object replacement(out);
              region(replacement, "deletedRegion", lines, edit.span);
              message(replacement, "insertedContent", edit.text);
            });
          });
        });
      });
    });
  }
  return out + "\n";
}

std::string to_github(const Report& report, std::string_view source, std::string_view file) {
  const Lines lines(source);
  std::string out;
  for (const Entry& e : entries(report, false)) {
    const SourceSpan span = place(e);
    const Position a = position(lines, span.begin), b = position(lines, span.end);
    std::string text = spoken(e);
    if (!e.d->why.empty()) text += "\n" + e.d->why;
    for (const VerifiedFix& fix : e.d->fixes) text += "\nFix: " + fix.title;
    out += fill("::{} ", {e.d->severity == "info" ? "notice" : e.d->severity});
    if (!file.empty())
      out += fill("file={},line={},endLine={},col={},",
                  {percent(file, true), a.line, b.line, a.column});
    if (!file.empty() && a.line == b.line) out += fill("endColumn={},", {b.column});
    out += fill("title={}::{}\n", {percent(e.d->rule, true), percent(text, false)});
  }
  return out;
}

std::string to_junit(const Report& report, std::string_view source, std::string_view file) {
  const Lines lines(source);
  const std::string name = xml(file.empty() ? std::string_view("stdin") : file);
  std::string cases;
  size_t tests = 0, failures = 0;
  const auto add = [&](const std::string& title, const std::vector<Entry>& list) {
    ++tests;
    bool failed = false;
    std::string body, notes;
    for (const Entry& e : list) {
      const Position p = position(lines, place(e).begin);
      const std::string line = fill("{}:{}:{}: {}[{}]: {}\n",
                                    {file, p.line, p.column, e.d->severity, e.d->rule, spoken(e)});
      if (e.d->suppressed) {
        notes += "suppressed: " + xml(line);
      } else if (e.d->severity == "error") {
        body +=
            failed ? ""
                   : fill("<failure type=\"{}\" message=\"{}\">", {xml(e.d->rule), xml(spoken(e))});
        failed = true;
        body += xml(line);
      } else {
        notes += xml(line);
      }
    }
    failures += failed;
    cases += fill("<testcase classname=\"{}\" name=\"{}\">{}{}{}</testcase>\n",
                  {name, xml(title), body + (failed ? "</failure>" : ""),
                   notes.empty() ? "" : "<system-out>" + notes + "</system-out>", ""});
  };
  std::vector<Entry> of_text;
  for (const auto* list : {&report.diagnostics, &report.deployment})
    for (const Diagnostic& d : *list) of_text.push_back({&d, nullptr});
  if (!of_text.empty() || report.launches.empty()) add("text", of_text);
  for (size_t i = 0; i < report.launches.size(); ++i) {
    const LaunchReport& l = report.launches[i];
    std::vector<Entry> list;
    for (const Diagnostic& d : l.diagnostics) list.push_back({&d, &l});
    add(l.name.empty() ? fill("launch {}", {i + 1}) : l.name, list);
  }
  return fill(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"sglint\" tests=\"{}\" "
      "failures=\"{}\">\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n{}</testsuite>\n"
      "</testsuites>\n",
      {tests, failures, name, tests, failures, cases});
}

int exit_code(const Report& report, std::string_view fail_on) {
  if (!report.error.empty()) return 2;
  const auto rank = [](std::string_view s) { return s == "error" ? 2 : s == "warning" ? 1 : 0; };
  int worst = -1;
  // A text without a launch starts nothing; one of another server of SGLang is as it should be.
  bool rejected = report.launches.empty() &&
                  std::none_of(report.diagnostics.begin(), report.diagnostics.end(),
                               [](const Diagnostic& d) { return ends_with(d.rule, "-left-out"); });
  for (const Entry& e : entries(report, false)) worst = std::max(worst, rank(e.d->severity));
  for (const LaunchReport& l : report.launches)  // the first finding is what rejects
    rejected = rejected || (l.outcome != Outcome::ok &&
                            (l.diagnostics.empty() || !l.diagnostics.front().suppressed));
  return rejected || worst >= rank(fail_on) ? 1 : 0;
}

}  // namespace sglint
