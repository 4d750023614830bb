// Addresses and ports: utils/network.py, distributed/bootstrap.py, entrypoints/http_server.py.

#include <algorithm>

#include "base/text.h"
#include "rules/load/layout.h"

namespace sglint {
namespace {

#define SGLINT_QWEN "--model-path Qwen/Qwen3-8B"
constexpr ReleaseRange kSince0516{Release::v0_5_16, Release::v0_5_18};
constexpr int64_t kMaxPort = 65535;

constexpr Rule kHttpPort{
    .id = "ports/http-port-out-of-range",
    .stage = Stage::load,
    .exception = "InvalidURL",
    .message = "Failed to parse: {}/model_info",
    .why =
        "uvloop asks the system for the port, which takes the last 16 bits of the number: 70000 "
        "listens at 4464. SGLang's own warm-up request then cannot ask for the port that was "
        "typed. After two minutes, with the weights loaded and CUDA graphs captured, the server "
        "logs \"Initialization failed. warmup error\" with this exception and kills itself.",
    .source = "entrypoints/http_server.py: _execute_server_warmup",
    .bad = {SGLINT_QWEN " --port 70000"},
    .good = {SGLINT_QWEN " --port 30000"},
    .releases = kSince0516,
};

constexpr Rule kHttpPortWraps{
    .id = "ports/http-port-wraps",
    .stage = Stage::load,
    .severity = Severity::warning,
    .message = "--port {} listens at port {}.",
    .why =
        "uvloop asks the system for the port, which takes the last 16 bits of the number. With "
        "--skip-server-warmup nobody notices, and the log shows the port that was typed.",
    .source = "entrypoints/http_server.py: launch_server (uvicorn.run with uvloop)",
    .bad = {SGLINT_QWEN " --port 70000 --skip-server-warmup"},
    .good = {SGLINT_QWEN " --port 30000 --skip-server-warmup"},
    .releases = kSince0516,
};

constexpr Rule kHttpPortWorkers{
    .id = "ports/http-port-of-workers",
    .stage = Stage::load,
    .exception = "OverflowError",
    .message = "bind(): port must be 0-65535.",
    .why =
        "With several tokenizer workers the parent process binds the port itself, after the "
        "weights are loaded.",
    .source = "entrypoints/http_server.py: launch_server (uvicorn.run with workers)",
    .bad = {SGLINT_QWEN " --port 70000 --tokenizer-worker-num 2"},
    .good = {SGLINT_QWEN " --port 30000 --tokenizer-worker-num 2"},
    .releases = kSince0516,
};

constexpr Rule kHttpPortNegative{
    .id = "ports/http-port-negative",
    .stage = Stage::load,
    .message = "[Errno -8] Servname not supported for ai_socktype",
    .why =
        "uvicorn logs it when it starts to listen, after the weights are loaded, and ends the "
        "process.",
    .source = "entrypoints/http_server.py: launch_server (uvicorn.run with uvloop)",
    .bad = {SGLINT_QWEN " --port -5"},
    .good = {SGLINT_QWEN " --port 30000"},
    .releases = kSince0516,
};

constexpr Rule kHttpPortZero{
    .id = "ports/http-port-zero",
    .stage = Stage::load,
    .exception = "ConnectionError",
    .message = "HTTPConnectionPool(host='{}', port=80): Max retries exceeded with url: /model_info",
    .why =
        "The system chooses a free port, and SGLang's own warm-up request asks at port 80. After "
        "two minutes the server logs \"Initialization failed. warmup error\" with this exception "
        "and kills itself; with --skip-server-warmup it stays.",
    .source = "entrypoints/http_server.py: _execute_server_warmup",
    .bad = {SGLINT_QWEN " --port 0"},
    .good = {SGLINT_QWEN " --port 0 --skip-server-warmup"},
    .releases = kSince0516,
};

constexpr Rule kNcclPort{
    .id = "ports/nccl-port-out-of-range",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "Port out of range 0-65535",
    .why = "torch.distributed reads the port out of tcp://HOST:PORT and rejects it.",
    .source = "distributed/bootstrap.py: _resolve_dist_init_method (torch.distributed rendezvous)",
    .bad = {SGLINT_QWEN " --nccl-port 99999"},
    .good = {SGLINT_QWEN " --nccl-port 29999"},
    .releases = kSince0516,
};

constexpr Rule kDistPort{
    .id = "ports/dist-init-port-out-of-range",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "Port out of range (0-65535): {}",
    .why = "--dist-init-addr is taken apart when the first worker joins the others.",
    .source = "utils/network.py: _parse_port",
    .bad = {SGLINT_QWEN " --dist-init-addr 10.0.0.1:99999"},
    .good = {SGLINT_QWEN " --dist-init-addr 10.0.0.1:29500"},
    .releases = kSince0516,
};

constexpr Rule kDistPortNumber{
    .id = "ports/dist-init-port-not-a-number",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "Invalid port number: {}",
    .why = "What stands behind the last colon of --dist-init-addr is its port.",
    .source = "utils/network.py: _parse_port",
    .bad = {SGLINT_QWEN " --dist-init-addr tcp://10.0.0.1"},
    .good = {SGLINT_QWEN " --dist-init-addr 10.0.0.1:29500"},
    .releases = kSince0516,
};

constexpr Rule kDistAddress{
    .id = "ports/dist-init-addr-without-port",
    .stage = Stage::load,
    .exception = "ValueError",
    .message = "Missing port in address (expected host:port): {}",
    .why = "--dist-init-addr is an address and a port that are free on the first node.",
    .source = "utils/network.py: NetworkAddress.parse",
    .bad = {SGLINT_QWEN " --dist-init-addr 10.0.0.1"},
    .good = {SGLINT_QWEN " --dist-init-addr 10.0.0.1:29500"},
    .releases = kSince0516,
};

constexpr Rule kSamePort{
    .id = "ports/same-port-twice",
    .stage = Stage::load,
    .exception = "OSError",
    .message =
        "[Errno 98] error while attempting to bind on address ('{}', {}): address already "
        "in use",
    .why =
        "torch.distributed listens at --nccl-port, or at the port of --dist-init-addr on the first "
        "node; with --enable-dp-attention the five ports behind that are taken too. The HTTP "
        "server finds its port in use after the weights are loaded.",
    .source = "entrypoints/http_server.py: launch_server (uvicorn.run)",
    .bad = {SGLINT_QWEN " --port 30000 --nccl-port 30000"},
    .good = {SGLINT_QWEN " --port 30000 --nccl-port 30001"},
    .releases = kSince0516,
};
#undef SGLINT_QWEN

bool in_range(int64_t port) { return 0 <= port && port <= kMaxPort; }

// NetworkAddress.parse; the port, or nothing after a note.
std::optional<int64_t> dist_port(Resolution& r, std::string_view address) {
  const auto fail = [&](const Rule& rule, Arg arg) {
    r.note(
        rule, {arg},
        {{{set(f::dist_init_addr, "FIRST_NODE:5000")}, "put the first node's address in its place"},
         {{unset(f::dist_init_addr)}, "one machine"}},
        {f::dist_init_addr.id});
    return std::nullopt;
  };
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == address.size())
    return colon == std::string_view::npos ? fail(kDistAddress, repr(address))
                                           : fail(kDistPortNumber, "''");
  const std::string port(address.substr(colon + 1));
  if (port.find_first_not_of("0123456789", port[0] == '-') != std::string::npos || port.size() > 12)
    return fail(kDistPortNumber, repr(std::string_view(port)));
  const int64_t number = atoll(port.c_str());
  if (!in_range(number)) return fail(kDistPort, number);
  return number;
}

// What becomes of --port where nothing else holds it. The port of Granian (--enable-http2) and of
// dp-attention's sockets is judged elsewhere.
void http_port(Resolution& r, int64_t port) {
  if (r.get(f::enable_http2)) return;
  const std::vector<Fix> usual{{{unset(f::port)}, "port 30000"}};
  const bool silent = r.get(f::skip_server_warmup);
  if (!in_range(port) && r.get(f::tokenizer_worker_num) > 1)
    return r.note(kHttpPortWorkers, {}, usual, {f::port.id});
  if (port < 0) return r.note(kHttpPortNegative, {}, usual, {f::port.id});
  if (port > kMaxPort && silent)
    return r.note(kHttpPortWraps, {port, port & kMaxPort}, usual, {f::port.id});
  // ServerArgs.url
  std::string_view host = r.value(f::host).as_str();
  if (host.empty() || host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  const bool v6 = host.find(':') != std::string_view::npos && host[0] != '[';
  const std::string wrapped = v6 ? fill("[{}]", {host}) : std::string(host);
  const char* scheme = r.get(f::ssl_certfile) ? "https" : "http";
  if (port > kMaxPort)
    r.note(kHttpPort, {fill("{}://{}:{}", {scheme, wrapped, port})}, usual, {f::port.id});
  else if (port == 0 && !silent && scheme[4] == '\0')
    r.note(kHttpPortZero, {host}, usual, {f::port.id});
}

}  // namespace

void ports(Resolution& r) {
  if (!r.since(Release::v0_5_16)) return;
  const int64_t http = r.get(f::port);
  const auto nccl = r.get(f::nccl_port);
  std::optional<int64_t> dist;
  if (const auto address = r.get(f::dist_init_addr)) {
    dist = dist_port(r, *address);
  } else if (nccl && !in_range(*nccl)) {
    r.note(kNcclPort, {}, {{{unset(f::nccl_port)}, "SGLang takes a free port"}}, {f::nccl_port.id});
  }
  if (!in_range(http) || http == 0) return http_port(r, http);
  // Whoever holds the port already: torch.distributed's store on the first node, and with
  // dp-attention the five ports behind it (PortArgs.init_new).
  const bool first = r.get(f::node_rank) == 0;
  const bool held =
      (!dist && nccl == http) ||
      (dist && first && http != 0 &&
       (http == *dist || (r.get(f::enable_dp_attention) && *dist < http && http <= *dist + 5)));
  if (held)
    r.note(kSamePort, {r.value(f::host), http},
           {dist ? Fix{{set(f::port, str(Value(*dist + 100)))}, "clients ask at another port"}
                 : Fix{{unset(f::nccl_port)}, "SGLang takes a free port"}},
           {f::port.id, dist ? f::dist_init_addr.id : f::nccl_port.id});
}

RuleList ports_rules() {
  return {&kHttpPort, &kHttpPortWraps, &kHttpPortWorkers, &kHttpPortNegative, &kHttpPortZero,
          &kNcclPort, &kDistPort,      &kDistPortNumber,  &kDistAddress,      &kSamePort};
}

}  // namespace sglint
