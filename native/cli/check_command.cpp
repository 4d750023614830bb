#include "check_command.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "files.h"
#include "native/gpu/detect/facts.h"
#include "native/gpu/host_rules.h"
#include "native/gpu/selftest_facts.h"

namespace sglint {
namespace {

constexpr int kAccepted = 0, kFindings = 1, kNotCarriedOut = 2;

int complain(const char* sentence) {
  fprintf(stderr, "sglint: %s\n", sentence);
  return kNotCarriedOut;
}

std::string quoted(const std::string& word) {
  if (!word.empty() &&
      word.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+") == word.npos)
    return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

int rank(std::string_view severity) {
  return severity == "error" ? 2 : severity == "warning" ? 1 : 0;
}

int exit_code(const Report& report, const std::string& fail_on) {
  if (!report.error.empty()) return kNotCarriedOut;
  int worst = -1;
  bool rejected = report.launches.empty();
  const auto look = [&](const Diagnostic& d) { worst = std::max(worst, rank(d.severity)); };
  for (const Diagnostic& d : report.diagnostics) look(d);
  for (const LaunchReport& l : report.launches) {
    rejected = rejected || l.outcome != Outcome::ok;
    for (const Diagnostic& d : l.diagnostics) look(d);
  }
  return rejected || worst >= rank(fail_on) ? kFindings : kAccepted;
}

int run_batch(const std::string& path) {
  // Line by line, so that a pipe is answered as it goes.
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (!file) return complain(("cannot read " + path).c_str());
  char* line = nullptr;
  size_t capacity = 0;
  for (ssize_t n; (n = getline(&line, &capacity, file)) >= 0;) {
    std::string_view text(line, static_cast<size_t>(n));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    if (text.empty()) continue;
    const std::string result = check_batch_line(text);
    fwrite(result.data(), 1, result.size(), stdout);
    fputc('\n', stdout);
  }
  free(line);
  if (file != stdin) std::fclose(file);
  return kAccepted;
}

// The machine's facts: of the catalogue, of a file, of this host; with what a self-test measured.
// Empty, or why that cannot be had.
std::string find_machine(const CheckOptions& options, Request& request,
                         std::vector<gpu::Finding>& findings) {
  request.machine = options.machine;
  if (options.machine.find('/') != std::string::npos ||
      options.machine.find('.') != std::string::npos || options.machine == "-") {
    std::optional<std::string> facts = read_file(options.machine);
    if (!facts) return "the machine's facts are not there";
    // `sglint detect --json` of another host holds the facts among the rest, a self-test some.
    std::string machine = gpu::machine_of_detection(*facts);
    if (machine.empty()) machine = gpu::machine_of_selftest(*facts);
    request.machine = machine.empty() ? std::move(*facts) : std::move(machine);
  }
  if (options.here) {
    if (!options.machine.empty()) return "give --machine or --here, not both";
    const gpu::Detection here = gpu::detect_here(options.plugin);
    request.machine = gpu::machine_of_detection(gpu::detection_json(here));
    if (request.machine.empty())
      return "this host cannot be described: " +
             (here.driver.problem.empty() ? "CUDA sees none of its GPUs" : here.driver.problem);
    // The installed SGLang is the one that will run.
    if (const auto sglang = here.software.find("sglang");
        request.release.empty() && sglang != here.software.end())
      request.release = sglang->second;
    findings = gpu::host_findings(here);
  }
  if (!options.selftest.empty()) {
    const std::optional<std::string> selftest = read_file(options.selftest);
    if (!selftest) return "the self-test's report is not there";
    std::string why;
    request.machine = gpu::add_selftest(request.machine, *selftest, why);
    if (request.machine.empty()) return why;
  }
  return "";
}

}  // namespace

int run_check(const CheckOptions& options) {
  if (!options.batch.empty()) return run_batch(options.batch);

  Request request = options.request;
  if (!options.command.empty()) {
    if (!options.file.empty()) return complain("give a file or a command after --, not both");
    for (const std::string& word : options.command)
      request.text += (request.text.empty() ? "" : " ") + quoted(word);
  } else {
    if (options.file.empty())
      return complain(
          "nothing to check: name a file, - for standard input, or put the command after --");
    std::optional<std::string> text = read_file(options.file);
    if (!text) return kNotCarriedOut;
    request.text = std::move(*text);
  }
  std::vector<gpu::Finding> findings;
  if (const std::string reason = find_machine(options, request, findings); !reason.empty())
    return complain(reason.c_str());
  if (!options.model_config.empty()) {
    std::optional<std::string> config = read_file(options.model_config);
    if (!config) return kNotCarriedOut;
    request.model_config = std::move(*config);
  }

  Report report = check(request);
  for (const gpu::Finding& f : findings) {
    if (options.format == "text")
      fprintf(stderr, "sglint: this host: %s[%s]: %s\n", f.severity.c_str(), f.rule.c_str(),
              f.message.c_str());
    Diagnostic d;
    d.rule = f.rule, d.severity = f.severity, d.stage = "host", d.message = f.message;
    if (const gpu::HostRule* rule = gpu::find_host_rule(f.rule)) d.why = rule->why;
    report.diagnostics.push_back(std::move(d));
  }
  if (!report.error.empty() && options.format == "text") return complain(report.error.c_str());
  if (!options.why.empty()) {
    const std::string text = why(report, options.why);
    if (text.empty())
      return complain(("no launch gives " + options.why +
                       " a value other than SGLang's default, or none is accepted")
                          .c_str());
    fputs(text.c_str(), stdout);
    return kAccepted;
  }
  if (options.fix) {
    fputs(fixed_source(report, request.text).c_str(), stdout);
    return exit_code(report, options.fail_on);
  }
  std::string out;
  if (options.format == "json") {
    out = to_json(report) + "\n";
  } else {
    TextStyle style;
    style.color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    style.file = options.file == "-" ? "" : options.file;
    style.resolved = options.resolved;
    out = to_text(report, request.text, style);
  }
  fwrite(out.data(), 1, out.size(), stdout);
  return exit_code(report, options.fail_on);
}

int list_rules(bool as_json) {
  if (as_json) {
    std::string json = rules_json();  // an array; the host's rules go to its end
    json.insert(json.rfind(']'), "," + gpu::host_rules_json());
    puts(json.c_str());
    return kAccepted;
  }
  fputs((rules_text() + gpu::host_rules_text()).c_str(), stdout);
  return kAccepted;
}

int explain_rule(const std::string& id) {
  std::string text = explain(id);
  if (text.empty()) text = gpu::explain_host_rule(id);
  if (text.empty())
    return complain(("there is no rule " + id + "; `sglint rules` lists them").c_str());
  fputs(text.c_str(), stdout);
  return kAccepted;
}

}  // namespace sglint
