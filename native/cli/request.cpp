#include "request.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "command_line.h"
#include "files.h"
#include "named_files.h"
#include "native/gpu/detect/facts.h"
#include "native/gpu/host_rules.h"
#include "native/gpu/selftest_facts.h"

namespace sglint {
namespace {

// Puts the machine's facts into the request: of the catalogue, of a file, of this host; with what a
// self-test measured. Empty, or why that cannot be had.
std::string find_machine(const RequestOptions& options, Request& request,
                         std::vector<gpu::Finding>& findings) {
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
  } else if (!options.machine.empty()) {
    std::optional<std::string> machine = machine_of_option(options.machine);
    if (!machine) return "the machine's facts are not there";
    request.machine = std::move(*machine);
  }
  if (!options.selftest.empty()) {
    const std::optional<std::string> selftest =
        read_file(options.selftest, "the self-test's report");
    if (!selftest) return "the self-test's report is not there";
    std::string why;
    request.machine = gpu::add_selftest(request.machine, *selftest, why);
    if (request.machine.empty()) return why;
  }
  return "";
}

}  // namespace

int complain(const std::string& sentence) {
  fprintf(stderr, "sglint: %s\n", sentence.c_str());
  return kNotCarriedOut;
}

void add_request_options(CLI::App& app, RequestOptions& o) {
  app.add_option("FILE", o.file, "");
  app.add_option("--release", o.request.release,
                 "SGLang release (default: from the image tag, else the newest known)")
      ->type_name("RELEASE");
  app.add_option("--machine", o.machine,
                 "Catalogue name such as h200 or h100x4, or a file with facts (JSON, nvidia-smi "
                 "output); default: 8 H100")
      ->type_name("MACHINE");
  app.add_flag("--here", o.here, "The machine is this host (asks the GPU plugin)");
  app.add_option("--plugin", o.plugin, "The GPU plugin for --here, instead of looking for it")
      ->type_name("FILE");
  app.add_option("--selftest", o.selftest,
                 "A stored report of sglint selftest --json: warns where ReplaySSM was measured to "
                 "be slower (with --here, or a detection as --machine)")
      ->type_name("FILE");
  app.add_option("--model", o.request.model,
                 "Hub id of the model, where the command does not say it")
      ->type_name("ID");
  app.add_option("--model-config", o.model_config, "The model's config.json")->type_name("FILE");
}

std::optional<std::string> machine_of_option(const std::string& machine) {
  if (machine.find_first_of("/.") == machine.npos && machine != "-") return machine;
  std::optional<std::string> facts = read_file(machine, "the machine's facts");
  if (!facts) return facts;
  // `sglint detect --json` of another host holds the facts among the rest, a self-test some.
  std::string inner = gpu::machine_of_detection(*facts);
  if (inner.empty()) inner = gpu::machine_of_selftest(*facts);
  return inner.empty() ? std::move(*facts) : std::move(inner);
}

std::optional<Request> build_request(const RequestOptions& options, std::vector<Diagnostic>* host) {
  const auto fail = [](const char* sentence) {
    complain(sentence);
    return std::optional<Request>();
  };
  Request request = options.request;
  if (!options.command.empty()) {
    if (!options.file.empty()) return fail("give a file or a command after --, not both");
    if (options.command.size() == 1)
      request.text = options.command[0];  // a whole one in quotes
    else
      for (const std::string& word : options.command)
        request.text += (request.text.empty() ? "" : " ") + shell_quoted(word);
  } else if (options.file.empty()) {
    return fail("nothing to check: name a file, - for standard input, or put the command after --");
  } else {
    std::optional<std::string> text = read_file(options.file, "the command");
    if (!text) return std::nullopt;
    request.text = std::move(*text);
  }
  std::vector<gpu::Finding> findings;
  if (const std::string reason = find_machine(options, request, findings); !reason.empty())
    return fail(reason.c_str());
  for (const gpu::Finding& f : findings) {
    if (!host) {
      fprintf(stderr, "sglint: this host: %s[%s]: %s\n", f.severity.c_str(), f.rule.c_str(),
              f.message.c_str());
      continue;
    }
    Diagnostic d;
    d.rule = f.rule, d.severity = f.severity, d.stage = "host", d.message = f.message;
    if (const gpu::HostRule* rule = gpu::find_host_rule(f.rule)) d.why = rule->why;
    host->push_back(std::move(d));
  }
  if (!options.model_config.empty()) {
    std::optional<std::string> config = read_file(options.model_config, "the model's config.json");
    if (!config) return std::nullopt;
    request.model_config = std::move(*config);
  }
  read_named_files(request, options.file);
  return request;
}

TextStyle terminal_style(const RequestOptions& options) {
  TextStyle style;
  const char* no_color = getenv("NO_COLOR");  // no-color.org: set and not empty
  style.color = isatty(STDOUT_FILENO) && !(no_color && *no_color);
  style.file = options.file == "-" ? "" : options.file;
  return style;
}

}  // namespace sglint
