#include "report/reader_fixes.h"

#include <algorithm>

#include "base/sort.h"
#include "repair/source_edits.h"
#include "report/check_launch.h"

namespace sglint {
namespace {

using Edits = std::vector<SourceEdit>;

// A place of the text between two steps: where it was before the first step, or which edit of it
// wrote it, and how far into what that edit wrote.
struct Source {
  size_t at = 0;
  const SourceEdit* inside = nullptr;
  size_t offset = 0;
};

// On the border of an edit, a place belongs to what stands outside of it.
Source source_of(const Edits& first, size_t place) {
  size_t grown = 0, shrunk = 0;  // by the edits before the place
  for (const SourceEdit& e : first) {
    const size_t begin = e.span.begin + grown - shrunk;
    if (place <= begin) break;
    if (place < begin + e.text.size()) return {e.span.begin, &e, place - begin};
    grown += e.text.size();
    shrunk += e.span.end - e.span.begin;
  }
  return {place + shrunk - grown, nullptr, 0};
}

SourceSpan before(const Edits& first, SourceSpan span) {
  const Source begin = source_of(first, span.begin), end = source_of(first, span.end);
  return {static_cast<uint32_t>(begin.at),
          static_cast<uint32_t>(end.inside ? end.inside->span.end : end.at)};
}

bool has_errors(const std::vector<ReadFinding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const ReadFinding& f) {
    return f.rule && f.rule->severity == Severity::error;
  });
}

// In order and without overlap.
Edits edits_of(const std::vector<ReadFinding>& findings) {
  Edits out;
  for (const ReadFinding& f : findings)
    for (const TextEdit& e : f.edits) out.push_back({{e.span.begin, e.span.end}, e.text});
  stable_sort(out, [](const SourceEdit& a, const SourceEdit& b) {
    return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end < b.span.end;
  });
  size_t kept = 0;
  for (size_t i = 0; i < out.size(); ++i)
    if (kept == 0 || out[i].span.begin >= out[kept - 1].span.end) out[kept++] = out[i];
  out.resize(kept);
  return out;
}

bool touches(const Diagnostic& d, const Edits& edits) {
  for (const SourceSpan& s : d.spans)
    for (const SourceEdit& e : edits)
      if (e.span.begin < s.end && s.begin < e.span.end) return true;
  return d.spans.empty();
}

bool same_words(const Launch& a, const Launch& b) {
  return std::equal(a.argv.begin(), a.argv.end(), b.argv.begin(), b.argv.end(),
                    [](const Token& x, const Token& y) { return x.text == y.text; });
}

// `old` is the launch as it stands, `fresh` as the reader's edits leave it, `fix` those edits.
void take_over(LaunchReport& old, LaunchReport& fresh, const Edits& all, VerifiedFix fix) {
  for (Diagnostic& d : fresh.diagnostics) {
    for (SourceSpan& s : d.spans) s = before(all, s);
    for (VerifiedFix& f : d.fixes) f.edits = compose(fix.edits, f.edits);
  }
  for (ResolvedValue& v : fresh.resolved)
    if (v.span.begin < v.span.end) v.span = before(all, v.span);
  const auto error = [](const Diagnostic& d) { return d.severity == "error"; };
  const bool accepted = std::none_of(fresh.diagnostics.begin(), fresh.diagnostics.end(), error);
  const bool wants_fix = !accepted || old.outcome != Outcome::ok;
  const bool gone = !old.diagnostics.empty() && error(old.diagnostics[0]) &&
                    (accepted || fresh.diagnostics[0].message != old.diagnostics[0].message);
  if (accepted) {
    fresh.fixed_command = fix.command;
    fresh.fixed_argv = fix.argv;
  }
  if (wants_fix && !fresh.fixed_command.empty()) {
    old.fixed_command = std::move(fresh.fixed_command);
    old.fixed_argv = std::move(fresh.fixed_argv);
    old.fixed_edits = compose(fix.edits, fresh.fixed_edits);
  }
  if (!gone || !touches(old.diagnostics[0], fix.edits)) return;
  fix.accepted = accepted;
  old.diagnostics.resize(1);
  old.diagnostics[0].fixes = {std::move(fix)};
  for (Diagnostic& d : fresh.diagnostics) {
    d.behind = d.behind || error(d);
    old.diagnostics.push_back(std::move(d));
  }
  old.resolved = std::move(fresh.resolved);
  old.effective = std::move(fresh.effective);
}

}  // namespace

std::string edited(const Edits& edits, std::string_view text) {
  std::string out;
  size_t at = 0;
  for (const SourceEdit& e : edits) {
    if (e.span.begin < at || e.span.end > text.size()) continue;
    out += text.substr(at, e.span.begin - at);
    out += e.text;
    at = e.span.end;
  }
  out += text.substr(at);
  return out;
}

Edits compose(const Edits& first, const Edits& then) {
  // Where the edits of the first step stand in the text between the two.
  std::vector<size_t> places;
  size_t grown = 0, shrunk = 0;
  for (const SourceEdit& e : first) {
    places.push_back(e.span.begin + grown - shrunk);
    grown += e.text.size();
    shrunk += e.span.end - e.span.begin;
  }
  std::vector<std::pair<size_t, SourceEdit>> out;  // by their place in the text between
  std::vector<bool> absorbed(first.size(), false);
  for (const SourceEdit& e : then) {
    const Source begin = source_of(first, e.span.begin), end = source_of(first, e.span.end);
    SourceEdit both{before(first, e.span), e.text};
    if (begin.inside) both.text.insert(0, begin.inside->text.substr(0, begin.offset));
    if (end.inside) both.text += end.inside->text.substr(end.offset);
    for (size_t i = 0; i < first.size(); ++i) {
      const bool within = &first[i] == begin.inside || &first[i] == end.inside ||
                          (places[i] >= e.span.begin && places[i] < e.span.end &&
                           places[i] + first[i].text.size() <= e.span.end);
      if (!within) continue;
      if (absorbed[i]) return {};
      absorbed[i] = true;
    }
    out.emplace_back(e.span.begin, std::move(both));
  }
  for (size_t i = 0; i < first.size(); ++i)
    if (!absorbed[i]) out.emplace_back(places[i], first[i]);
  stable_sort(out, [](const auto& a, const auto& b) { return a.first < b.first; });
  Edits edits;
  for (auto& placed : out) edits.push_back(std::move(placed.second));
  return edits;
}

bool mend_text(const Value& request, const LaunchFacts& given, Report& report) {
  constexpr int kMostRounds = 3;  // what is mended may bring more to light
  Edits all = edits_of(given.read_findings);
  const bool unreadable = has_errors(given.read_findings);
  if (all.empty()) return !unreadable;
  std::optional<LaunchFacts> mended;
  for (int round = 0; round < kMostRounds; ++round) {
    std::string why;
    std::optional<LaunchFacts> next =
        launch_facts(request.with("text", edited(all, given.text)), &why);
    if (!next || next->launches.size() != given.launches.size()) break;
    mended = std::move(next);
    const Edits more = edits_of(mended->read_findings);
    Edits both = more.empty() ? more : compose(all, more);
    if (both.empty() || round + 1 == kMostRounds) break;
    all = std::move(both);
  }
  if (!mended) return !unreadable;
  const bool readable = !has_errors(mended->read_findings);
  bool alone = readable && given.launches.size() == 1;
  for (size_t i = 0; i < given.launches.size(); ++i) {
    const Launch& now = mended->launches[i];
    if (same_words(given.launches[i], now)) continue;
    CheckedLaunch checked;
    LaunchReport fresh = check_launch(*mended, now, &checked);
    const Attempt attempt{now.argv, checked.facts->env};
    VerifiedFix fix{"Write hyphens, quotes and spaces that a shell knows",
                    "",
                    {},
                    shell_command(now, attempt),
                    false,
                    fresh.argv};
    // What stands in no launch, such as a list of arguments, may be part of any.
    for (const SourceEdit& e : all) {
      const auto holds = [&](const Launch& l) {
        return e.span.begin >= l.span.begin && e.span.end <= l.span.end;
      };
      if (holds(given.launches[i]) ||
          std::none_of(given.launches.begin(), given.launches.end(), holds))
        fix.edits.push_back(e);
    }
    for (const ReadFinding& f : given.read_findings)
      if (!f.edits.empty() && f.edits.size() == all.size()) fix.title = f.edit_title;
    if (fix.edits.empty()) continue;
    take_over(report.launches[i], fresh, all, std::move(fix));
    alone = alone && std::none_of(fresh.diagnostics.begin(), fresh.diagnostics.end(),
                                  [](const Diagnostic& d) { return d.severity == "error"; });
  }
  for (Diagnostic& d : report.diagnostics)
    for (VerifiedFix& f : d.fixes) f.accepted = alone && f.edits.size() == all.size();
  return readable;
}

}  // namespace sglint
