#include "native/gpu/selftest_report.h"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>

namespace sglint::gpu {
namespace {

using Value = rapidjson::Value;

constexpr double kOutlier = 0.05;   // below the median of its kind by this share
constexpr size_t kFewestPeers = 3;  // for a median to mean something
constexpr double kLatencyUs = 60;   // a shorter launch is latency, which scatters
constexpr size_t kFailuresShown = 4;

std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char* pattern, ...) {
  char buffer[600];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(buffer, sizeof buffer, pattern, arguments);
  va_end(arguments);
  return buffer;
}

std::string text_of(const Value& v, const char* name, const char* otherwise = "") {
  return v.IsObject() && v.HasMember(name) && v[name].IsString() ? v[name].GetString() : otherwise;
}
double number_of(const Value& v, const char* name, double otherwise = 0) {
  return v.IsObject() && v.HasMember(name) && v[name].IsNumber() ? v[name].GetDouble() : otherwise;
}
const Value* array_of(const Value& v, const char* name) {
  return v.IsObject() && v.HasMember(name) && v[name].IsArray() ? &v[name] : nullptr;
}

// A member, or the whole where there is none: what is asked of it is then not found.
const Value& member(const Value& v, const char* name) {
  return v.IsObject() && v.HasMember(name) ? v[name] : v;
}

// The document, or why it is none.
std::string parse(const std::string& json, rapidjson::Document& d) {
  d.Parse<rapidjson::kParseIterativeFlag>(json.c_str());
  if (d.HasParseError() || !d.IsObject()) return "not a JSON object";
  if (const std::string error = text_of(d, "error"); !error.empty()) return error;
  if (text_of(d, "kind") != "sglint-selftest") return "not a report of sglint selftest";
  if (number_of(d, "schema") != 1)
    return format("schema %g, which this version does not read", number_of(d, "schema"));
  if (array_of(d, "gpus") == nullptr) return "it lists no GPUs";
  return "";
}

std::string test_line(const Value& test) {
  const std::string verdict = text_of(test, "verdict");
  std::string line = format("  %-7s %s", verdict.c_str(), text_of(test, "rule").c_str());
  if (verdict != "skipped") {
    const bool finite = test.HasMember("value") && test["value"].IsNumber();
    line += finite ? format(": %.3g", number_of(test, "value")) : std::string(": not a number");
    line += format(" (limit %.3g %s)", number_of(test, "limit"), text_of(test, "unit").c_str());
  }
  if (const std::string reason = text_of(test, "reason"); !reason.empty())
    line += "\n          " + reason;
  return line + "\n";
}

std::string timing_table(const Value& timings) {
  std::string t = "    batch   plain us  (floor)   replay us: cycle  mixed  (floor)   speed-up\n";
  for (const Value& x : timings.GetArray())
    t += format("    %5.0f  %9.1f %8.1f          %7.1f %7.1f %7.1f      %5.2fx\n",
                number_of(x, "batch"), number_of(x, "plain_us"), number_of(x, "plain_floor_us"),
                number_of(x, "replay_cycle_us"), number_of(x, "replay_mixed_us"),
                number_of(x, "replay_floor_us"), number_of(x, "speedup"));
  return t;
}

std::string payoff_line(const Value& gpu, const std::string& model, const std::string& state) {
  if (!gpu.HasMember("replay")) return "";
  const Value& r = gpu["replay"];
  if (number_of(r, "from_batch") == 0)
    return format(
        "  --enable-linear-replayssm does not pay here for %s with %s states at the batch sizes "
        "measured.\n",
        model.c_str(), state.c_str());
  return format(
      "  --enable-linear-replayssm pays here for %s with %s states from batch %.0f on (%.2fx at "
      "%.0f).\n",
      model.c_str(), state.c_str(), number_of(r, "from_batch"),
      number_of(r, "speedup_at_largest_batch"), number_of(r, "largest_batch"));
}

struct Card {
  std::string host, name, uuid, verdict;
  int index = 0;
  std::map<std::string, double> figures;  // larger is better
  std::vector<std::string> failures, remarks;
};

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x.size() % 2 == 1 ? x[x.size() / 2] : (x[x.size() / 2 - 1] + x[x.size() / 2]) / 2;
}

Card card_of(const Value& report, const Value& gpu) {
  Card c;
  c.host = text_of(report, "host");
  c.index = static_cast<int>(number_of(gpu, "index"));
  c.name = text_of(gpu, "name", "unknown");
  c.uuid = text_of(gpu, "uuid");
  c.verdict = text_of(gpu, "verdict", "fail");
  if (gpu.HasMember("copy_gbs")) {
    c.figures["copy GB/s"] = number_of(gpu, "copy_gbs");
    c.figures["read GB/s"] = number_of(gpu, "read_gbs");
  }
  // Comparable only among reports of one model, state and ring.
  const std::string shape =
      text_of(member(report, "model"), "name") + " " + text_of(report, "state");
  if (const Value* timings = array_of(gpu, "timings"))
    for (const Value& t : timings->GetArray()) {
      if (number_of(t, "plain_floor_us") < kLatencyUs) continue;
      const std::string at = shape + " batch " + format("%.0f", number_of(t, "batch"));
      c.figures[at + " plain per ms"] = 1000 / number_of(t, "plain_us", 1e9);
      c.figures[at + " replay per ms"] = 1000 / number_of(t, "replay_mixed_us", 1e9);
    }
  if (const Value* tests = array_of(gpu, "tests"))
    for (const Value& t : tests->GetArray())
      if (text_of(t, "verdict") == "fail") c.failures.push_back(text_of(t, "rule"));
  return c;
}

// Compares each card with all of its kind.
void remark_outliers(std::vector<Card>& cards) {
  for (Card& c : cards)
    for (const auto& [figure, value] : c.figures) {
      std::vector<double> peers;
      for (const Card& o : cards)
        if (o.name == c.name && o.figures.count(figure) != 0) peers.push_back(o.figures.at(figure));
      const double middle = median(peers);
      if (peers.size() >= kFewestPeers && value < (1 - kOutlier) * middle)
        c.remarks.push_back(format("%s %.4g, %.0f %% below the median %.4g of %zu", figure.c_str(),
                                   value, 100 * (1 - value / middle), middle, peers.size()));
    }
}

std::string card_table(const std::vector<Card>& cards) {
  std::string t = format("%-24s %3s %-24s %-7s %9s %9s\n", "host", "GPU", "card", "verdict",
                         "copy GB/s", "read GB/s");
  for (const Card& c : cards) {
    const auto figure = [&c](const char* name) {
      return c.figures.count(name) != 0 ? c.figures.at(name) : 0;
    };
    t += format("%-24s %3d %-24s %-7s %9.0f %9.0f%s\n", c.host.c_str(), c.index, c.name.c_str(),
                c.verdict.c_str(), figure("copy GB/s"), figure("read GB/s"),
                c.remarks.empty() ? "" : "  <- stands out");
  }
  return t;
}

// One cause fails many tests: the text names the first, the JSON all.
std::string card_remarks(const std::vector<Card>& cards) {
  std::string t;
  for (const Card& c : cards) {
    for (size_t i = 0; i < std::min(c.failures.size(), kFailuresShown); ++i)
      t += format("%s GPU %d failed %s\n", c.host.c_str(), c.index, c.failures[i].c_str());
    if (c.failures.size() > kFailuresShown)
      t += format("%s GPU %d failed %zu tests more\n", c.host.c_str(), c.index,
                  c.failures.size() - kFailuresShown);
    for (const std::string& remark : c.remarks)
      t += format("%s GPU %d stands out: %s\n", c.host.c_str(), c.index, remark.c_str());
  }
  return t;
}

void write_card(rapidjson::Writer<rapidjson::StringBuffer>& w, const Card& c) {
  w.StartObject();
  w.Key("host"), w.String(c.host.c_str());
  w.Key("index"), w.Int(c.index);
  w.Key("name"), w.String(c.name.c_str());
  w.Key("uuid"), w.String(c.uuid.c_str());
  w.Key("verdict"), w.String(c.verdict.c_str());
  for (const auto& [key, list] :
       {std::make_pair("failures", &c.failures), std::make_pair("outliers", &c.remarks)}) {
    w.Key(key), w.StartArray();
    for (const std::string& item : *list) w.String(item.c_str());
    w.EndArray();
  }
  w.EndObject();
}

}  // namespace

Rendered render_report(const std::string& json) {
  Rendered r;
  rapidjson::Document d;
  if (std::string error = parse(json, d); !error.empty()) {
    r.text = error;
    return r;
  }
  r.readable = true;
  const Value& model = member(d, "model");
  r.text =
      format("%s: self-test (%s) at the shapes of %s, %s states, ring of %.0f\n",
             text_of(d, "host").c_str(), text_of(d, "mode").c_str(), text_of(model, "name").c_str(),
             text_of(d, "state").c_str(), number_of(d, "ring_length"));
  for (const Value& gpu : array_of(d, "gpus")->GetArray()) {
    const Value* tests = array_of(gpu, "tests");
    int passed = 0;
    if (tests != nullptr)
      for (const Value& t : tests->GetArray()) passed += text_of(t, "verdict") == "pass";
    r.failed |= text_of(gpu, "verdict") == "fail";
    r.text += format("GPU %.0f %s: %s (%d tests passed, %.0f failed, %.0f warned) in %.1f s\n",
                     number_of(gpu, "index"), text_of(gpu, "name").c_str(),
                     text_of(gpu, "verdict").c_str(), passed, number_of(gpu, "failed"),
                     number_of(gpu, "warned"), number_of(gpu, "seconds"));
    if (tests != nullptr)
      for (const Value& t : tests->GetArray())
        if (text_of(t, "verdict") != "pass") r.text += test_line(t);
    if (gpu.HasMember("copy_gbs"))
      r.text += format("  copy %.0f GB/s, read %.0f GB/s\n", number_of(gpu, "copy_gbs"),
                       number_of(gpu, "read_gbs"));
    if (const Value* timings = array_of(gpu, "timings"); timings != nullptr && !timings->Empty())
      r.text += timing_table(*timings);
    r.text += payoff_line(gpu, text_of(model, "name"), text_of(d, "state"));
  }
  return r;
}

std::string render_progress(const std::string& json) {
  rapidjson::Document d;
  d.Parse<rapidjson::kParseIterativeFlag>(json.c_str());
  if (d.HasParseError() || !d.IsObject() || !d.HasMember("test")) return "";
  return format("GPU %.0f", number_of(d, "gpu")) + test_line(d["test"]).substr(1);
}

Merged merge_reports(const std::vector<HostReport>& reports) {
  Merged m;
  std::vector<Card> cards;
  std::vector<std::pair<std::string, std::string>> unreadable;
  for (const HostReport& report : reports) {
    rapidjson::Document d;
    if (std::string error = parse(report.json, d); !error.empty()) {
      unreadable.emplace_back(report.file, error);
      continue;
    }
    for (const Value& gpu : array_of(d, "gpus")->GetArray()) cards.push_back(card_of(d, gpu));
  }
  remark_outliers(cards);
  std::stable_sort(cards.begin(), cards.end(), [](const Card& a, const Card& b) {
    return a.host != b.host ? a.host < b.host : a.index < b.index;
  });
  const auto count = [&cards](auto what) {
    return static_cast<long>(std::count_if(cards.begin(), cards.end(), what));
  };
  const long failed = count([](const Card& c) { return c.verdict == "fail"; });
  const long outliers = count([](const Card& c) { return !c.remarks.empty(); });
  m.failed = failed > 0;
  m.unreadable = static_cast<int>(unreadable.size());

  m.text = card_table(cards) + card_remarks(cards);
  for (const auto& [file, why] : unreadable) m.text += file + ": " + why + "\n";
  m.text += format("%zu GPUs of %zu reports: %ld failed, %ld stand out, %d reports not readable\n",
                   cards.size(), reports.size(), failed, outliers, m.unreadable);

  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> w(buffer);
  w.StartObject();
  w.Key("schema"), w.Int(1);
  w.Key("kind"), w.String("sglint-selftest-fleet");
  w.Key("gpus"), w.StartArray();
  for (const Card& c : cards) write_card(w, c);
  w.EndArray();
  w.Key("unreadable"), w.StartArray();
  for (const auto& [file, why] : unreadable) {
    w.StartObject();
    w.Key("file"), w.String(file.c_str());
    w.Key("error"), w.String(why.c_str());
    w.EndObject();
  }
  w.EndArray();
  w.EndObject();
  m.json = buffer.GetString();
  return m;
}

}  // namespace sglint::gpu
