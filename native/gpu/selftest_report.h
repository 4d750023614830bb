// Reads the self-test's JSON documents: one host's as text, many hosts' as one table with the cards
// that stand out.
#pragma once

#include <string>
#include <vector>

namespace sglint::gpu {

struct HostReport {
  std::string file;  // where it came from, for messages
  std::string json;
};

struct Rendered {
  bool readable = false;
  bool failed = false;  // some GPU did not pass
  std::string text;     // or why it is not readable
};

// What a person wants to know of one host: verdicts per GPU, every test that did not pass, speed,
// whether replay pays.
Rendered render_report(const std::string& json);

// One line of progress ({"gpu", "test"}) as text; empty for what is not worth a line.
std::string render_progress(const std::string& json);

struct Merged {
  bool failed = false;
  int unreadable = 0;
  std::string text;
  std::string json;  // {"schema", "kind": "sglint-selftest-fleet", "gpus": […], "outliers": […],
                     // "unreadable": […]}
};

// A card stands out when it failed, or when a figure is more than 5 % worse than the median of the
// cards of its name.
Merged merge_reports(const std::vector<HostReport>& reports);

}  // namespace sglint::gpu
