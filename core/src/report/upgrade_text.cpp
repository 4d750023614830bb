// What an upgrade changes, for people.
#include <algorithm>

#include "report/secrets.h"
#include "report/text_parts.h"
#include "report/texts_of.h"

namespace sglint {
namespace {

std::string verdict(const MatrixCell& cell) {
  if (cell.outcome == Outcome::ok)
    return cell.load.empty() ? "accepts it" : "accepts it, then fails while it loads or serves";
  return fill("rejects it [{}]", {cell.rule});
}

std::string flag_line(const FlagChange& f, const Upgrade& u) {
  if (f.change == "renamed") return fill("{} is now {}", {f.flag, f.instead});
  if (f.change == "removed") return fill("{} is gone in {}", {f.flag, u.to});
  if (f.change == "ignored")
    return fill("{} is still taken but does nothing in {}", {f.flag, u.to});
  if (f.change == "added") return fill("{} is new: {} does not know it", {f.flag, u.from});
  if (f.change == "ambiguous")
    return fill("{} stands for several flags in {}; write {}", {f.flag, u.to, f.instead});
  return f.instead.empty() ? fill("{} is deprecated in {}", {f.flag, u.to})
                           : fill("{} is deprecated in {}: use {}", {f.flag, u.to, f.instead});
}

// "a → b", long ones from a little before where they differ.
std::string change(const std::string& from, const std::string& to) {
  constexpr size_t kMost = 60, kBefore = 15;
  size_t same = 0;
  while (same < from.size() && same < to.size() && from[same] == to[same]) ++same;
  size_t skip = same > kBefore && std::max(from.size(), to.size()) > kMost ? same - kBefore : 0;
  while (skip > 0 && (from[skip] & 0xC0) == 0x80) --skip;
  std::string out;
  for (const std::string* side : {&from, &to})
    out += (out.empty() ? "" : " → ") + (side->empty()
                                             ? std::string("(no such setting)")
                                             : (skip ? "…" : "") + cut(side->substr(skip), kMost));
  return out;
}

}  // namespace

std::string to_text(const Upgrade& given, std::string_view text, const TextStyle& style) {
  const Painter paint(style.color);
  Upgrade u = given;
  for_each_text(u, [](std::string& s) { s = visible(s); });
  if (!u.error.empty()) return paint.red("error") + "  " + u.error + "\n";
  const std::string shown = masked(text, u.secrets);
  const Lines source(shown);
  std::string out;
  if (u.launches.empty()) return paint.red("error") + "  No SGLang launch command was found.\n";
  for (const LaunchUpgrade& l : u.launches) {
    const bool fine = l.to.outcome == Outcome::ok && l.to.load.empty();
    out += (fine ? paint.green("works") : paint.red("breaks")) + "  " +
           paint.bold(fill("SGLang {} {}; {} {}.", {u.from, verdict(l.from), u.to, verdict(l.to)}) +
                      (l.name.empty() ? "" : " (" + l.name + ")")) +
           "\n\n";
    const auto head = [&](const char* title, bool any) {
      if (any) out += paint.bold(title) + "\n";
      return any;
    };
    if (head("Flags of this command", !l.flags.empty())) {
      for (const FlagChange& f : l.flags) out += "  " + wrap(flag_line(f, u), 2) + "\n";
      out += "\n";
    }
    if (head("Defaults it relies on", !l.defaults.empty())) {
      for (const DefaultChange& d : l.defaults) {
        out += fill("  {}: {}", {d.field, change(d.from, d.to)});
        if (!d.keep.empty()) out += paint.dim("  to keep it: " + d.keep);
        out += "\n";
      }
      out += "\n";
    }
    for (const auto& [title, list] :
         {std::pair{"What really runs", &l.effective}, std::pair{"Resolved values", &l.resolved}}) {
      if (!head(title, !list->empty())) continue;
      for (const ValueChange& v : *list)
        out += fill("  {}: {}\n    {}\n",
                    {v.field, change(v.from, v.to), paint.dim(wrap(v.because, 4))});
      out += "\n";
    }
    if (head("New findings", !l.appeared.empty()))
      for (const Diagnostic& d : l.appeared)
        append_finding(out, d, d.message, source, style, paint);
    if (head("Findings that go away", !l.gone.empty())) {
      for (const Diagnostic& d : l.gone) out += fill("  [{}] {}\n", {d.rule, wrap(d.message, 4)});
      out += "\n";
    }
    if (!l.command.empty())
      out +=
          paint.bold(fill("Command for {}", {u.to})) + "\n  " + whole_command(l.command) + "\n\n";
    else if (!l.accepted)
      out += paint.bold(fill("No edit was found that {} accepts.", {u.to})) + "\n\n";
    else if (l.flags.empty() && l.resolved.empty() && l.effective.empty() && l.appeared.empty())
      out += "Nothing changes for this command.\n\n";
  }
  return out;
}

}  // namespace sglint
