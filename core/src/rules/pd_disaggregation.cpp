// Prefill/decode disaggregation (arg_groups/pd_disaggregation_hook.py).
#include <algorithm>

#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kDecodeDcpTransfer{
    .id = "pd-disaggregation/decode-dcp-transfer-backend",
    .exception = "ValueError",
    .message = "PD decode DCP requires --disaggregation-transfer-backend mooncake or nixl, got {}.",
    .why =
        "Only Mooncake and NIXL can send a KV cache to decode ranks that each hold another part of "
        "it.",
    .source = "pd_disaggregation_hook.py: handle_pd_disaggregation",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 4 --disaggregation-mode "
            "decode --disaggregation-transfer-backend mori",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 4 --disaggregation-mode "
             "decode --disaggregation-transfer-backend nixl",
             "h200"},
    .releases = {Release::v0_5_17, Release::v0_5_18}};

constexpr Rule kDecodeDcpRadix{
    .id = "pd-disaggregation/decode-dcp-with-radix-cache",
    .exception = "ValueError",
    .message =
        "PD decode DCP currently requires chunk cache; --disaggregation-decode-enable-radix-cache "
        "is not supported.",
    .why = "The radix cache of a decode server does not know of decode context parallelism.",
    .source = "pd_disaggregation_hook.py: handle_pd_disaggregation",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 4 --disaggregation-mode "
            "decode --disaggregation-transfer-backend nixl "
            "--disaggregation-decode-enable-radix-cache",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 4 --disaggregation-mode "
             "decode --disaggregation-transfer-backend nixl",
             "h200"},
    .releases = {Release::v0_5_17, Release::v0_5_18}};

constexpr Rule kDecodeDcpHicache{
    .id = "pd-disaggregation/decode-dcp-with-hicache",
    .exception = "ValueError",
    .message =
        "PD decode DCP currently requires chunk cache; --enable-hierarchical-cache is not "
        "supported.",
    .why = "The hierarchical cache of a decode server does not know of decode context parallelism.",
    .source = "pd_disaggregation_hook.py: handle_pd_disaggregation",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 4 --disaggregation-mode "
            "decode --disaggregation-transfer-backend nixl --enable-hierarchical-cache",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --dcp-size 4 --disaggregation-mode "
             "decode --disaggregation-transfer-backend nixl",
             "h200"},
    .releases = {Release::v0_5_17, Release::v0_5_18}};

constexpr Rule kRadixHisparse{
    .id = "pd-disaggregation/decode-radix-cache-with-hisparse",
    .exception = "ValueError",
    .message = "--disaggregation-decode-enable-radix-cache is incompatible with --enable-hisparse",
    .why =
        "HiSparse keeps the KV cache of a decode server in its own pools, which a prefix tree "
        "cannot share.",
    .source = "pd_disaggregation_hook.py: handle_pd_disaggregation",
    .bad = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --disaggregation-mode decode "
            "--disaggregation-decode-enable-radix-cache --enable-hisparse",
            "h200"},
    .good = {"--model-path deepseek-ai/DeepSeek-V3.2 --tp-size 8 --disaggregation-mode decode "
             "--disaggregation-transfer-backend nixl --disaggregation-decode-enable-radix-cache",
             "h200"}};

constexpr Rule kRadixFake{
    .id = "pd-disaggregation/decode-radix-cache-with-fake-transfer",
    .exception = "ValueError",
    .message =
        "--disaggregation-decode-enable-radix-cache is incompatible with "
        "--disaggregation-transfer-backend fake",
    .why = "The fake transfer backend sends nothing, so there is no prefix to reuse.",
    .source = "pd_disaggregation_hook.py: handle_pd_disaggregation",
    .bad = {"--model-path Qwen/Qwen3-8B --disaggregation-mode decode "
            "--disaggregation-transfer-backend fake "
            "--disaggregation-decode-enable-radix-cache",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --disaggregation-mode decode "
             "--disaggregation-transfer-backend fake",
             "h100"}};

constexpr Rule kRadixSpeculative{
    .id = "pd-disaggregation/decode-radix-cache-with-speculative",
    .exception = "ValueError",
    .message =
        "--disaggregation-decode-enable-radix-cache is incompatible with speculative decoding "
        "(--speculative-algorithm {})",
    .why = "A prefix found in the decode server's tree would lack the draft model's KV cache.",
    .source = "pd_disaggregation_hook.py: handle_pd_disaggregation",
    .bad = {"--model-path Qwen/Qwen3-8B --disaggregation-mode decode "
            "--disaggregation-transfer-backend nixl "
            "--disaggregation-decode-enable-radix-cache --speculative-algorithm NGRAM",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --disaggregation-mode decode "
             "--disaggregation-transfer-backend nixl "
             "--disaggregation-decode-enable-radix-cache",
             "h100"}};

constexpr Rule kPrefillFake{
    .id = "pd-disaggregation/prefill-with-fake-transfer",
    .exception = "AssertionError",
    .message = "Prefill server does not support 'fake' as the transfer backend",
    .why = "The fake transfer backend stands in for a prefill server, to benchmark decode alone.",
    .source = "pd_disaggregation_hook.py: handle_pd_disaggregation",
    .bad = {"--model-path Qwen/Qwen3-8B --disaggregation-mode prefill "
            "--disaggregation-transfer-backend fake",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --disaggregation-mode prefill "
             "--disaggregation-transfer-backend nixl",
             "h100"}};

constexpr Rule kBootstrapPort{
    .id = "pd-disaggregation/rust-server-bootstrap-port",
    .exception = "ValueError",
    .message =
        "SGLANG_RUST_SERVER serves the PD KV bootstrap registry on the api port itself; "
        "--disaggregation-bootstrap-port {} conflicts with --port {}. Drop "
        "--disaggregation-bootstrap-port (decode nodes and the PD router must then target the "
        "prefill api port).",
    .why = "The Rust server has one port for both. Point decode servers and the router at --port.",
    .source = "pd_disaggregation_hook.py: _alias_bootstrap_port_to_api_port",
    // No example: it needs an environment variable.
    .bad = {},
    .good = {},
    .releases = {Release::v0_5_17, Release::v0_5_18}};

constexpr Rule kStagingBuffer{.id = "pd-disaggregation/staging-buffer-transfer-backend",
                              .exception = "ValueError",
                              .message =
                                  "SGLANG_DISAGG_STAGING_BUFFER requires "
                                  "disaggregation_transfer_backend='mooncake' or 'nixl', got '{}'.",
                              .why = "Only Mooncake and NIXL can send from a staging buffer.",
                              .source = "pd_disaggregation_hook.py: handle_pd_disaggregation",
                              // No example: it needs an environment variable.
                              .bad = {},
                              .good = {}};

constexpr Rule kBadMode{.id = "pd-disaggregation/invalid-mode",
                        .exception = "ValueError",
                        .message = "Invalid disaggregation_mode={}",
                        .why = "A server prefills, decodes, or does both (null).",
                        .source = "server_args.py: ServerArgs._handle_load_balance_method",
                        // No example: argparse's choices reject other words first.
                        .bad = {},
                        .good = {"--model-path Qwen/Qwen3-8B", "h100"}};

bool sends_dcp_and_staging(std::string_view backend) {
  return backend == "mooncake" || backend == "nixl";
}

void decode_with_dcp(Resolution& r) {
  const std::string_view backend = r.get(f::disaggregation_transfer_backend);
  if (!sends_dcp_and_staging(backend))
    return r.reject(
        kDecodeDcpTransfer, {repr(backend)},
        {{{set(f::disaggregation_transfer_backend, "nixl")}, "prefill servers must use nixl too"},
         {{unset(f::dcp_size)}, "each rank holds the whole KV cache of its heads"}});
  if (r.get(f::disaggregation_decode_enable_radix_cache))
    return r.reject(kDecodeDcpRadix, {},
                    {{{unset(f::disaggregation_decode_enable_radix_cache)},
                      "no prefix reuse on the decode server"}},
                    {Field::dcp_size});
  if (r.get(f::enable_hierarchical_cache))
    r.reject(kDecodeDcpHicache, {},
             {{{unset(f::enable_hierarchical_cache)}, "no host cache on the decode server"}},
             {Field::dcp_size});
}

void decode_cache(Resolution& r) {
  if (!r.get(f::disaggregation_decode_enable_radix_cache)) {
    r.set(f::disable_radix_cache, true,
          "A decode server gets its KV cache by transfer and keeps no prefixes.");
    r.warn("KV cache is forced as chunk cache for decode server");
    return;
  }
  const Fix no_radix{{unset(f::disaggregation_decode_enable_radix_cache)},
                     "no prefix reuse on the decode server"};
  if (r.get(f::enable_hisparse))
    return r.reject(kRadixHisparse, {}, {no_radix, {{unset(f::enable_hisparse)}, "no HiSparse"}});
  if (r.get(f::disaggregation_transfer_backend) == "fake")
    return r.reject(kRadixFake, {}, {no_radix}, {Field::disaggregation_transfer_backend});
  if (const auto algorithm = r.get(f::speculative_algorithm))
    return r.reject(kRadixSpeculative, {*algorithm}, {no_radix}, {Field::speculative_algorithm});
  const bool dp_attention =
      r.since(Release::v0_5_16) ? r.view(f::enable_dp_attention) : r.get(f::enable_dp_attention);
  if (dp_attention)
    r.warn(
        "EXPERIMENTAL: Decode radix cache with DP attention. Requires prefix-aware DP rank routing "
        "for optimal cache hits.");
  r.set(f::disable_radix_cache, false,
        "--disaggregation-decode-enable-radix-cache asks for prefix reuse.");
  r.warn("EXPERIMENTAL: Radix cache is enabled for decode server");
}

// Slots for requests whose KV cache is still on its way, besides those that run.
void decode_extra_slots(Resolution& r) {
  if (r.get(f::disaggregation_decode_extra_slots)) return;
  int64_t slots = 0;
  if (const auto running = r.get(f::max_running_requests)) {
    const int64_t workers = std::max<int64_t>(1, r.get(f::dp_size));
    int64_t per_worker = *running / workers;
    if (*running % workers < 0) --per_worker;
    if (per_worker <= 32) slots = per_worker * 2;
  }
  r.set(f::disaggregation_decode_extra_slots, slots,
        "Small batches get room for twice as many requests in transfer; large ones none.");
}

// _alias_bootstrap_port_to_api_port
void bootstrap_port_is_api_port(Resolution& r) {
  const int64_t port = r.get(f::port), bootstrap = r.get(f::disaggregation_bootstrap_port);
  const Value& fallback =
      field_defaults(r.release())[static_cast<size_t>(Field::disaggregation_bootstrap_port)];
  if (bootstrap == port) return;
  if (bootstrap != fallback.as_int())
    return r.reject(
        kBootstrapPort, {bootstrap, port},
        {{{unset(f::disaggregation_bootstrap_port)}, "decode servers and router must use --port"}},
        {Field::port});
  r.info(
      "SGLANG_RUST_SERVER: KV bootstrap registry is served on the api port; "
      "disaggregation_bootstrap_port {} -> {}",
      {bootstrap, port});
  r.set(f::disaggregation_bootstrap_port, port,
        "The Rust server has one port for the API and the bootstrap registry.");
}

}  // namespace

void pd_disaggregation(Resolution& r) {
  if (r.get(f::disaggregation_transfer_backend) == "mooncake_tcp") {
    if (!r.env().is_set("MC_FORCE_TCP")) r.env().put("MC_FORCE_TCP", "1");
    r.set(f::disaggregation_transfer_backend, "mooncake",
          "mooncake_tcp is Mooncake with TCP forced.");
    r.set(f::disaggregation_ib_device, Value(), "TCP uses no RDMA device.");
    r.info(
        "disaggregation transfer backend 'mooncake_tcp' -> mooncake with MC_FORCE_TCP=1 (TCP "
        "transport, no RDMA)");
  }
  const std::string_view mode = r.get(f::disaggregation_mode);
  const bool dcp = r.since(Release::v0_5_17) && r.get(f::dcp_size) > 1;
  if (mode == "prefill" && dcp)
    r.warn(
        "DCP on a PD prefill server is supported when prefill and decode use the same DCP layout, "
        "but it usually adds communication overhead without improving prefill performance.");
  if (mode == "decode") {
    if (dcp) decode_with_dcp(r);
    decode_cache(r);
    decode_extra_slots(r);
  } else if (mode == "prefill") {
    if (r.get(f::disaggregation_transfer_backend) == "fake")
      return r.reject(
          kPrefillFake, {},
          {{{unset(f::disaggregation_transfer_backend)}, "the default transfer backend"}});
    if (!r.since(Release::v0_5_16)) {
      r.set(f::disable_cuda_graph, true,
            "A prefill server runs no decode steps, which CUDA graphs serve.");
    } else if (r.since(Release::v0_5_17) && r.env().flag("SGLANG_RUST_SERVER")) {
      bootstrap_port_is_api_port(r);
    }
  }
  const std::string_view backend = r.get(f::disaggregation_transfer_backend);
  if (mode != "null" && r.env().flag("SGLANG_DISAGG_STAGING_BUFFER") &&
      !sends_dcp_and_staging(backend))
    r.reject(kStagingBuffer, {backend},
             {{{unset_env("SGLANG_DISAGG_STAGING_BUFFER")}, "KV cache is sent from where it lies"}},
             {Field::disaggregation_transfer_backend});
}

void load_balance_method(Resolution& r) {
  const std::string_view mode = r.get(f::disaggregation_mode);
  if (!one_of(mode, {"null", "prefill", "decode"}))
    return r.reject(kBadMode, {repr(mode)}, {{{unset(f::disaggregation_mode)}, ""}});
  if (r.get(f::load_balance_method) == "auto")
    r.set(f::load_balance_method, mode == "prefill" ? "follow_bootstrap_room" : "round_robin",
          mode == "prefill" ? "A prefill server must use the rank that the bootstrap room names."
                            : "Data-parallel ranks take turns by default.");
}

RuleList pd_disaggregation_rules() {
  return {&kDecodeDcpTransfer, &kDecodeDcpRadix, &kDecodeDcpHicache, &kRadixHisparse, &kRadixFake,
          &kRadixSpeculative,  &kPrefillFake,    &kBootstrapPort,    &kStagingBuffer, &kBadMode};
}

}  // namespace sglint
