// Lines of the source in the report for people: what a finding is about, and a fix as a diff.
#include <algorithm>

#include "report/lines.h"
#include "report/text_parts.h"

namespace sglint {
namespace {

bool inside_letter(std::string_view s, size_t i) { return i < s.size() && (s[i] & 0xc0) == 0x80; }

size_t code_points(std::string_view s) {
  return static_cast<size_t>(
      std::count_if(s.begin(), s.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string_view without_return(std::string_view line) {
  return line.substr(0, line.size() - ends_with(line, "\r"));
}

std::string on_one_line(std::string_view s) {
  std::string out = visible(s);
  std::replace(out.begin(), out.end(), '\t', ' ');
  return out;
}

// A line around what changes in it: `from` and `to` are kept, and a little on both sides.
std::string window(std::string_view line, size_t from, size_t to) {
  constexpr size_t kAround = 40;
  from = from > kAround && line.size() > kWidth ? from - kAround : 0;
  to = std::min({line.size(), std::max(to + kAround, from + kWidth), from + 3 * kWidth});
  while (inside_letter(line, from)) --from;
  while (inside_letter(line, to)) ++to;
  return (from ? "…" : "") + on_one_line(line.substr(from, to - from)) +
         (to < line.size() ? "…" : "");
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  if (ends_with(text, "\n")) text.remove_suffix(1);
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(without_return(text.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

}  // namespace

void append_excerpt(std::string& out, const Lines& lines, SourceSpan span, const TextStyle& style,
                    const Painter& paint) {
  if (span.begin >= span.end || span.end > lines.text().size()) return;
  const size_t row = lines.number(span.begin);
  const std::string_view whole = without_return(lines.line(row));
  const size_t begin = lines.begin(row);
  if (span.end <= begin) return;  // the byte order mark
  const size_t from = std::max<size_t>(span.begin, begin) - begin;
  size_t to = std::min<size_t>(span.end - begin, whole.size());
  size_t cut = 0;
  if (whole.size() > kWidth && from > 40) cut = from - 40;
  while (cut > 0 && inside_letter(whole, cut)) ++cut;
  std::string_view line = whole.substr(cut);
  bool cut_right = false;
  if (line.size() > kWidth) {
    size_t keep = std::max<size_t>(kWidth, std::min(to - cut, kWidth * 2));
    while (inside_letter(line, keep)) ++keep;
    cut_right = keep < line.size();
    line = line.substr(0, keep);
  }
  to = std::min(to, cut + line.size());
  const std::string number = std::to_string(row);
  const std::string margin(number.size(), ' ');
  const auto column = static_cast<int64_t>(code_points(whole.substr(0, from)) + 1);
  out += paint.cyan(fill(
      "  {} {}{}:{}\n", {margin, style.file.empty() ? "line " : style.file + ":", number, column}));
  out += "  " + paint.cyan(number + " | ") + (cut ? "…" : "") + on_one_line(line) +
         (cut_right ? "…" : "") + "\n";
  const size_t pad = columns(on_one_line(whole.substr(cut, from - cut))) + (cut ? 1 : 0);
  const size_t carets =
      std::max<size_t>(1, columns(on_one_line(whole.substr(from, std::max(to, from) - from))));
  out += "  " + paint.cyan(margin + " | ") + std::string(pad, ' ') +
         paint.red(std::string(carets, '^')) + "\n";
}

void append_diff(std::string& out, const Lines& lines, const std::vector<SourceEdit>& edits,
                 const Painter& paint) {
  constexpr size_t kMostLines = 12;
  const std::string_view source = lines.text();
  size_t printed = 0;
  for (size_t i = 0; i < edits.size();) {
    // Edits of the same lines are shown as one change.
    if (edits[i].span.end > source.size()) return;
    const size_t first = lines.number(edits[i].span.begin);
    size_t last = first, next = i;
    for (; next < edits.size() && lines.number(edits[next].span.begin) <= last; ++next)
      last = std::max(last, lines.number(std::min<size_t>(edits[next].span.end, source.size())));
    const std::string_view end_line = lines.line(last);
    const size_t begin = lines.begin(first), end = lines.begin(last) + end_line.size();
    std::string changed;
    size_t at = begin;
    for (; i < next; ++i) {
      if (edits[i].span.begin < at || edits[i].span.end > end) return;
      changed += source.substr(at, edits[i].span.begin - at);
      changed += edits[i].text;
      at = edits[i].span.end;
    }
    changed += source.substr(at, end - at);
    std::vector<std::string_view> old = split(source.substr(begin, end - begin));
    std::vector<std::string_view> now = split(changed);
    while (!old.empty() && !now.empty() && old.front() == now.front()) {
      old.erase(old.begin());
      now.erase(now.begin());
    }
    while (!old.empty() && !now.empty() && old.back() == now.back()) {
      old.pop_back();
      now.pop_back();
    }
    size_t same = 0, tail = 0;  // what the first two lines have in common
    if (!old.empty() && !now.empty()) {
      const size_t most = std::min(old[0].size(), now[0].size());
      while (same < most && old[0][same] == now[0][same]) ++same;
      while (tail < most - same &&
             old[0][old[0].size() - 1 - tail] == now[0][now[0].size() - 1 - tail])
        ++tail;
    }
    for (const auto* side : {&old, &now}) {
      for (size_t k = 0; k < side->size(); ++k) {
        if (++printed > kMostLines) continue;
        const std::string_view line = (*side)[k];
        const std::string shown =
            k == 0 ? window(line, same, line.size() - std::min(tail, line.size()))
                   : window(line, 0, 0);
        out +=
            "       " + (side == &old ? paint.red("- " + shown) : paint.green("+ " + shown)) + "\n";
      }
    }
  }
  if (printed > kMostLines)
    out += fill("       … {} more lines change\n", {static_cast<int64_t>(printed - kMostLines)});
}

}  // namespace sglint
