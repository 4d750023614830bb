#include "compare_commands.h"

#include "output.h"

namespace sglint {
namespace {

bool fine(const MatrixCell& cell) { return cell.outcome == Outcome::ok && cell.load.empty(); }

}  // namespace

int run_matrix(const MatrixCommand& options) {
  const std::optional<Request> request = build_request(options);
  if (!request) return kNotCarriedOut;
  MatrixOptions over = options.matrix;
  if (over.releases.empty() && !options.request.release.empty())
    over.releases = {options.request.release};
  for (std::string& machine : over.machines) {
    std::optional<std::string> facts = machine_of_option(machine);
    if (!facts) return kNotCarriedOut;
    machine = std::move(*facts);
  }
  const Matrix m = matrix(*request, over);
  const bool as_json = options.format == "json";
  if (!m.error.empty() && !as_json) return complain(m.error);
  put(as_json ? to_json(m) + "\n" : to_text(m, terminal_style(options)));
  if (!m.error.empty()) return kNotCarriedOut;
  bool all = !m.launches.empty();
  for (const MatrixLaunch& launch : m.launches)
    for (const MatrixCell& cell : launch.cells) all = all && fine(cell);
  return all ? kAccepted : kFindings;
}

int run_upgrade(const UpgradeCommand& options) {
  if (!options.request.release.empty())
    return complain("upgrade takes --from and --to, not --release");
  const std::optional<Request> request = build_request(options);
  if (!request) return kNotCarriedOut;
  const Upgrade u = upgrade(*request, options.from, options.to);
  const bool as_json = options.format == "json";
  if (!u.error.empty() && !as_json) return complain(u.error);
  put(as_json ? to_json(u) + "\n" : to_text(u, request->text, terminal_style(options)));
  if (!u.error.empty()) return kNotCarriedOut;
  bool all = !u.launches.empty();
  for (const LaunchUpgrade& launch : u.launches) all = all && fine(launch.to);
  return all ? kAccepted : kFindings;
}

}  // namespace sglint
