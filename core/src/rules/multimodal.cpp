// Media in requests: where it may come from, how it is preprocessed, how its features travel.
#include <algorithm>
#include <array>
#include <cstdio>

#include "base/python_text.h"
#include "base/sort.h"
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kNegativeFileSize{
    .id = "multimodal/media-url-max-file-size",
    .exception = "ValueError",
    .message = "media_url_max_file_size_mb must be non-negative",
    .why = "The limit on downloaded media is a size in MB; 0 allows none.",
    .source = "utils/common.py: configure_media_url_security",
    .bad = {"--model-path Qwen/Qwen3-8B --media-url-max-file-size-mb=-1", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --media-url-max-file-size-mb=1", "h100"},
    .releases = {Release::v0_5_18, Release::v0_5_18}};

constexpr Rule kEmptyDomain{
    .id = "multimodal/empty-media-domain",
    .exception = "ValueError",
    .message = "allowed media domains cannot be empty",
    .why =
        "An empty name in --allowed-media-domains allows nothing; leave the flag out to allow "
        "every host.",
    .source = "utils/common.py: _normalize_media_domain",
    .bad = {"--model-path Qwen/Qwen3-8B --allowed-media-domains .", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --allowed-media-domains example.com", "h100"},
    .releases = {Release::v0_5_18, Release::v0_5_18}};

constexpr Rule kDomainIsUrl{
    .id = "multimodal/media-domain-is-not-a-hostname",
    .exception = "ValueError",
    .message = "Invalid allowed media domain {}: provide a hostname only",
    .why =
        "Domains are compared with the host of a media URL, so scheme, path and user have no place "
        "here.",
    .source = "utils/common.py: _normalize_media_domain",
    .bad = {"--model-path Qwen/Qwen3-8B --allowed-media-domains https://example.com", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --allowed-media-domains example.com", "h100"},
    .releases = {Release::v0_5_18, Release::v0_5_18}};

constexpr Rule kDomainHasPort{
    .id = "multimodal/media-domain-has-a-port",
    .exception = "ValueError",
    .message = "Invalid allowed media domain {}: ports are not supported",
    .why = "A domain is allowed on every port; only the host name is compared.",
    .source = "utils/common.py: _normalize_media_domain",
    .bad = {"--model-path Qwen/Qwen3-8B --allowed-media-domains example.com:8080", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --allowed-media-domains example.com", "h100"},
    .releases = {Release::v0_5_18, Release::v0_5_18}};

constexpr Rule kDomainNotEncodable{
    .id = "multimodal/media-domain-is-not-a-name",
    .exception = "ValueError",
    .message = "Invalid allowed media domain {}",
    .why = "A host name consists of labels of 1 to 63 characters between dots.",
    .source = "utils/common.py: _normalize_media_domain",
    .bad = {"--model-path Qwen/Qwen3-8B --allowed-media-domains a..b", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --allowed-media-domains a.b", "h100"},
    .releases = {Release::v0_5_18, Release::v0_5_18}};

constexpr Rule kCacheSize{
    .id = "multimodal/preprocess-cache-size",
    .exception = "ValueError",
    .message = "mm_preprocess_cache_size_mb must be non-negative",
    .why = "The cache of preprocessed media has a size in MB; 0 turns it off.",
    .source = "server_args.py: ServerArgs._handle_multimodal",
    .bad = {"--model-path Qwen/Qwen3-8B --mm-preprocess-cache-size-mb=-1", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --mm-preprocess-cache-size-mb=0", "h100"},
    .releases = {Release::v0_5_18, Release::v0_5_18}};

constexpr Rule kProcessConfig{
    .id = "multimodal/process-config-is-not-an-object",
    .exception = "TypeError",
    .message = "mm_process_config must be a dict, but got <class '{}'>",
    .why = "--mm-process-config is a JSON object with the keys image, video and audio.",
    .source = "server_args.py: ServerArgs._handle_multimodal",
    .bad = {"--model-path Qwen/Qwen3-8B --mm-process-config []", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --mm-process-config {}", "h100"}};

constexpr Rule kProcessConfigPart{
    .id = "multimodal/process-config-part-is-not-an-object",
    .exception = "TypeError",
    .message = "mm_process_config['{}'] must be a dict, but got <class '{}'>",
    .why = "Each part of --mm-process-config is a JSON object of settings for that kind of media.",
    .source = "server_args.py: ServerArgs._handle_multimodal",
    .bad = {"--model-path Qwen/Qwen3-8B --mm-process-config '{\"image\": 1}'", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --mm-process-config '{\"image\": {}}'", "h100"}};

constexpr Rule kKeepOnDevice{
    .id = "multimodal/keep-on-device-conflicts",
    .exception = "ValueError",
    .message =
        "--keep-mm-feature-on-device conflicts with --mm-feature-transport={}. Use only "
        "--mm-feature-transport=cuda_ipc.",
    .why =
        "--keep-mm-feature-on-device is the old name of --mm-feature-transport cuda_ipc, so it "
        "cannot stand beside another transport.",
    .source = "server_args.py: ServerArgs._handle_multimodal_feature_transport",
    .bad = {"--model-path Qwen/Qwen3-8B --keep-mm-feature-on-device --mm-feature-transport cpu",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --mm-feature-transport cuda_ipc", "h100"},
    .releases = {Release::v0_5_16, Release::v0_5_18}};

constexpr Rule kVmmNeedsCuda{
    .id = "multimodal/cuda-vmm-needs-cuda",
    .exception = "ValueError",
    .message = "--mm-feature-transport=cuda_vmm requires NVIDIA CUDA.",
    .why = "The transport shares memory through CUDA's virtual memory API.",
    .source = "server_args.py: ServerArgs._handle_multimodal_feature_transport",
    .bad = {"--model-path Qwen/Qwen3-8B --mm-feature-transport cuda_vmm", "mi300x"},
    .good = {"--model-path Qwen/Qwen3-8B --mm-feature-transport cpu", "mi300x"},
    .releases = {Release::v0_5_18, Release::v0_5_18}};

constexpr Rule kVmmPipeline{
    .id = "multimodal/cuda-vmm-without-pipeline",
    .exception = "ValueError",
    .message = "--mm-feature-transport=cuda_vmm does not support pipeline parallelism.",
    .why = "Features go straight to the GPUs of one pipeline stage.",
    .source = "server_args.py: ServerArgs._handle_multimodal_feature_transport",
    .bad = {"--model-path Qwen/Qwen3-8B --pp-size 2 --mm-feature-transport cuda_vmm", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --pp-size 2 --mm-feature-transport cpu", "h100"},
    .releases = {Release::v0_5_18, Release::v0_5_18}};

constexpr Rule kVmmRust{
    .id = "multimodal/cuda-vmm-without-rust-server",
    .exception = "ValueError",
    .message = "--mm-feature-transport=cuda_vmm is not supported with SGLANG_RUST_SERVER.",
    .why = "The Rust server has no CUDA VMM sender.",
    .source = "server_args.py: ServerArgs._handle_multimodal_feature_transport",
    // No example: it needs an environment variable.
    .bad = {},
    .good = {},
    .releases = {Release::v0_5_18, Release::v0_5_18}};

constexpr Rule kIpcNeedsCuda{
    .id = "multimodal/cuda-ipc-needs-cuda",
    .exception = "ValueError",
    .message = "--mm-feature-transport=cuda_ipc requires NVIDIA CUDA.",
    .why = "The transport hands CUDA IPC handles from process to process.",
    .source = "server_args.py: ServerArgs._handle_multimodal_feature_transport",
    .bad = {"--model-path Qwen/Qwen3-8B --mm-feature-transport cuda_ipc", "mi300x"},
    .good = {"--model-path Qwen/Qwen3-8B --mm-feature-transport cpu", "mi300x"},
    .releases = {Release::v0_5_16, Release::v0_5_18}};

constexpr Rule kIpcOneNode{
    .id = "multimodal/cuda-ipc-is-one-node",
    .exception = "ValueError",
    .message = "--mm-feature-transport=cuda_ipc only supports a single node.",
    .why = "CUDA IPC handles mean nothing on another host.",
    .source = "server_args.py: ServerArgs._handle_multimodal_feature_transport",
    .bad = {"--model-path Qwen/Qwen3-8B --tp-size 16 --nnodes 2 --dist-init-addr 10.0.0.1:5000 "
            "--mm-feature-transport cuda_ipc",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --mm-feature-transport cuda_ipc", "h100"},
    .releases = {Release::v0_5_16, Release::v0_5_18}};

std::string_view strip(std::string_view s) {
  while (!s.empty() && contains(" \t\n\r\f\v", s.substr(0, 1))) s.remove_prefix(1);
  while (!s.empty() && contains(" \t\n\r\f\v", s.substr(s.size() - 1))) s.remove_suffix(1);
  return s;
}

std::vector<std::string_view> split(std::string_view s, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (size_t at; (at = s.find(separator)) != std::string_view::npos;
       s.remove_prefix(at + separator.size()))
    parts.push_back(s.substr(0, at));
  parts.push_back(s);
  return parts;
}

bool is_ipv4(std::string_view s) {
  const std::vector<std::string_view> octets = split(s, ".");
  if (octets.size() != 4) return false;
  for (std::string_view o : octets) {
    if (o.empty() || o.size() > 3 || (o.size() > 1 && o[0] == '0')) return false;
    int n = 0;
    for (char c : o) {
      if (c < '0' || c > '9') return false;
      n = n * 10 + (c - '0');
    }
    if (n > 255) return false;
  }
  return true;
}

// The compressed spelling of an IPv6 address, as Python's ipaddress prints it; "" if it is none.
std::string ipv6(std::string_view s) {
  const size_t percent = s.find('%');
  const std::string_view scope =
      percent == std::string_view::npos ? std::string_view() : s.substr(percent);
  s = s.substr(0, percent);
  if (!contains(s, ":") ||
      (!scope.empty() && (scope.size() == 1 || contains(scope.substr(1), "%"))))
    return "";
  std::vector<std::string> groups;
  int gap = -1;
  for (std::string_view g : split(s, ":")) {
    if (contains(g, ".")) {
      if (!is_ipv4(g)) return "";
      const std::vector<std::string_view> o = split(g, ".");
      char text[16];
      const auto at = [&](size_t i) { return atoi(std::string(o[i]).c_str()); };
      snprintf(text, sizeof text, "%x", static_cast<unsigned>(at(0) * 256 + at(1)));
      groups.emplace_back(text);
      snprintf(text, sizeof text, "%x", static_cast<unsigned>(at(2) * 256 + at(3)));
      groups.emplace_back(text);
      continue;
    }
    if (g.size() > 4) return "";
    for (char c : g)
      if (!contains("0123456789abcdefABCDEF", std::string_view(&c, 1))) return "";
    groups.emplace_back(g);
  }
  // "::" leaves one empty group inside, two at either end.
  if (groups.size() < 3 || groups.size() > 9) return "";
  if (groups.front().empty() != (groups.size() > 1 && groups.front().empty() && groups[1].empty()))
    return "";
  if (groups.front().empty()) groups.erase(groups.begin());
  if (groups.back().empty()) {
    if (!groups[groups.size() - 2].empty()) return "";
    if (groups.size() > 1) groups.pop_back();
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!groups[i].empty()) continue;
    if (gap >= 0) return "";
    gap = static_cast<int>(i);
  }
  std::array<unsigned, 8> words{};
  const size_t filled = groups.size() - (gap >= 0 ? 1 : 0);
  if (gap < 0 ? filled != 8 : filled > 7) return "";
  size_t out = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (static_cast<int>(i) == gap)
      out += 8 - filled;
    else
      words[out++] = static_cast<unsigned>(strtoul(groups[i].c_str(), nullptr, 16));
  }
  // The longest run of at least two zero words becomes "::".
  size_t best = 0, length = 0;
  for (size_t i = 0; i < 8;) {
    size_t j = i;
    while (j < 8 && words[j] == 0) ++j;
    if (j - i > length && j - i > 1) {
      best = i;
      length = j - i;
    }
    i = j + 1;
  }
  std::string text;
  for (size_t i = 0; i < 8; ++i) {
    if (length && i == best) {
      text += i == 0 ? "::" : ":";
      i += length - 1;
      continue;
    }
    char word[16];
    snprintf(word, sizeof word, "%x", words[i]);
    text += word;
    if (i < 7) text += ':';
  }
  return text + std::string(scope);
}

// utils/common.py: _normalize_media_domain. Empty after a rejection.
std::string normalize_media_domain(Resolution& r, std::string_view domain) {
  const std::vector<Fix> fixes{
      {{unset(f::allowed_media_domains)}, "media from every host is allowed"}};
  domain = strip(domain);
  while (!domain.empty() && domain.back() == '.') domain.remove_suffix(1);
  const auto refuse = [&](const Rule& rule) {
    r.reject(rule, {repr(domain)}, fixes);
    return std::string();
  };
  if (domain.empty()) return refuse(kEmptyDomain);
  if (contains(domain, "://") || domain.find_first_of("/?#@") != std::string_view::npos)
    return refuse(kDomainIsUrl);
  if (domain.front() == '[' && domain.back() == ']') domain = domain.substr(1, domain.size() - 2);
  if (is_ipv4(domain)) return std::string(domain);
  if (std::string address = ipv6(domain); !address.empty()) return address;
  if (contains(domain, ":")) return refuse(kDomainHasPort);
  const std::vector<std::string_view> labels = split(domain, ".");
  for (size_t i = 0; i < labels.size(); ++i)
    if ((labels[i].empty() && i + 1 < labels.size()) || labels[i].size() > 63)
      return refuse(kDomainNotEncodable);
  if (domain.empty()) return refuse(kEmptyDomain);
  return lower(domain);
}

std::string_view number(bool yes) { return yes ? "1" : "0"; }

// The transport where neither flag nor old environment variable asks for one. Messages differ by
// release.
std::string_view default_transport(Resolution& r) {
  if (!r.since(Release::v0_5_17)) return "cpu";
  if (r.get(f::encoder_only)) {
    r.info(
        "Multimodal feature transport auto-resolved to cpu for encoder-only serving; encoder "
        "outputs use --encoder-transfer-backend instead.");
    return "cpu";
  }
  const bool unified = r.get(f::disaggregation_mode) == "null";
  if (!r.since(Release::v0_5_18)) {
    if (!is_cuda(r.machine()) || r.get(f::nnodes) != 1 || !unified) return "cpu";
    r.info(
        "Multimodal feature transport auto-resolved to cuda_ipc (single-node CUDA). Pass "
        "--mm-feature-transport=cpu to opt out.");
    return "cuda_ipc";
  }
  const bool multimodal = r.model().is_multimodal;
  if (!multimodal || !is_cuda(r.machine()) || !unified || r.get(f::nnodes) == 1) return "cpu";
  if (is_mnnvl_fabric_device(r.machine())) {
    r.assume(
        "No IMEX channel is mounted, so multimodal features do not travel over the NVLink fabric.");
    r.info(
        "Multimodal feature transport auto-resolved to cpu: GB200/GB300 was detected but no IMEX "
        "channel is mounted. Configure the MNNVL compute domain or pass "
        "--mm-feature-transport=cuda_vmm after doing so.");
  }
  return "cpu";
}

// The reservation that both CUDA transports announce.
void announce_pool(Resolution& r, std::string_view how, std::string_view fallback) {
  r.info(
      "Using {}: reserving up to {} MiB on base GPU {} across {} tokenizer worker(s). This reduces "
      "KV cache headroom; a full pool falls back to {}CPU transport.",
      {how, r.env().get("SGLANG_MM_FEATURE_CACHE_MB"), r.value(f::base_gpu_id),
       r.value(f::tokenizer_worker_num), fallback});
}

}  // namespace

void media_url_security(Resolution& r) {
  if (r.get(f::media_url_max_file_size_mb) < 0)
    return r.reject(kNegativeFileSize, {},
                    {{{unset(f::media_url_max_file_size_mb)}, "the default of 64 MB"}});
  std::vector<std::string> domains;
  for (const Value& d : r.get(f::allowed_media_domains).as_list()) {
    domains.push_back(normalize_media_domain(r, d.as_str()));
    if (r.stopped()) return;
  }
  stable_sort(domains);
  domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
  Value normalized = Value::List(domains.begin(), domains.end());
  if (normalized != r.value(f::allowed_media_domains))
    r.set(f::allowed_media_domains, std::move(normalized),
          "Host names are normalized, sorted and listed once.");
}

void multimodal(Resolution& r) {
  if (r.since(Release::v0_5_18) && r.get(f::mm_preprocess_cache_size_mb).value_or(0) < 0)
    return r.reject(kCacheSize, {},
                    {{{unset(f::mm_preprocess_cache_size_mb)}, "the default size"}});
  const Value& config = r.value(f::mm_process_config);
  const std::vector<Fix> fixes{{{unset(f::mm_process_config)}, "the processor's own settings"}};
  if (config.is_none()) return;
  if (!config.is_dict()) return r.reject(kProcessConfig, {python_type(config)}, fixes);
  for (const char* key : {"image", "video", "audio"}) {
    if (config.has(key) && !config[key].is_dict())
      return r.reject(kProcessConfigPart, {key, python_type(config[key])}, fixes);
  }
}

// Called from _handle_environment_variables.
void multimodal_feature_transport(Resolution& r) {
  const Environment& env = r.env();
  constexpr std::string_view kLegacy = "SGLANG_USE_CUDA_IPC_TRANSPORT";
  const bool legacy_is_set = env.is_set(kLegacy), legacy_enabled = env.flag(kLegacy);
  const auto asked = r.get(f::mm_feature_transport);
  std::string_view transport = asked.value_or("");
  const Fix cpu{{set(f::mm_feature_transport, "cpu")}, "features pass through host memory"};

  if (r.get(f::keep_mm_feature_on_device)) {
    const bool conflict =
        r.since(Release::v0_5_18) ? asked && transport != "cuda_ipc" : transport == "cpu";
    if (conflict)
      return r.reject(
          kKeepOnDevice, {transport},
          {{{unset(f::keep_mm_feature_on_device)}, ""},
           {{unset(f::keep_mm_feature_on_device), set(f::mm_feature_transport, "cuda_ipc")},
            "reserves GPU memory for a pool"}});
    transport = "cuda_ipc";
    r.warn(
        "--keep-mm-feature-on-device is deprecated; using --mm-feature-transport=cuda_ipc "
        "instead.");
  }
  if (transport.empty()) {
    if (legacy_is_set) {
      transport = legacy_enabled ? "cuda_ipc" : "cpu";
      r.warn("SGLANG_USE_CUDA_IPC_TRANSPORT is deprecated; use --mm-feature-transport={} instead.",
             {transport});
    } else {
      transport = default_transport(r);
    }
  } else if (legacy_is_set && legacy_enabled != (transport == "cuda_ipc")) {
    r.warn(
        "--mm-feature-transport={} overrides the conflicting legacy "
        "SGLANG_USE_CUDA_IPC_TRANSPORT={} setting.",
        {transport, number(legacy_enabled)});
  }
  if (r.since(Release::v0_5_17) && r.get(f::encoder_only) && transport != "cpu") {
    r.warn(
        "--mm-feature-transport={} does not control encoder-only output transfer; using cpu for "
        "this inactive transport. Select --encoder-transfer-backend for encoder outputs.",
        {transport});
    transport = "cpu";
  }
  if (transport == "cuda_vmm") {
    if (!is_cuda(r.machine())) return r.reject(kVmmNeedsCuda, {}, {cpu});
    if (r.get(f::pp_size) != 1) return r.reject(kVmmPipeline, {}, {cpu});
    if (env.flag("SGLANG_RUST_SERVER"))
      return r.reject(kVmmRust, {},
                      {cpu, {{unset_env("SGLANG_RUST_SERVER")}, "serves with the Python server"}});
    announce_pool(r,
                  fill("CUDA VMM for multimodal features with {} sharing",
                       {r.get(f::nnodes) > 1 ? "CUDA FABRIC" : "POSIX FD"}),
                  "inline ");
  }
  if (transport == "cuda_ipc") {
    if (!is_cuda(r.machine())) return r.reject(kIpcNeedsCuda, {}, {cpu});
    if (r.get(f::nnodes) != 1) return r.reject(kIpcOneNode, {}, {cpu}, {Field::nnodes});
    announce_pool(r, "CUDA IPC for multimodal features", "");
    if (r.since(Release::v0_5_17))
      r.info(
          "CUDA IPC pool-handle caching is {}. It reuses mappings to the existing bounded pool "
          "without reserving another pool; set SGLANG_USE_IPC_POOL_HANDLE_CACHE=0 to disable it.",
          {env.flag("SGLANG_USE_IPC_POOL_HANDLE_CACHE") ? "enabled" : "disabled"});
  }
  r.set(f::mm_feature_transport, transport,
        "How features of images, video and audio reach the GPU process.");
  if (r.get(f::keep_mm_feature_on_device))
    r.set(f::keep_mm_feature_on_device, false, "Replaced by --mm-feature-transport.");
  r.env().put(std::string(kLegacy), transport == "cuda_ipc" ? "1" : "0");
}

RuleList multimodal_rules() {
  return {&kNegativeFileSize,   &kEmptyDomain,  &kDomainIsUrl,   &kDomainHasPort,
          &kDomainNotEncodable, &kCacheSize,    &kProcessConfig, &kProcessConfigPart,
          &kKeepOnDevice,       &kVmmNeedsCuda, &kVmmPipeline,   &kVmmRust,
          &kIpcNeedsCuda,       &kIpcOneNode};
}

}  // namespace sglint
