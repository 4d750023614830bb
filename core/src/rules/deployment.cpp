#include "rules/deployment.h"

#include <algorithm>

namespace sglint {
namespace {

constexpr Rule kNodesDiffer{
    .id = "deployment/nodes-differ",
    .stage = Stage::deployment,
    .message = "{} and {} are nodes of one server but differ in --{}: {} and {}.",
    .why =
        "Each node of a multi-node server is started with the same arguments except --node-rank. "
        "Where they differ the ranks wait for each other at start or compute different things.",
    .source = "server_args.py: ServerArgs.nnodes, dist_init_addr, node_rank",
    .bad = {.text =
                "sglang serve --model-path Qwen/Qwen3-8B --tp 4 --nnodes 2 --node-rank 0 "
                "--dist-init-addr 10.0.0.1:5000\nsglang serve --model-path Qwen/Qwen3-8B --tp 8 "
                "--nnodes 2 --node-rank 1 --dist-init-addr 10.0.0.1:5000\n"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B --tp 4 --nnodes 2 --node-rank 0 "
                     "--dist-init-addr 10.0.0.1:5000\nsglang serve --model-path Qwen/Qwen3-8B --tp "
                     "4 --nnodes 2 --node-rank 1 --dist-init-addr 10.0.0.1:5000\n"}};

constexpr Rule kRankRepeated{
    .id = "deployment/rank-repeated",
    .stage = Stage::deployment,
    .message = "{} and {} both have --node-rank {}.",
    .why =
        "Every node of a server needs a rank of its own from 0 to --nnodes less one; with two "
        "alike the server waits for the missing one until it gives up.",
    .source = "server_args.py: ServerArgs.node_rank",
    .bad = {.text =
                "sglang serve --model-path Qwen/Qwen3-8B --tp 4 --nnodes 2 --node-rank 0 "
                "--dist-init-addr 10.0.0.1:5000\nsglang serve --model-path Qwen/Qwen3-8B --tp 4 "
                "--nnodes 2 --node-rank 0 --dist-init-addr 10.0.0.1:5000\n"},
    .good = kNodesDiffer.good};

constexpr Rule kRankMissing{
    .id = "deployment/rank-missing",
    .stage = Stage::deployment,
    .severity = Severity::warning,
    .message = "--nnodes is {}, but no launch of the text has --node-rank {}.",
    .why =
        "The nodes that are started wait for the others. If that node is started from elsewhere, "
        "all is well.",
    .source = "server_args.py: ServerArgs.node_rank",
    .bad = {.text =
                "sglang serve --model-path Qwen/Qwen3-8B --tp 6 --nnodes 3 --node-rank 0 "
                "--dist-init-addr 10.0.0.1:5000\nsglang serve --model-path Qwen/Qwen3-8B --tp 6 "
                "--nnodes 3 --node-rank 1 --dist-init-addr 10.0.0.1:5000\n"},
    .good = kNodesDiffer.good};

constexpr Rule kPairDiffers{
    .id = "deployment/prefill-and-decode-differ",
    .stage = Stage::deployment,
    .message = "{} prefills and {} decodes, but they differ in --{}: {} and {}.",
    .why =
        "A prefill server hands its KV cache to a decode server: both must serve the same model "
        "and use the same transfer backend.",
    .source = "disaggregation/utils.py: get_kv_class",
    .bad = {.text =
                "sglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode prefill "
                "--disaggregation-transfer-backend nixl\nsglang serve --model-path Qwen/Qwen3-8B "
                "--disaggregation-mode decode --disaggregation-transfer-backend mooncake\n"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode prefill "
                     "--disaggregation-transfer-backend nixl\nsglang serve --model-path "
                     "Qwen/Qwen3-8B --disaggregation-mode decode --disaggregation-transfer-backend "
                     "nixl\n"}};

constexpr Rule kPageSizes{
    .id = "deployment/page-sizes-differ",
    .stage = Stage::deployment,
    .exception = "RuntimeError",
    .message =
        "Page size mismatch: prefill server has page_size={}, but decode server has "
        "page_size={}. Both servers must use the same --page-size value.",
    .why =
        "The decode server compares the two when the first request reaches it and then fails. The "
        "attention backend may change the page size where --page-size is not given.",
    .source = "disaggregation/common/conn.py: CommonKVManager.try_ensure_parallel_info",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode prefill "
                    "--page-size 64\nsglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode "
                    "decode --page-size 32\n"},
    .good = {.text =
                 "sglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode prefill "
                 "--page-size 64\nsglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode "
                 "decode --page-size 64\n"}};

constexpr Rule kKvCacheDtypes{
    .id = "deployment/kv-cache-dtypes-differ",
    .stage = Stage::deployment,
    .exception = "RuntimeError",
    .message =
        "KV cache dtype mismatch: prefill server has kv_cache_dtype={}, but decode server has "
        "kv_cache_dtype={}. Both servers must use the same --kv-cache-dtype value.",
    .why =
        "The decode server compares the two names when the first request reaches it and then "
        "fails, also where auto would come to the same type.",
    .source = "disaggregation/common/conn.py: CommonKVManager.try_ensure_parallel_info",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode prefill "
                    "--kv-cache-dtype fp8_e4m3\nsglang serve --model-path Qwen/Qwen3-8B "
                    "--disaggregation-mode decode\n"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode prefill "
                     "--kv-cache-dtype fp8_e4m3\nsglang serve --model-path Qwen/Qwen3-8B "
                     "--disaggregation-mode decode --kv-cache-dtype fp8_e4m3\n"}};

constexpr Rule kPortCollides{
    .id = "deployment/port-collides",
    .stage = Stage::deployment,
    .message = "{} and {} both listen at port {} of one host.",
    .why =
        "The second server cannot bind the port and ends. Containers with a network of their own "
        "may use the same port; those of one pod, in the host's network, or servers that a script "
        "starts in the background may not.",
    .source = "server_args.py: ServerArgs.port",
    .bad = {.text = "sglang serve --model-path Qwen/Qwen3-8B &\nsglang serve --model-path "
                    "Qwen/Qwen3-4B --base-gpu-id 1\n"},
    .good = {.text = "sglang serve --model-path Qwen/Qwen3-8B &\nsglang serve --model-path "
                     "Qwen/Qwen3-4B --base-gpu-id 1 --port 30001\n"}};

constexpr Rule kPublishedTwice{
    .id = "deployment/published-port-collides",
    .stage = Stage::deployment,
    .message = "{} and {} both publish port {} of the host.",
    .why = "A port of the host belongs to one container; the second does not start.",
    .source = "Docker: published ports",
    .bad = {.text =
                "services:\n  a:\n    image: lmsysorg/sglang:v0.5.18\n    ports: "
                "[\"30000:30000\"]\n    command: sglang serve --model-path Qwen/Qwen3-8B\n  b:\n"
                "    image: lmsysorg/sglang:v0.5.18\n    ports: [\"30000:30000\"]\n    command: "
                "sglang serve --model-path Qwen/Qwen3-4B\n"},
    .good = {.text =
                 "services:\n  a:\n    image: lmsysorg/sglang:v0.5.18\n    ports: "
                 "[\"30000:30000\"]\n    command: sglang serve --model-path Qwen/Qwen3-8B\n  b:\n"
                 "    image: lmsysorg/sglang:v0.5.18\n    ports: [\"30001:30000\"]\n    command: "
                 "sglang serve --model-path Qwen/Qwen3-4B\n"}};

// What all nodes of a server share.
constexpr Field kSameOnNodes[] = {
    Field::model_path,     Field::dist_init_addr, Field::tp_size,      Field::pp_size,
    Field::dp_size,        Field::ep_size,        Field::quantization, Field::dtype,
    Field::kv_cache_dtype, Field::context_length, Field::page_size};

class Deployment {
 public:
  explicit Deployment(const std::vector<Member>& members) : members_(members) {}

  std::vector<DeploymentFinding> run(const std::vector<RouterLine>& routers) {
    nodes();
    for (size_t i = 0; i < members_.size(); ++i)
      for (size_t k = i + 1; k < members_.size(); ++k) {
        pair(i, k);
        ports(i, k);
      }
    check_routers(members_, routers, out_);
    return std::move(out_);
  }

 private:
  const Value& typed(size_t m, Field field) const {
    return members_[m].arguments->values[static_cast<size_t>(field)];
  }
  bool unknown(size_t a, size_t b, Field field) const {
    return members_[a].unknown(field) || members_[b].unknown(field);
  }
  std::string text(size_t m, Field field) const {
    const Value& v = typed(m, field);
    return v.is_none() ? "not given" : str(v);
  }
  void find(const Rule& rule, std::initializer_list<Arg> args,
            std::vector<std::pair<size_t, Field>> about) {
    out_.push_back({&rule, fill(rule.message, args), std::move(about), {}});
  }
  void compare(const Rule& rule, size_t a, size_t b, Field field) {
    if (typed(a, field) == typed(b, field) || unknown(a, b, field)) return;
    find(rule,
         {members_[a].name, members_[b].name, hyphens(field_name(field)), text(a, field),
          text(b, field)},
         {{a, field}, {b, field}});
  }

  // Launches with --nnodes over one, by model and role: one server, or several told apart by their
  // --dist-init-addr when each of these is whole.
  void nodes() {
    std::vector<std::vector<size_t>> servers;
    for (size_t m = 0; m < members_.size(); ++m) {
      if (typed(m, Field::nnodes).as_int() < 2 || members_[m].unknown(Field::nnodes)) continue;
      const auto same = [&](const std::vector<size_t>& server) {
        return typed(server[0], Field::nnodes) == typed(m, Field::nnodes) &&
               typed(server[0], Field::disaggregation_mode) ==
                   typed(m, Field::disaggregation_mode) &&
               (typed(server[0], Field::dist_init_addr) == typed(m, Field::dist_init_addr) ||
                static_cast<int64_t>(server.size()) < typed(m, Field::nnodes).as_int());
      };
      auto at = std::find_if(servers.begin(), servers.end(), same);
      if (at == servers.end()) at = servers.insert(at, std::vector<size_t>());
      at->push_back(m);
    }
    for (const std::vector<size_t>& server : servers) {
      if (server.size() < 2) continue;  // the others are started from elsewhere
      const int64_t count = typed(server[0], Field::nnodes).as_int();
      for (size_t i = 1; i < server.size(); ++i)
        for (Field field : kSameOnNodes) compare(kNodesDiffer, server[0], server[i], field);
      const auto open = [&](size_t m) { return members_[m].unknown(Field::node_rank); };
      if (std::any_of(server.begin(), server.end(), open)) continue;
      for (int64_t rank = 0; rank < count && rank < 64; ++rank) {
        std::vector<size_t> holders;
        for (size_t m : server)
          if (typed(m, Field::node_rank).as_int() == rank) holders.push_back(m);
        if (holders.empty())
          find(kRankMissing, {count, rank}, {{server[0], Field::nnodes}});
        else if (holders.size() > 1)
          find(kRankRepeated, {members_[holders[0]].name, members_[holders[1]].name, rank},
               {{holders[0], Field::node_rank}, {holders[1], Field::node_rank}});
      }
    }
  }

  void pair(size_t a, size_t b) {
    const auto role = [&](size_t m) { return typed(m, Field::disaggregation_mode).as_str(); };
    if (role(a) == "decode" && role(b) == "prefill") std::swap(a, b);
    if (role(a) != "prefill" || role(b) != "decode") return;
    compare(kPairDiffers, a, b, Field::model_path);
    compare(kPairDiffers, a, b, Field::disaggregation_transfer_backend);
    const Resolution *x = members_[a].resolution, *y = members_[b].resolution;
    if (!x || !y) return;
    const Value &p = x->value(Field::page_size), &d = y->value(Field::page_size);
    if (p != d && !unknown(a, b, Field::page_size))
      find(kPageSizes, {p, d}, {{a, Field::page_size}, {b, Field::page_size}});
    const Value &u = x->value(Field::kv_cache_dtype), &v = y->value(Field::kv_cache_dtype);
    // From 0.5.17 on auto stands for the type that a quantized checkpoint names, if it does.
    const auto open = [](const Resolution& r) {
      return r.since(Release::v0_5_17) && r.value(Field::kv_cache_dtype).as_str() == "auto" &&
             !r.value(Field::quantization).is_none();
    };
    if (u != v && !open(*x) && !open(*y) && !unknown(a, b, Field::kv_cache_dtype))
      find(kKvCacheDtypes, {u, v}, {{a, Field::kv_cache_dtype}, {b, Field::kv_cache_dtype}});
  }

  void ports(size_t a, size_t b) {
    const Network &x = *members_[a].network, &y = *members_[b].network;
    for (const Network::Published& p : x.published)
      for (const Network::Published& q : y.published)
        if (p.host != 0 && p.host == q.host)
          find(kPublishedTwice, {members_[a].name, members_[b].name, p.host},
               {{a, Field::port}, {b, Field::port}});
    const auto differs = [&](Field f) { return typed(a, f) != typed(b, f) || unknown(a, b, f); };
    const bool together = (x.pod >= 0 && x.pod == y.pod) ||
                          (x.kind == Network::Kind::host && y.kind == Network::Kind::host &&
                           x.pod < 0 && y.pod < 0) ||
                          (x.kind == Network::Kind::unknown && y.kind == Network::Kind::unknown &&
                           members_[a].background);
    if (!together || differs(Field::node_rank) || differs(Field::port)) return;
    find(kPortCollides, {members_[a].name, members_[b].name, typed(a, Field::port)},
         {{a, Field::port}, {b, Field::port}});
  }

  const std::vector<Member>& members_;
  std::vector<DeploymentFinding> out_;
};

}  // namespace

std::vector<DeploymentFinding> check_deployment(const std::vector<Member>& members,
                                                const std::vector<RouterLine>& routers) {
  return Deployment(members).run(routers);
}

RuleList deployment_rules() {
  return {&kNodesDiffer, &kRankRepeated,  &kRankMissing,  &kPairDiffers,
          &kPageSizes,   &kKvCacheDtypes, &kPortCollides, &kPublishedTwice};
}

}  // namespace sglint
