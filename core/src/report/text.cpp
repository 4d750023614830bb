// The report for people.
#include "base/text.h"

#include <algorithm>

#include "arguments/option_index.h"
#include "arguments/suggest.h"
#include "base/json.h"
#include "base/sort.h"
#include "report/reader_fixes.h"
#include "report/secrets.h"
#include "report/text_parts.h"
#include "report/texts_of.h"
#include "rules/suppression.h"

namespace sglint {

std::string wrap(std::string_view text, size_t indent) {
  std::string out;
  size_t column = indent;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const size_t size = columns(text.substr(begin, end - begin));
    const bool broken = begin > 0 && text[begin - 1] == '\n';
    if (broken || (column > indent && column + 1 + size > kWidth)) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += text.substr(begin, end - begin);
    column += size;
    begin = end + 1;
  }
  return out;
}

namespace {

std::string label(const Diagnostic& d, const Painter& paint) {
  if (d.severity == "error") return paint.red("error");
  if (d.severity == "warning") return paint.yellow("warning");
  return paint.cyan("note");
}

}  // namespace

void append_finding(std::string& out, const Diagnostic& d, const std::string& message,
                    const Lines& source, const TextStyle& style, const Painter& paint) {
  out += fill("{} {}\n", {label(d, paint), paint.dim(fill("[{}]", {d.rule}))});
  if (!message.empty()) out += fill("  {}\n", {wrap(shortened(message), 2)});
  for (const SourceSpan& span : d.spans) append_excerpt(out, source, span, style, paint);
  if (!d.why.empty()) out += fill("  why: {}\n", {wrap(d.why, 7)});
  for (const VerifiedFix& fix : d.fixes) {
    out += fill("  {} {}", {paint.green("fix:"), wrap(shortened(fix.title), 7)});
    if (!fix.accepted && !fix.argv.empty()) out += paint.dim(" (then the next finding shows)");
    if (!fix.price.empty()) out += fill("\n       cost: {}", {wrap(fix.price, 13)});
    out += "\n";
    append_diff(out, source, fix.edits, paint);
  }
  out += "\n";
}

namespace {

constexpr size_t kMostFindings = 30;  // of one launch; nobody reads on
constexpr size_t kMostLaunches = 40;  // in full

void append_rest(std::string& out, size_t shown, const Painter& paint) {
  if (shown > kMostFindings)
    out += paint.bold(
               fill("… {} more findings; --format json lists them all", {shown - kMostFindings})) +
           "\n\n";
}

void append_findings(std::string& out, const std::vector<Diagnostic>& list, const Lines& source,
                     const TextStyle& style, const Painter& paint) {
  size_t shown = 0;
  for (const Diagnostic& d : list)
    if (!d.suppressed && ++shown <= kMostFindings)
      append_finding(out, d, d.message, source, style, paint);
  append_rest(out, shown, paint);
}

// 0 accepted, 1 accepted but an error of the load stage: the server dies later, 2 rejected.
int verdict(const LaunchReport& l) {
  if (l.outcome != Outcome::ok) return 2;
  for (const Diagnostic& d : l.diagnostics)
    if (d.severity == "error" && !d.suppressed) return 1;
  return 0;
}

// A launch beyond those that are shown in full: its first error.
void one_line(std::string& out, const LaunchReport& l, const Lines& source, const Painter& paint) {
  const int v = verdict(l);
  if (v == 0) return;
  out +=
      (v == 1 ? paint.red("fails") + "  " : paint.red("rejected") + "  ") +
      fill("line {}{}", {source.number(l.span.begin), l.name.empty() ? "" : " (" + l.name + ")"});
  for (const Diagnostic& d : l.diagnostics) {
    if (d.severity != "error" || d.suppressed) continue;
    out += fill(" [{}] {}", {d.rule, cut(d.message, 100)});
    break;
  }
  out += "\n";
}

std::string machine_words(const LaunchReport& l) {
  return l.machine.empty() ? "this machine" : l.machine;
}

void launch(std::string& out, const LaunchReport& l, const Lines& source, const TextStyle& style,
            const Painter& paint) {
  const std::string where = fill("SGLang {} on {}", {l.release, machine_words(l)}) +
                            (l.name.empty() ? "" : fill(" ({})", {l.name}));
  size_t behind = 0;
  for (const Diagnostic& d : l.diagnostics) behind += d.behind && !d.suppressed;
  if (verdict(l) == 1) {
    out += paint.red("fails") + "  " +
           paint.bold(where + " accepts the arguments, then fails while it loads or serves.") +
           "\n\n";
  } else if (l.outcome == Outcome::ok) {
    out += paint.green("accepted") + "  " +
           paint.bold(where + " accepts this command" +
                      (l.unknown_values == 0   ? "."
                       : l.unknown_values == 1 ? " as far as known: 1 value is unknown."
                                               : fill(" as far as known: {} values are unknown.",
                                                      {l.unknown_values}))) +
           "\n\n";
  } else {
    out += paint.red("rejected") + "  " +
           paint.bold(where + " stops here" +
                      (behind ? fill(", {} more behind it", {static_cast<int64_t>(behind)})
                              : std::string()) +
                      ".") +
           "\n\n";
  }
  size_t shown = 0;
  const auto append_findings = [&](bool behind, const char* severity) {
    for (const Diagnostic& d : l.diagnostics) {
      if (d.behind != behind || d.severity != severity || d.suppressed || ++shown > kMostFindings)
        continue;
      const bool first = &d == &l.diagnostics.front();
      const std::string message =
          first && !l.error_type.empty() ? l.error_type + ": " + d.message : d.message;
      append_finding(out, d, message, source, style, paint);
    }
  };
  for (const char* severity : {"error", "warning", "info"}) append_findings(false, severity);
  if (behind && shown < kMostFindings) out += paint.bold("Next, once this is fixed") + "\n\n";
  for (const char* severity : {"error", "warning", "info"}) append_findings(true, severity);
  append_rest(out, shown, paint);
  if (!l.effective.empty()) {
    out += paint.bold(l.outcome == Outcome::ok ? "What really runs" : "What runs after the fixes") +
           "\n";
    constexpr size_t kWidestValue = 36;  // behind a longer one its reason takes lines of its own
    size_t name_width = 0, value_width = 0;
    for (const EffectiveValue& e : l.effective) {
      name_width = std::max(name_width, e.name.size());
      if (const size_t w = columns(e.value); w <= kWidestValue)
        value_width = std::max(value_width, w);
    }
    const size_t indent = name_width + value_width + 6;
    const auto padded = [](const std::string& s, size_t width) {
      const size_t has = columns(s);
      return s + std::string(width > has ? width - has : 0, ' ');
    };
    for (const EffectiveValue& e : l.effective)
      out += fill("  {}  {}{}{}\n",
                  {padded(e.name, name_width), paint.bold(padded(e.value, value_width)),
                   columns(e.value) > value_width ? "\n" + std::string(indent, ' ') : "  ",
                   paint.dim(wrap(e.because, indent))});
    out += "\n";
  }
  if (style.resolved && !l.resolved.empty()) {
    out += paint.bold("Resolved values that differ from the defaults") + "\n";
    for (const ResolvedValue& v : l.resolved)
      if (v.changed)
        out += fill("  {} = {}  {}\n", {v.field, cut(v.value, 120), paint.dim(v.because)});
    out += "\n";
  }
  for (const std::string& a : l.assumptions) out += paint.dim("assumed: " + shortened(a)) + "\n";
  if (!l.assumptions.empty()) out += "\n";
  if (!l.fixed_command.empty())
    out += paint.bold("Fixed command") + "\n  " + whole_command(l.fixed_command) + "\n\n";
}

}  // namespace

std::string to_text(const Report& given, std::string_view text, const TextStyle& style) {
  const std::string shown = masked(text, given.secret_spans);
  const Lines source(shown);
  Report report = given;
  for_each_text(report, [](std::string& s) { s = visible(s); });
  const Painter paint(style.color);
  std::string out;
  if (!report.error.empty()) return paint.red("error") + "  " + report.error + "\n";
  size_t suppressed = 0;
  bool rejected = false;
  std::string rules;
  const auto count = [&](const std::vector<Diagnostic>& list) {
    for (const Diagnostic& d : list) {
      if (!d.suppressed) continue;
      ++suppressed;
      if (!contains(rules, d.rule)) rules += (rules.empty() ? "" : ", ") + d.rule;
    }
  };
  count(report.diagnostics);
  count(report.deployment);
  for (const LaunchReport& l : report.launches) {
    count(l.diagnostics);
    rejected = rejected || (l.outcome != Outcome::ok && !l.diagnostics.empty() &&
                            l.diagnostics.front().suppressed);
  }
  append_findings(out, report.diagnostics, source, style, paint);
  if (report.launches.empty() && report.diagnostics.empty())
    out += paint.red("error") +
           "  No SGLang launch command was found. Paste one, such as: sglang serve --model-path "
           "Qwen/Qwen3-8B\n";
  size_t verdicts[3] = {};
  for (const LaunchReport& l : report.launches) {
    const size_t before = verdicts[0] + verdicts[1] + verdicts[2];
    ++verdicts[verdict(l)];
    if (before < kMostLaunches)
      launch(out, l, source, style, paint);
    else
      one_line(out, l, source, paint);
  }
  if (!report.deployment.empty()) out += paint.bold("The launches together") + "\n\n";
  append_findings(out, report.deployment, source, style, paint);
  if (report.launches.size() > kMostLaunches)
    out += paint.bold(fill(
               "{} launches: {} accepted, {} fail later, {} rejected. The first {} are "
               "shown in full; --format json has all.",
               {report.launches.size(), verdicts[0], verdicts[1], verdicts[2], kMostLaunches})) +
           "\n";
  if (suppressed)
    out += fill("{} finding{} suppressed: {}{}\n",
                {static_cast<int64_t>(suppressed), suppressed == 1 ? "" : "s", rules,
                 rejected ? " (SGLang rejects the command all the same)" : ""});
  return out;
}

namespace {

// Any spelling of the flag or the field: tp, --tp, tensor-parallel-size, tp_size.
std::string field_meant(std::string_view field) {
  std::string name(field);
  while (!name.empty() && name[0] == '-') name.erase(0, 1);
  const std::string flag = "--" + hyphens(name);
  name = underscores(name);
  const OptionIndex& index = option_index(kReferenceRelease);
  const OptionName* known = index.find(flag);
  const std::vector<OptionName> longer = index.beginning_with(flag);
  if (!known && longer.size() == 1) known = &longer[0];
  if (known && known->option->dest != kNoField) name = std::string(field_name(known->option->dest));
  return name;
}

}  // namespace

std::string why(const Report& report, std::string_view field) {
  const std::string name = field_meant(field);
  int id = 0;
  while (id < kFieldCount && (field_name(static_cast<Field>(id)) != name ||
                              !is_server_args_field(static_cast<Field>(id))))
    ++id;
  if (id == kFieldCount) return {};
  std::string out;
  for (size_t i = 0; i < report.launches.size(); ++i) {
    const LaunchReport& l = report.launches[i];
    const auto at = std::find_if(l.resolved.begin(), l.resolved.end(),
                                 [&](const ResolvedValue& v) { return v.field == name; });
    // A launch that is accepted, or is after its fixes, has at least the values that were typed.
    if (at == l.resolved.end() && l.outcome != Outcome::ok && l.fixed_command.empty()) continue;
    if (report.launches.size() > 1)
      out += (l.name.empty() ? fill("launch {}", {i + 1}) : l.name) + ": ";
    if (at == l.resolved.end()) {
      const Release release = parse_release(l.release).value_or(kReferenceRelease);
      out += fill("{} = {}\n  because: SGLang's default\n",
                  {name, to_json(field_defaults(release)[static_cast<size_t>(id)])});
      continue;
    }
    out += fill("{} = {}\n", {name, at->value});
    for (const auto& [value, because] : at->earlier)
      out += fill("  first {}: {}\n", {value, because});
    out += fill("  {}: {}\n", {at->earlier.empty() ? "because" : "then " + at->value, at->because});
  }
  return out;
}

std::string why_not(const Report& report, std::string_view field) {
  const std::string name = field_meant(field);
  std::vector<std::string_view> fields;
  for (int i = 0; i < kFieldCount; ++i)
    if (is_server_args_field(static_cast<Field>(i)))
      fields.push_back(field_name(static_cast<Field>(i)));
  if (std::find(fields.begin(), fields.end(), name) == fields.end()) {
    const std::vector<std::string_view> near = nearest(name, fields, 1);
    return fill("SGLang has no field {}{}",
                {name, near.empty() ? "" : fill("; did you mean {}?", {near[0]})});
  }
  if (report.launches.empty()) return "there is no launch that could give " + name + " a value";
  return fill("SGLang rejects the command before {} has its value: {}",
              {name, report.launches[0].error_message});
}

std::string fixed_source(const Report& report, std::string_view source) {
  std::vector<SourceEdit> edits;
  for (const LaunchReport& l : report.launches)
    edits.insert(edits.end(), l.fixed_edits.begin(), l.fixed_edits.end());
  for (const Diagnostic& d : report.diagnostics)
    if (d.rule == kSuppressionUnused.id && !d.suppressed && !d.fixes.empty())
      edits.insert(edits.end(), d.fixes[0].edits.begin(), d.fixes[0].edits.end());
  stable_sort(edits,
              [](const SourceEdit& a, const SourceEdit& b) { return a.span.begin < b.span.begin; });
  // Two launches may want the same.
  edits.erase(std::unique(edits.begin(), edits.end(),
                          [](const SourceEdit& a, const SourceEdit& b) {
                            return a.span.begin == b.span.begin && a.span.end == b.span.end &&
                                   a.text == b.text;
                          }),
              edits.end());
  return edited(edits, source);
}

}  // namespace sglint
