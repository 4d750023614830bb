// One launch over machines and releases. The text is read once, the arguments are parsed once a
// release, and nothing is repaired unless that was asked for.
#include "base/text.h"
#include "facts/machine_catalogue.h"
#include "repair/repair.h"
#include "report/effective.h"
#include "report/json_object.h"
#include "report/launch_facts.h"
#include "report/outcomes.h"
#include "report/secrets.h"
#include "sglint/sglint.h"

namespace sglint {
namespace {

// Where no machine is named: what SGLang is run on most, in order of generation.
constexpr std::string_view kUsual[] = {"a100",  "l40s",    "rtx4090",    "h20",    "h100",
                                       "h200",  "rtx5090", "rtxpro6000", "gb10",   "b200",
                                       "gb200", "b300",    "gb300",      "mi300x", "mi355x"};

// "x4" of "h100x4" or what all launches of the text ask for (--gpus 4, resource limits); else "".
std::string gpu_count(const Value& machine, const std::vector<Launch>& launches) {
  const std::string name = lower(machine.as_str());
  if (const std::string_view times = count_in_name(name); !times.empty()) return std::string(times);
  std::optional<int> count;
  for (const Launch& launch : launches) {
    if (!launch.gpu_count || *launch.gpu_count < 1 || (count && count != launch.gpu_count))
      return {};
    count = launch.gpu_count;
  }
  return count ? "x" + std::to_string(*count) : "";
}

MatrixCell cell_of(const Facts& facts, const Arguments& arguments, const Launch& launch, bool fixes,
                   const std::vector<std::string>& secrets) {
  MatrixCell cell;
  cell.release = std::string(release_name(facts.release));
  std::unique_ptr<Resolution> r;
  if (!arguments.error) {
    r = std::make_unique<Resolution>(facts, arguments);
    resolve_launch(*r);
  }
  const Ending stop = stop_of(arguments, r.get());
  cell.outcome = stop.outcome;
  cell.rule = stop.rule ? std::string(stop.rule->id) : "";
  cell.error_type = stop.type;
  cell.error_message = stop.message;
  hide_secrets(cell.error_message, secrets);
  if (stop.outcome == Outcome::ok) {
    if (const Finding* failure = load_failure(*r)) cell.load = std::string(failure->rule->id);
    for (EffectiveValue& e : effective_values(*r))
      cell.effective.emplace_back(std::move(e.name), std::move(e.value));
  }
  if (fixes && (stop.outcome != Outcome::ok || !cell.load.empty())) {
    const Repaired repaired = repair(facts, launch.argv);
    if (!repaired.problems.empty() && !repaired.problems[0].fixes.empty())
      cell.fix = repaired.problems[0].fixes[0].title;
    hide_secrets(cell.fix, secrets);
  }
  return cell;
}

Matrix matrix_value(const Value& request) {
  Matrix out;
  const auto fail = [&] {
    out.machines.clear();
    out.releases.clear();
    return out;
  };
  const std::optional<LaunchFacts> given = launch_facts(request, &out.error);
  if (!given) return fail();
  std::vector<Machine> machines;
  std::vector<Release> releases;
  const auto add = [&](const Value& wanted) {
    std::optional<Machine> machine = machine_of(wanted, &out.error);
    if (!machine) return false;
    out.machines.push_back(machine->name.empty() ? machine->gpu_name : machine->name);
    machines.push_back(std::move(*machine));
    return true;
  };
  const Value::List& named = request["machines"].as_list();
  for (const Value& wanted : named)
    if (!add(wanted)) return fail();
  if (named.empty()) {
    const std::string count = gpu_count(request["machine"], given->launches);
    for (std::string_view name : kUsual) add(std::string(name) + count);
  }
  const Value::List& wanted_releases = request["releases"].as_list();
  for (const Value& wanted : wanted_releases) {
    const std::optional<Release> release = release_of(wanted, &out.error);
    if (!release) return fail();
    releases.push_back(*release);
  }
  if (releases.empty())
    for (int i = 0; i < kReleaseCount; ++i) releases.push_back(static_cast<Release>(i));
  for (Release release : releases) out.releases.emplace_back(release_name(release));

  const std::vector<std::string> secrets = secrets_of(given->text, given->launches);
  for (const Launch& launch : given->launches) {
    MatrixLaunch row;
    row.name = launch.name;
    Facts facts = facts_of(*given, launch);
    std::vector<Arguments> arguments;
    for (Release release : releases)
      arguments.push_back(parse_arguments(release, launch.argv, facts.files));
    for (size_t m = 0; m < machines.size(); ++m) {
      put_machine(facts, machines[m]);
      for (size_t i = 0; i < releases.size(); ++i) {
        facts.release = releases[i];
        row.cells.push_back(
            cell_of(facts, arguments[i], launch, request["fixes"].truthy(), secrets));
        row.cells.back().machine = out.machines[m];
      }
    }
    out.launches.push_back(std::move(row));
  }
  return out;
}

}  // namespace

Matrix matrix(const Request& request, const MatrixOptions& options) {
  const auto list = [](const std::vector<std::string>& items) {
    Value::List out;
    for (const std::string& item : items) out.emplace_back(item);
    return out;
  };
  return matrix_value(request_value(request)
                          .with("machines", list(options.machines))
                          .with("releases", list(options.releases))
                          .with("fixes", options.fixes));
}

void append_cell(Object& o, std::string& out, const MatrixCell& cell) {
  o.text("machine", cell.machine);
  o.text("release", cell.release);
  o.text("outcome", outcome_name(cell.outcome));
  o.text_or_null("rule", cell.rule);
  append_error(o, out, cell.outcome, cell.error_type, cell.error_message);
  o.text_or_null("load", cell.load);
  {
    Object effective(o.key("effective"));
    for (const auto& [name, value] : cell.effective) effective.text(name, value);
  }
  o.text_or_null("fix", cell.fix);
}

std::string to_json(const Matrix& m) {
  std::string out;
  {
    Object o(out);
    o.key("schema") += '1';
    o.text("version", kVersion);
    o.text_or_null("error", m.error);
    o.strings("machines", m.machines);
    o.strings("releases", m.releases);
    o.list("launches", m.launches, [&](const MatrixLaunch& launch) {
      Object l(out);
      l.text("name", launch.name);
      l.list("cells", launch.cells, [&](const MatrixCell& cell) {
        Object c(out);
        append_cell(c, out, cell);
      });
    });
  }
  return out;
}

std::string matrix_json(std::string_view request_json) {
  Matrix broken;
  const std::optional<Value> request = parse_request(request_json, &broken.error);
  return to_json(request ? matrix_value(*request) : broken);
}

}  // namespace sglint
