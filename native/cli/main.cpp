// sglint: the command line. Exit codes: 0 accepted, 1 rejected or findings at or over --fail-on, 2
// the call itself was wrong or could not be carried out.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check_command.h"
#include "compare_commands.h"
#include "detect.h"
#include "selftest.h"
#include "sglint/sglint.h"

namespace {

// What follows `--` is the command to check; CLI11 sees only what stands before it.
std::vector<std::string> split_command(int& argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) != "--") continue;
    std::vector<std::string> command(argv + i + 1, argv + argc);
    argc = i;
    return command;
  }
  return {};
}

void add_format(CLI::App& app, std::string& format, const std::vector<std::string>& formats) {
  app.add_option("--format", format, "Form of the answer")
      ->check(CLI::IsMember(formats))
      ->default_str("text");
}

}  // namespace

int main(int argc, char** argv) {
  // Their options, and the self-test's `--`, are their own.
  if (argc > 1 && std::string(argv[1]) == "selftest")
    return sglint::selftest_main(argc - 1, argv + 1);
  if (argc > 1 && std::string(argv[1]) == "detect") return sglint::detect_main(argc - 1, argv + 1);

  sglint::CheckOptions options;
  options.command = split_command(argc, argv);

  CLI::App app{"Checks launch commands of SGLang without SGLang, Python or a GPU."};
  app.name("sglint");
  app.set_version_flag("--version", std::string(sglint::kVersion));
  app.require_subcommand(1);
  app.footer(
      "Example: sglint check --machine h100 -- python -m sglang.launch_server --model-path "
      "Qwen/Qwen3-8B --tp 2");

  CLI::App* check = app.add_subcommand("check", "Say what SGLang would do with a launch command");
  add_request_options(*check, options);
  add_format(*check, options.format, {"text", "json", "sarif", "junit", "github"});
  check->add_option("--why", options.why, "Only say why this field has its value");
  check->add_option("--fail-on", options.fail_on, "Lowest severity that makes the exit code 1")
      ->check(CLI::IsMember({"error", "warning", "info"}))
      ->default_str("error");
  check
      ->add_option("--ignore", options.request.ignore,
                   "A rule whose findings do not count (may be repeated)")
      ->allow_extra_args(false);
  check->add_flag("--resolved", options.resolved,
                  "List every resolved value that differs from the default");
  check->add_flag("--fix", options.fix, "Print the source with all fixes applied");
  check->add_option("--in-place", options.in_place,
                    "Check this file and write the fixed source back to it, in one step");
  check->add_option("--batch", options.batch,
                    "Check one JSON request a line of this file (- for standard input); with --format "
                    "json a whole report a line");

  sglint::MatrixCommand over;
  over.command = options.command;
  CLI::App* matrix =
      app.add_subcommand("matrix", "The same command over machines and releases, as a table");
  add_request_options(*matrix, over);
  matrix
      ->add_option("--machines", over.matrix.machines,
                   "Machines, separated by commas (default: 15 of the catalogue)")
      ->delimiter(',')
      ->allow_extra_args(false);
  matrix
      ->add_option("--releases", over.matrix.releases,
                   "Releases, separated by commas (default: all)")
      ->delimiter(',')
      ->allow_extra_args(false);
  matrix->add_flag("--fixes", over.matrix.fixes, "Look for a fix of every rejection");
  add_format(*matrix, over.format, {"text", "json"});

  sglint::UpgradeCommand move;
  move.command = options.command;
  CLI::App* upgrade = app.add_subcommand(
      "upgrade", "What another release changes for a command, and the command for it");
  add_request_options(*upgrade, move);
  upgrade->add_option("--from", move.from, "The release that runs now")->required();
  upgrade->add_option("--to", move.to, "The release to go to")
      ->default_val(std::string(sglint::newest_release()));
  add_format(*upgrade, move.format, {"text", "json"});

  std::string rule;
  CLI::App* explain_command = app.add_subcommand("explain", "Explain a rule");
  explain_command
      ->add_option("RULE", rule, "Rule id, such as linear-attention/flashkda-is-prefill-only")
      ->required();

  bool rules_as_json = false;
  CLI::App* rules = app.add_subcommand("rules", "List the rules");
  rules->add_flag("--json", rules_as_json, "Every record as JSON");

  app.add_subcommand("detect",
                     "Say what GPUs, driver and software this host has (sglint detect --help)");
  app.add_subcommand("selftest",
                     "Check decode kernels on the GPUs of this host (sglint selftest --help)");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? 0 : 2;
  }
  if (*check) return sglint::run_check(options);
  if (*matrix) return sglint::run_matrix(over);
  if (*upgrade) return sglint::run_upgrade(move);
  if (*explain_command) return sglint::explain_rule(rule);
  if (*rules) return sglint::list_rules(rules_as_json);
  return 2;
}
