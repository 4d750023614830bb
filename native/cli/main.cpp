// sglint: the command line. Exit codes: 0 accepted, 1 rejected, findings at or over --fail-on or no
// launch, 2 the call itself was wrong or could not be carried out.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "check_command.h"
#include "command_line.h"
#include "compare_commands.h"
#include "detect.h"
#include "output.h"
#include "selftest.h"
#include "sglint/sglint.h"

namespace sglint {
namespace {

using Words = std::vector<std::string>;

// CLI11's help, wrapped, and with the launch command in the usage.
class Help : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (!app->get_option_no_throw("FILE")) return CLI::Formatter::make_usage(app, std::move(name));
    return "Usage: " + name +
           " [OPTIONS] FILE | - | -- COMMAND…\n"
           "  FILE is any text that launches SGLang: a script, compose, Kubernetes, a Dockerfile, "
           "a log…;\n"
           "  - is standard input. A COMMAND that begins with sglang, python or docker needs no "
           "--.\n";
  }
  std::string make_positionals(const CLI::App* app) const override {
    return app->get_option_no_throw("FILE") ? "" : CLI::Formatter::make_positionals(app);
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string out;
    size_t column = 0;
    for (const std::string& word : CLI::detail::split(option->get_description(), ' ')) {
      const bool fits = column + word.size() < 68;
      if (!out.empty()) out += fits ? ' ' : '\n';
      column = (fits ? column + 1 : 0) + word.size();
      out += word;
    }
    return out;
  }
};

CLI::Validator one_of(const Words& allowed) {
  return CLI::Validator(
      [allowed](std::string& word) {
        if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) return std::string();
        return "one of " + CLI::detail::join(allowed, ", ") + " is needed, not " +
               shell_quoted(word);
      },
      "");
}

void add_format(CLI::App& app, std::string& format, const Words& formats) {
  app.add_option("--format", format,
                 "Form of the answer: " + CLI::detail::join(formats, ", ") + " (default text)")
      ->check(one_of(formats))
      ->type_name("FORM");
}

constexpr char kCheckCodes[] =
    "Exit codes: 0 accepted, 1 rejected, findings at or over --fail-on or no launch in the text "
    "(0 where\nit is SGLang's router or image server, which are not checked), 2 the call itself "
    "was "
    "wrong or\ncould not be carried out.";
constexpr char kMatrixCodes[] =
    "Exit codes: 0 accepted everywhere, 1 not everywhere, 2 the call itself was wrong or could not "
    "be\ncarried out.";
constexpr char kUpgradeCodes[] =
    "Exit codes: 0 the new release accepts it, 1 it does not, 2 the call itself was wrong or could "
    "not be\ncarried out.";

void add_check(CLI::App& app, CheckOptions& options) {
  CLI::App* check = app.add_subcommand("check", "Say what SGLang would do with a launch command");
  add_request_options(*check, options);
  add_format(*check, options.format, {"text", "json", "sarif", "junit", "github"});
  check->add_option("--why", options.why, "Only say why this field has its value")
      ->type_name("FIELD");
  check
      ->add_option("--fail-on", options.fail_on,
                   "Lowest severity that makes the exit code 1: error, warning or info (default "
                   "error)")
      ->check(one_of({"error", "warning", "info"}))
      ->type_name("SEVERITY");
  check
      ->add_option("--ignore", options.request.ignore,
                   "A rule whose findings do not count (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("RULE");
  check->add_flag("--resolved", options.resolved,
                  "List every resolved value that differs from SGLang's default");
  check->add_flag("--fix", options.fix, "Print the source with all fixes applied, nothing else");
  check
      ->add_option("--in-place", options.in_place,
                   "Check this file and write the fixed source back to it")
      ->type_name("FILE");
  check
      ->add_option("--batch", options.batch,
                   "Check one JSON request a line of this file (- for standard input), one result "
                   "a line; with --format json a whole report a line. Exit code 0 once all lines "
                   "are answered")
      ->type_name("FILE");
  check->footer(std::string("Examples:\n"
                            "  sglint check --machine h100x4 deploy.yaml\n"
                            "  sglint check --machine h100 -- sglang serve --model-path "
                            "Qwen/Qwen3-8B --tp 2\n"
                            "  sglint check --fix launch.sh > fixed.sh\n\n") +
                kCheckCodes);
}

void add_matrix(CLI::App& app, MatrixCommand& over) {
  CLI::App* matrix =
      app.add_subcommand("matrix", "The same command over machines and releases, as a table");
  add_request_options(*matrix, over);
  for (const char* of_host : {"--here", "--plugin", "--selftest"})
    matrix->get_option(of_host)->group("");  // the table is about other machines
  matrix->get_option("--release")->description("Only this release; --releases takes several");
  matrix->get_option("--machine")
      ->description(
          "How many GPUs the machines have, by a machine such as h100x4 (default: as many "
          "as the command needs)");
  matrix
      ->add_option("--machines", over.matrix.machines,
                   "Machines, separated by commas (default: 15 of the catalogue)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
  matrix
      ->add_option("--releases", over.matrix.releases,
                   "Releases, separated by commas (default: all that are known)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
  matrix->add_flag("--fixes", over.matrix.fixes, "Look for a fix of every rejection");
  add_format(*matrix, over.format, {"text", "json"});
  matrix->footer(std::string("Example:\n"
                             "  sglint matrix --machines h100,b200,mi300x --releases 0.5.17,0.5.18 "
                             "deploy.yaml\n\n") +
                 kMatrixCodes);
}

void add_upgrade(CLI::App& app, UpgradeCommand& move) {
  CLI::App* upgrade = app.add_subcommand(
      "upgrade", "What another release changes for a command, and the command for it");
  add_request_options(*upgrade, move);
  upgrade->get_option("--release")->group("");  // said to be wrong, not unknown
  upgrade->add_option("--from", move.from, "The release that runs now")
      ->required()
      ->type_name("RELEASE");
  upgrade
      ->add_option("--to", move.to,
                   "The release to go to (default " + std::string(newest_release()) + ")")
      ->type_name("RELEASE");
  move.to = std::string(newest_release());
  add_format(*upgrade, move.format, {"text", "json"});
  upgrade->footer(std::string("Example:\n  sglint upgrade --from 0.5.16 deploy.yaml\n\n") +
                  kUpgradeCodes);
}

void add_explain(CLI::App& app, std::string& rule) {
  CLI::App* explain = app.add_subcommand("explain", "Explain a rule");
  explain->add_option("RULE", rule, "The id, such as linear-attention/flashkda-is-prefill-only")
      ->required()
      ->type_name("");
  explain->footer("`sglint rules` lists the ids.");
}

void add_rules(CLI::App& app, bool& as_json) {
  CLI::App* rules = app.add_subcommand("rules", "List the rules");
  rules->add_flag("--json", as_json, "Every record as JSON");
  rules->footer("`sglint explain RULE` says more of one.");
}

int answer(Words words) {
  if (words.size() > 1 && words[0] == "help") words = {words[1], "--help"};
  if (words.size() == 1 && (words[0] == "help" || words[0] == "version"))
    words[0] = "--" + words[0];
  // These read their options themselves, the self-test also a `--` among them.
  if (!words.empty() && (words[0] == "selftest" || words[0] == "detect")) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    const int argc = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    return words[0] == "detect" ? detect_main(argc, argv.data()) : selftest_main(argc, argv.data());
  }

  CLI::App app{"Checks launch commands of SGLang without SGLang, Python or a GPU."};
  app.name("sglint");
  app.formatter(std::make_shared<Help>());
  app.get_formatter()->column_width(28);
  app.get_help_ptr()->description("Print this help");
  app.set_version_flag("--version", std::string(kVersion), "Print sglint's own version");
  app.require_subcommand(1);
  app.footer(
      "Example: sglint check --machine h100 -- sglang serve --model-path Qwen/Qwen3-8B --tp 2\n"
      "`sglint check --help` and so on say more.");

  CheckOptions options;
  add_check(app, options);
  MatrixCommand over;
  add_matrix(app, over);
  UpgradeCommand move;
  add_upgrade(app, move);
  std::string rule;
  add_explain(app, rule);
  bool rules_as_json = false;
  add_rules(app, rules_as_json);
  app.add_subcommand("detect", "Say what GPUs, driver and software this host has");
  app.add_subcommand("selftest", "Check decode kernels on the GPUs of this host");

  if (words.empty()) {
    fputs(app.help().c_str(), stderr);
    return kNotCarriedOut;
  }
  std::string verb;
  if (words[0] != "-h" && words[0] != "--help" && words[0] != "--version") {
    const std::vector<CLI::App*> all = app.get_subcommands(nullptr);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](CLI::App* a) { return a->get_name() == words[0]; });
    if (found == all.end()) return complain(no_such_command(words, app));
    verb = words[0] + " ";
    Typed typed = divide(words, **found, (*found)->get_option_no_throw("FILE") != nullptr);
    if (!typed.problem.empty()) return complain(typed.problem);
    options.command = over.command = move.command = std::move(typed.command);
    words = std::move(typed.own);
    words.insert(words.begin(), (*found)->get_name());
  }
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    put(app.help());
    return kAccepted;
  } catch (const CLI::CallForVersion&) {
    put(std::string(kVersion) + "\n");
    return kAccepted;
  } catch (const CLI::ParseError& e) {
    return complain(std::string(e.what()) + "; see `sglint " + verb + "--help`");
  }
  if (app.got_subcommand("check")) return run_check(options);
  if (app.got_subcommand("matrix")) return run_matrix(over);
  if (app.got_subcommand("upgrade")) return run_upgrade(move);
  if (app.got_subcommand("explain")) return explain_rule(rule);
  return list_rules(rules_as_json);
}

}  // namespace
}  // namespace sglint

int main(int argc, char** argv) {
  return sglint::end_of_answer(sglint::answer({argv + std::min(argc, 1), argv + argc}));
}
