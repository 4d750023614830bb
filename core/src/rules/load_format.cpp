// How the weights are read.
#include "rules/load_format.h"

#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kIpcCache{.id = "load-format/ipc-cache-is-internal",
                         .exception = "ValueError",
                         .message =
                             "load_format='ipc_cache' is an internal-only format and must not be "
                             "set directly. Enable the weight cache via --weight-cache-mode client "
                             "(connect to an existing daemon) or daemon (launch one); that selects "
                             "IPC loading automatically.",
                         .why =
                             "The weight cache chooses this format itself; without a daemon there "
                             "is nothing to read from.",
                         .source = "server_args.py: ServerArgs._handle_load_format",
                         // No example: argparse's choices reject the word first.
                         .bad = {},
                         .good = {"--model-path Qwen/Qwen3-8B --weight-cache-mode daemon", "h100"},
                         .releases = {Release::v0_5_17, Release::v0_5_18}};

constexpr Rule kWeightCacheSpeculative{
    .id = "load-format/weight-cache-with-speculative",
    .exception = "ValueError",
    .message =
        "--weight-cache-mode is not supported together with speculative decoding "
        "(--speculative-algorithm): the weight cache daemon does not export the draft model's "
        "weights. Disable one of them (--weight-cache-mode off) for this configuration.",
    .why =
        "The daemon keeps the target model's weights only. NGRAM, which has no draft model, is "
        "refused all the same.",
    .source = "server_args.py: ServerArgs._handle_load_format",
    .bad = {"--model-path Qwen/Qwen3-8B --weight-cache-mode daemon --speculative-algorithm NGRAM",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --speculative-algorithm NGRAM", "h100"},
    .releases = {Release::v0_5_17, Release::v0_5_18}};

// utils/common.py: is_remote_url
bool is_remote_url(std::string_view path) {
  const size_t at = path.rfind("://");
  return at != std::string_view::npos && at > 0;
}

// ServerArgs.validate_transfer_engine
bool validate_transfer_engine(Resolution& r) {
  if (!has_package(r.machine(), "mooncake")) {
    r.warn(
        "Failed to import mooncake.engine. Does not support using TransferEngine as remote "
        "instance weight loader backend.");
    return false;
  }
  if (r.get(f::enable_memory_saver)) {
    r.warn(
        "Memory saver is enabled, which is not compatible with TransferEngine. Does not support "
        "using TransferEngine as remote instance weight loader backend.");
    return false;
  }
  return true;
}

// ServerArgs._is_mistral_native_format asks for the checkpoint's file list, which is not known
// here.
void mistral_native(Resolution& r) {
  const std::string path = lower(r.get(f::model_path));
  if (contains(path, "mistral-large-3") || contains(path, "mistral-small-4") ||
      contains(path, "leanstral"))
    r.assume(
        "The checkpoint has no params.json, else SGLang would load it with --load-format mistral.");
}

void remote_instance(Resolution& r) {
  const std::string_view backend = r.get(f::remote_instance_weight_loader_backend);
  const char* because = "Settings of the remote instance loader are missing.";
  if (backend != "modelexpress" &&
      (!r.get(f::remote_instance_weight_loader_seed_instance_ip) ||
       !r.get(f::remote_instance_weight_loader_seed_instance_service_port))) {
    r.warn(
        "Fallback load_format to 'auto' due to incomplete remote instance weight loader settings.");
  } else if (r.value(f::remote_instance_weight_loader_send_weights_group_ports).is_none() &&
             backend == "nccl") {
    r.warn(
        "Fallback load_format to 'auto' due to incomplete remote instance weight loader NCCL group "
        "ports settings.");
  } else if (backend == "transfer_engine" && !validate_transfer_engine(r)) {
    r.warn("Fallback load_format to 'auto' due to 'transfer_engine' backend is not supported.");
    because = "The transfer engine cannot be used.";
  } else {
    return;
  }
  r.set(f::load_format, "auto", because);
}

}  // namespace

bool is_runai_object_uri(std::string_view path) {
  const std::string p = lower(path);
  return starts_with(p, "s3://") || starts_with(p, "gs://") || starts_with(p, "az://");
}

bool is_gguf_file(const Resolution& r, std::string_view path) {
  if (!ends_with(path, ".gguf")) return false;
  return path.front() == '/' || r.facts().files.count(path) > 0;
}

void load_format(Resolution& r) {
  const std::string_view path = r.get(f::model_path);
  const auto gguf = [&](std::string_view format) {
    return (format == "auto" || format == "gguf") && is_gguf_file(r, path);
  };
  if (gguf(r.view(f::load_format)))
    r.declare(f::quantization, "gguf", "The model is a GGUF file.");  // _gguf_quantization
  if (gguf(r.get(f::load_format))) r.set(f::load_format, "gguf", "The model is a GGUF file.");
  if (r.get(f::load_format) == "auto") mistral_native(r);

  if (is_runai_object_uri(path))
    r.set(f::load_format, "runai_streamer", "The weights are streamed from the object store.");
  else if (is_remote_url(path))
    r.set(f::load_format, "remote", "The model path is a URL.");

  if (r.since(Release::v0_5_17)) {
    const auto draft = r.get(f::speculative_draft_model_path);
    if (draft && is_runai_object_uri(*draft) && !r.get(f::speculative_draft_load_format))
      r.set(f::speculative_draft_load_format, "runai_streamer",
            "The weights are streamed from the object store.");
  }
  if (r.value(f::custom_weight_loader).is_none())
    r.set(f::custom_weight_loader, Value::List{}, "No loaders of one's own.");
  if (r.get(f::load_format) == "remote_instance") remote_instance(r);
  if (r.get(f::remote_instance_weight_loader_start_seed_via_transfer_engine) &&
      !validate_transfer_engine(r))
    r.set(f::remote_instance_weight_loader_start_seed_via_transfer_engine, false,
          "The transfer engine cannot be used.");
  if (!r.since(Release::v0_5_17)) return;
  if (r.get(f::load_format) == "ipc_cache")
    return r.reject(kIpcCache, {}, {{{unset(f::load_format)}, ""}});
  if (r.get(f::weight_cache_mode) != "off" && r.get(f::speculative_algorithm))
    r.reject(kWeightCacheSpeculative, {},
             {{{unset(f::weight_cache_mode)}, "weights are read from disk at each start"},
              {{unset(f::speculative_algorithm)}, "no speculative decoding"}});
}

RuleList load_format_rules() { return {&kIpcCache, &kWeightCacheSpeculative}; }

}  // namespace sglint
