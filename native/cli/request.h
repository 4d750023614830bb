#pragma once
// The part of the command line that says what is checked: shared by check, matrix and upgrade.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sglint/sglint.h"

namespace sglint {

inline constexpr int kAccepted = 0, kFindings = 1, kNotCarriedOut = 2;

struct RequestOptions {
  Request request;                   // release and model are filled in by the option parser
  std::vector<std::string> command;  // after --
  std::string file, machine, model_config, plugin, selftest;
  bool here = false;  // the machine is this host
};

// One sentence on stderr; the exit code for it.
int complain(const std::string& sentence);

void add_request_options(CLI::App& app, RequestOptions& options);

// The request; nullopt after a sentence on stderr. What is wrong with this host (--here) goes to
// `host`, for the report, or without one to stderr.
std::optional<Request> build_request(const RequestOptions& options,
                                     std::vector<Diagnostic>* host = nullptr);

// What --machine names: a catalogue name stays, a file is read.
std::optional<std::string> machine_of_option(const std::string& machine);

// Whether escapes for colour belong on standard output, and the name of what was read.
TextStyle terminal_style(const RequestOptions& options);

}  // namespace sglint
