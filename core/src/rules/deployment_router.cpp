// What a router line says of its workers, held against the launches of the same text.
#include <algorithm>

#include "base/text.h"
#include "rules/deployment.h"

namespace sglint {
namespace {

constexpr Rule kWorkerPort{
    .id = "deployment/router-worker-port",
    .stage = Stage::deployment,
    .severity = Severity::warning,
    .message = "The router is told of {}, but no {} of this text listens there.",
    .why =
        "The router sends requests to the addresses that it is given. If another text starts "
        "that server, all is well.",
    .source = "sglang_router: router_args.py, --worker-urls, --prefill, --decode",
    .bad = {.text =
                "sglang serve --model-path Qwen/Qwen3-8B --port 30000 &\nsglang serve --model-path "
                "Qwen/Qwen3-8B --base-gpu-id 1 --port 30001 &\npython -m "
                "sglang_router.launch_router --worker-urls http://localhost:30000 "
                "http://localhost:30002\n"},
    .good = {
        .text = "sglang serve --model-path Qwen/Qwen3-8B --port 30000 &\nsglang serve --model-path "
                "Qwen/Qwen3-8B --base-gpu-id 1 --port 30001 &\npython -m "
                "sglang_router.launch_router --worker-urls http://localhost:30000 "
                "http://localhost:30001\n"}};

constexpr Rule kBootstrapPort{
    .id = "deployment/bootstrap-port-differs",
    .stage = Stage::deployment,
    .severity = Severity::warning,
    .message = "{} looks for KV caches at port {}, but {} announces them at port {}.",
    .why =
        "A decode server asks the prefill server's bootstrap port where a KV cache is: the one "
        "that the router names behind --prefill URL, else its own "
        "--disaggregation-bootstrap-port. The other way the request waits until it times out.",
    .source = "managers/scheduler.py: Scheduler.handle_generate_request",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode prefill "
                    "--disaggregation-bootstrap-port 9001\nsglang serve --model-path Qwen/Qwen3-8B "
                    "--disaggregation-mode decode\n"},
    .good = {.text =
                 "sglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode prefill "
                 "--disaggregation-bootstrap-port 9001\nsglang serve --model-path Qwen/Qwen3-8B "
                 "--disaggregation-mode decode --disaggregation-bootstrap-port 9001\n"}};

// "http://host:30000/", "[::1]:30000"; the port is -1 where none is said.
std::pair<std::string_view, int64_t> host_and_port(std::string_view url) {
  if (const size_t scheme = url.find("://"); scheme != url.npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find('/'));
  const size_t colon = url.rfind(':');
  const std::string_view port = colon == url.npos ? "" : url.substr(colon + 1);
  if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != port.npos)
    return {url, -1};
  int64_t number = 0;
  for (const char c : port) number = number * 10 + (c - '0');
  return {url.substr(0, colon), number};
}

const Value& typed(const Member& m, Field field) {
  return m.arguments->values[static_cast<size_t>(field)];
}

// Whether the member answers at that address; nullopt: the text does not tell.
std::optional<bool> answers(const Member& m, std::string_view host, int64_t port) {
  const bool local = one_of(host, {"localhost", "127.0.0.1", "0.0.0.0", "[::1]"});
  const Network& net = *m.network;
  // A compose service is reached by its name; that of a container in a pod is no address.
  if (!local && (host != m.name || net.pod >= 0)) return std::nullopt;
  if (m.unknown(Field::port)) return std::nullopt;
  if (local && net.pod < 0 && net.kind == Network::Kind::own) {
    if (net.published.empty()) return std::nullopt;
    return std::any_of(net.published.begin(), net.published.end(),
                       [&](const Network::Published& p) { return p.host == port; });
  }
  return typed(m, Field::port).as_int() == port;
}

// --prefill URL PORT: the router tells the decode servers that port.
void check_bootstrap_port(const std::vector<Member>& members,
                          const std::pair<std::string_view, int64_t>& url, std::string_view said,
                          Span span, std::vector<DeploymentFinding>& out) {
  if (url.second < 0 || said.size() > 5) return;
  for (size_t i = 0; i < members.size(); ++i) {
    const Member& m = members[i];
    if (typed(m, Field::disaggregation_mode).as_str() != "prefill" || !m.resolution ||
        !answers(m, url.first, url.second).value_or(false))
      continue;
    const Value& announced = m.resolution->value(Field::disaggregation_bootstrap_port);
    if (str(announced) != said)
      out.push_back({&kBootstrapPort,
                     fill(kBootstrapPort.message, {"The router", said, m.name, announced}),
                     {{i, Field::disaggregation_bootstrap_port}},
                     {span}});
  }
}

}  // namespace

void check_routers(const std::vector<Member>& members, const std::vector<RouterLine>& routers,
                   std::vector<DeploymentFinding>& out) {
  bool port_named = false;  // some router tells the bootstrap port
  for (const RouterLine& router : routers) {
    std::string_view role;                             // what the words that follow are
    std::pair<std::string_view, int64_t> url{{}, -1};  // the last one
    for (const Token& t : router.argv) {
      std::string_view word = t.text;
      if (starts_with(word, "--")) {
        const size_t equals = word.find('=');
        const std::string_view flag = word.substr(0, equals);
        role = flag == "--worker-urls" ? "server"
               : flag == "--prefill"   ? "prefill server"
               : flag == "--decode"    ? "decode server"
                                       : "";
        if (equals == word.npos) continue;
        word.remove_prefix(equals + 1);
      }
      if (role.empty()) continue;
      if (word.find_first_not_of("0123456789") == word.npos) {
        port_named = true;
        if (!t.unknown) check_bootstrap_port(members, url, word, t.span, out);
        continue;
      }
      url = host_and_port(word);
      const auto& [host, port] = url;
      if (t.unknown || port < 0) {
        url.second = -1;
        continue;
      }
      bool told = false, found = false;
      for (const Member& m : members) {
        const std::string_view mode = typed(m, Field::disaggregation_mode).as_str();
        const std::optional<bool> there = answers(m, host, port);
        // A server of unknown port may be the one.
        found = found || m.unknown(Field::port) ||
                (there.value_or(false) && (role == "server" || starts_with(role, mode)));
        told = told || there;
      }
      if (told && !found)
        out.push_back({&kWorkerPort, fill(kWorkerPort.message, {word, role}), {}, {t.span}});
    }
  }
  if (port_named) return;
  for (size_t d = 0; d < members.size(); ++d) {
    if (typed(members[d], Field::disaggregation_mode).as_str() != "decode") continue;
    const Value& wanted = typed(members[d], Field::disaggregation_bootstrap_port);
    const Member* other = nullptr;
    size_t at = 0;
    bool match = false;
    for (size_t p = 0; p < members.size(); ++p) {
      const Member& m = members[p];
      if (typed(m, Field::disaggregation_mode).as_str() != "prefill") continue;
      // The Rust server answers at the port of its API.
      match = match || !m.resolution ||
              m.resolution->value(Field::disaggregation_bootstrap_port) == wanted;
      if (!other) other = &m, at = p;
    }
    if (!other || match) continue;
    out.push_back(
        {&kBootstrapPort,
         fill(kBootstrapPort.message,
              {members[d].name, wanted, other->name,
               other->resolution->value(Field::disaggregation_bootstrap_port)}),
         {{d, Field::disaggregation_bootstrap_port}, {at, Field::disaggregation_bootstrap_port}},
         {}});
  }
}

RuleList deployment_router_rules() { return {&kWorkerPort, &kBootstrapPort}; }

}  // namespace sglint
