#include "check_command.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "files.h"
#include "native/gpu/host_rules.h"
#include "output.h"

namespace sglint {
namespace {

int run_batch(const std::string& path, bool whole_reports) {
  // Line by line, so that a pipe is answered as it goes.
  struct stat info {};
  if (path != "-" && stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return complain("--batch " + path + " is a folder, not a file");
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (!file) return complain("cannot read " + path + ": " + strerror(errno));
  char* line = nullptr;
  size_t capacity = 0;
  for (ssize_t n; (n = getline(&line, &capacity, file)) >= 0;) {
    std::string_view text(line, static_cast<size_t>(n));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    if (text.empty()) continue;
    const std::string result = whole_reports ? check_json(text) : check_batch_line(text);
    if (!put(result) || !put("\n")) break;
  }
  free(line);
  const bool failed = std::ferror(file) != 0;
  if (file != stdin) std::fclose(file);
  return failed ? complain("cannot read all of " + path) : kAccepted;
}

}  // namespace

int run_check(const CheckOptions& options) {
  if (!options.batch.empty()) {
    if (options.fix || !options.in_place.empty())
      return complain("--batch answers one line a request and cannot be combined with --fix");
    if (!options.file.empty() || !options.command.empty())
      return complain("give --batch or a command to check, not both");
    if (!options.request.ignore.empty())
      return complain("with --batch each request says itself what to \"ignore\"");
    return run_batch(options.batch, options.format == "json");
  }
  const bool fix = options.fix || !options.in_place.empty();
  if (fix && options.format != "text")
    return complain("--fix prints the fixed source; --format " + options.format +
                    " already lists every fix");
  if (!options.why.empty() && (fix || options.format != "text"))
    return complain("--why answers in words alone; --format json has the reason of every value");
  CheckOptions what = options;
  if (!options.in_place.empty()) {
    if (!options.file.empty() || !options.command.empty() || options.in_place == "-")
      return complain("--in-place takes the one file that is checked and rewritten");
    what.file = options.in_place;
  }
  std::vector<Diagnostic> host;
  std::optional<Request> request = build_request(what, &host);
  if (!request) return kNotCarriedOut;
  const std::string source = request->text;
  Report report = check(*request);
  for (Diagnostic& d : host) {
    const auto& ignore = request->ignore;
    if (std::find(ignore.begin(), ignore.end(), d.rule) != ignore.end())
      d.suppressed = "ignored by the request";
    report.diagnostics.push_back(std::move(d));
  }
  const bool for_people = options.format == "text";
  if (!report.error.empty() && options.format != "json") return complain(report.error);
  if (!options.why.empty()) {
    const std::string text = why(report, options.why);
    if (text.empty()) return complain(why_not(report, options.why));
    put(text);
    return kAccepted;
  }
  if (fix) {
    request->text = fixed_source(report, source);
    // What is left after the fixes is what counts.
    const Report left = check(*request);
    for (const Diagnostic& d : left.diagnostics)
      if (d.rule.rfind("suppression/", 0) == 0 && !d.suppressed && !d.spans.empty())
        fprintf(stderr, "sglint: left as it is: %s\n", d.message.c_str());
    const int code = exit_code(left, options.fail_on);
    if (options.in_place.empty()) {
      put(request->text);
    } else if (request->text != source && !replace_file(options.in_place, request->text)) {
      return kNotCarriedOut;
    }
    return code;
  }
  const std::string name = what.file == "-" ? "" : what.file;
  std::string out;
  if (for_people) {
    TextStyle style = terminal_style(options);
    style.resolved = options.resolved;
    out = to_text(report, source, style);
  } else if (options.format == "json") {
    out = to_json(report) + "\n";
  } else if (options.format == "sarif") {
    out = to_sarif(report, source, name);
  } else if (options.format == "junit") {
    out = to_junit(report, source, name);
  } else {
    out = to_github(report, source, name);
  }
  put(out);
  return exit_code(report, options.fail_on);
}

int list_rules(bool as_json) {
  if (as_json) {
    std::string json = rules_json();  // an array; the host's rules go to its end
    json.insert(json.rfind(']'), "," + gpu::host_rules_json());
    put(json + "\n");
    return kAccepted;
  }
  put(rules_text() + gpu::host_rules_text());
  return kAccepted;
}

int explain_rule(const std::string& id) {
  std::string text = explain(id);
  if (text.empty()) text = gpu::explain_host_rule(id);
  if (text.empty()) return complain("there is no rule " + id + "; `sglint rules` lists them");
  put(text);
  return kAccepted;
}

}  // namespace sglint
