#include "report/suppress.h"

#include <algorithm>

#include "base/text.h"
#include "read/suppressions.h"
#include "rules/registry.h"
#include "rules/suppression.h"

namespace sglint {
namespace {

// One rule of one suppression.
struct Mark {
  std::string rule;
  const Suppression* comment = nullptr;  // null: of the request
  size_t index = 0;                      // into its rules
  bool used = false;
};

bool overlap(SourceSpan a, SourceSpan b) { return a.begin < b.end && b.begin < a.end; }

// Where the comment speaks: its block, and each launch that begins or ends there.
bool speaks_of(const Suppression& s, SourceSpan place, const Report& report) {
  const SourceSpan covers{s.covers.begin, s.covers.end};
  if (overlap(place, covers)) return true;
  return std::any_of(report.launches.begin(), report.launches.end(), [&](const LaunchReport& l) {
    const bool edge = (l.span.begin >= covers.begin && l.span.begin < covers.end) ||
                      (l.span.end > covers.begin && l.span.end <= covers.end);
    return edge && overlap(place, l.span);
  });
}

void mark_one(Diagnostic& d, const LaunchReport* launch, const Report& report,
              std::vector<Mark>& marks) {
  for (Mark& m : marks) {
    if (m.rule != d.rule) continue;
    bool here = !m.comment;
    for (const SourceSpan& span : d.spans) here = here || speaks_of(*m.comment, span, report);
    if (!here && d.spans.empty() && launch) here = speaks_of(*m.comment, launch->span, report);
    if (!here) continue;
    m.used = true;
    if (d.suppressed) continue;
    d.suppressed = m.comment ? m.comment->reason : "ignored by the request";
    d.suppressed_in_source = m.comment != nullptr;
  }
}

VerifiedFix removal(const std::vector<Mark>& marks, const Mark& bad) {
  const Suppression& s = *bad.comment;
  const bool all = std::all_of(marks.begin(), marks.end(),
                               [&](const Mark& m) { return m.comment != bad.comment || !m.used; });
  VerifiedFix fix;
  fix.title = all ? "Remove the comment." : fill("Remove {} from the comment.", {bad.rule});
  const size_t i = bad.index;
  // With the comma that parts it from a rule that stays, so that several can go.
  const bool stays_behind = std::any_of(marks.begin(), marks.end(), [&](const Mark& m) {
    return m.comment == bad.comment && m.used && m.index > i;
  });
  const Span cut = all            ? s.removal
                   : stays_behind ? Span{s.rules[i].span.begin, s.rules[i + 1].span.begin}
                                  : Span{s.rules[i - 1].span.end, s.rules[i].span.end};
  fix.edits.push_back({{cut.begin, cut.end}, ""});
  return fix;
}

[[gnu::cold, gnu::noinline]] void apply(std::vector<Mark>& marks, Report& report);

}  // namespace

void suppress(Report& report, std::string_view text, const std::vector<std::string>& ignore) {
  const std::vector<Suppression> comments = find_suppressions(text);
  std::vector<Mark> marks;
  for (const Suppression& s : comments) {
    for (size_t i = 0; i < s.rules.size(); ++i) marks.push_back({s.rules[i].rule, &s, i});
    if (s.rules.empty()) marks.push_back({"", &s});
  }
  for (const std::string& rule : ignore) marks.push_back({rule});
  if (!marks.empty()) apply(marks, report);
}

namespace {

void apply(std::vector<Mark>& marks, Report& report) {
  for (Diagnostic& d : report.diagnostics) mark_one(d, nullptr, report, marks);
  for (Diagnostic& d : report.deployment) mark_one(d, nullptr, report, marks);
  for (LaunchReport& l : report.launches) {
    bool errors = false, open = false;
    for (Diagnostic& d : l.diagnostics) {
      mark_one(d, &l, report, marks);
      errors = errors || d.severity == "error";
      open = open || (d.severity == "error" && !d.suppressed);
    }
    if (!errors || open) continue;  // else: it is wanted as it is
    l.fixed_command.clear();
    l.fixed_argv.clear();
    l.fixed_edits.clear();
  }

  const size_t before = report.diagnostics.size();
  for (const Mark& m : marks) {
    // Findings about the host are not known here; a suppression of these two may wait for one.
    if (m.used || starts_with(m.rule, "host/") || starts_with(m.rule, "suppression/")) continue;
    const bool known = find_rule(m.rule) || m.rule == "arguments/rejected";
    const Rule& rule = known ? kSuppressionUnused : kSuppressionUnknownRule;
    Diagnostic d;
    d.rule = std::string(rule.id);
    d.severity = std::string(severity_name(rule.severity));
    d.stage = std::string(stage_name(rule.stage));
    d.why = std::string(rule.why);
    d.message = fill(rule.message, {m.rule.empty() ? "nothing" : m.rule});
    if (m.comment) {
      const Span at = m.rule.empty() ? m.comment->span : m.comment->rules[m.index].span;
      d.spans.push_back({at.begin, at.end});
      d.fixes.push_back(removal(marks, m));
    }
    report.diagnostics.push_back(std::move(d));
  }
  for (size_t i = before; i < report.diagnostics.size(); ++i)
    mark_one(report.diagnostics[i], nullptr, report, marks);
}

}  // namespace
}  // namespace sglint
