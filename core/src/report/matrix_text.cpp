// The matrix for people: a table of verdicts, then each verdict in words.
#include <algorithm>

#include "report/text_parts.h"
#include "report/texts_of.h"

namespace sglint {
namespace {

// "1,204 cells alike" is of no use: the distinct verdicts get a letter each.
struct Verdict {
  const MatrixCell* cell;
  size_t cells = 0;
};

bool same_verdict(const MatrixCell& a, const MatrixCell& b) {
  return a.outcome == b.outcome && a.rule == b.rule && a.error_message == b.error_message &&
         a.load == b.load;
}

bool clean(const MatrixCell& c) { return c.outcome == Outcome::ok && c.load.empty(); }

std::string padded(const std::string& s, size_t width) {
  return s + std::string(width > s.size() ? width - s.size() : 0, ' ');
}

// What runs, name by name: one value everywhere, or the value of each group of machines.
void effective(std::string& out, const Matrix& m, const MatrixLaunch& launch,
               const Painter& paint) {
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, std::string>>>> names;
  const auto slot = [](auto& list, const std::string& key) -> auto& {
    for (auto& entry : list)
      if (entry.first == key) return entry.second;
    list.push_back({key, {}});
    return list.back().second;
  };
  // Of each machine the newest release that accepts the launch.
  for (size_t i = 0; i < m.machines.size(); ++i) {
    for (size_t k = m.releases.size(); k-- > 0;) {
      const MatrixCell& cell = launch.cells[i * m.releases.size() + k];
      if (cell.outcome != Outcome::ok) continue;
      for (const auto& [name, value] : cell.effective) {
        std::string& machines = slot(slot(names, name), value);
        machines += (machines.empty() ? "" : ", ") + cell.machine;
      }
      break;
    }
  }
  if (names.empty()) return;
  out +=
      paint.bold("What really runs") + paint.dim("  on the newest release that accepts it") + "\n";
  for (const auto& [name, values] : names)
    for (const auto& [value, machines] : values)
      out += fill("  {}  {}  {}\n",
                  {padded(name, 26), paint.bold(padded(value, 12)),
                   paint.dim(values.size() == 1 ? std::string("everywhere") : wrap(machines, 44))});
  out += "\n";
}

}  // namespace

std::string to_text(const Matrix& given, const TextStyle& style) {
  const Painter paint(style.color);
  Matrix m = given;
  for_each_text(m, [](std::string& s) { s = visible(s); });
  if (!m.error.empty()) return paint.red("error") + "  " + m.error + "\n";
  std::string out;
  if (m.launches.empty()) return paint.red("error") + "  No SGLang launch command was found.\n";
  size_t width = 8;
  for (const std::string& name : m.machines) width = std::max(width, name.size());
  for (const MatrixLaunch& launch : m.launches) {
    std::vector<Verdict> verdicts;
    size_t good = 0;
    std::string table = padded("", width);
    for (const std::string& release : m.releases)
      table += "  " + paint.bold(padded(release, std::max<size_t>(release.size(), 8)));
    table += "\n";
    for (size_t i = 0; i < launch.cells.size(); ++i) {
      const MatrixCell& cell = launch.cells[i];
      const std::string& release = m.releases[i % m.releases.size()];
      if (i % m.releases.size() == 0) table += paint.bold(padded(cell.machine, width));
      std::string word = "ok";
      if (clean(cell)) {
        ++good;
      } else {
        size_t v = 0;
        while (v < verdicts.size() && !same_verdict(*verdicts[v].cell, cell)) ++v;
        if (v == verdicts.size()) verdicts.push_back({&cell});
        ++verdicts[v].cells;
        word = (cell.outcome == Outcome::ok ? "fails " : "no ") + std::to_string(v + 1);
      }
      word = padded(word, std::max<size_t>(release.size(), 8));
      table += "  " + (clean(cell)                   ? paint.green(word)
                       : cell.outcome == Outcome::ok ? paint.yellow(word)
                                                     : paint.red(word));
      if ((i + 1) % m.releases.size() == 0) table += "\n";
    }
    out +=
        paint.bold(fill("Accepted in {} of {} combinations",
                        {static_cast<int64_t>(good), static_cast<int64_t>(launch.cells.size())}) +
                   (launch.name.empty() ? "" : " (" + launch.name + ")")) +
        "\n\n" + table + "\n";
    for (size_t v = 0; v < verdicts.size(); ++v) {
      const MatrixCell& cell = *verdicts[v].cell;
      const bool later = cell.outcome == Outcome::ok;
      const std::string number = std::to_string(v + 1);
      out += (later ? paint.yellow("fails " + number) : paint.red("no " + number)) + "  " +
             paint.dim("[" + (later ? cell.load : cell.rule) + "]") +
             (later ? " accepted, then fails while it loads or serves" : "") + "\n";
      if (!later)
        out +=
            "  " +
            wrap((cell.error_type.empty() ? "" : cell.error_type + ": ") + cell.error_message, 2) +
            "\n";
      if (!cell.fix.empty()) out += "  " + paint.green("fix:") + " " + wrap(cell.fix, 7) + "\n";
    }
    if (!verdicts.empty()) out += "\n";
    effective(out, m, launch, paint);
  }
  return out;
}

}  // namespace sglint
