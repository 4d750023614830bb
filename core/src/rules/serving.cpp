// The API server: defaults of every launch, TLS, tokenizer workers, hidden states.
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr Rule kHiddenStatesMode{
    .id = "serving/return-hidden-states-mode",
    .exception = "ValueError",
    .message = "return_hidden_states_mode must be one of: None, 'last', or 'full'.",
    .why =
        "Hidden states are returned for the last token or for all of them; there is no third mode. "
        "The command line refuses other words before this check.",
    .source = "server_args.py: ServerArgs._handle_return_hidden_states_mode",
    // No example: argparse's choices reject other words first.
    .bad = {},
    .good = {"--model-path Qwen/Qwen3-8B --return-hidden-states-mode last", "h100"},
    .releases = {Release::v0_5_17, Release::v0_5_18}};

constexpr Rule kKeyNeedsCertificate{
    .id = "serving/ssl-key-needs-certificate",
    .exception = "ValueError",
    .message = "--ssl-keyfile requires --ssl-certfile to be specified as well.",
    .why = "TLS needs the private key and the certificate that belongs to it.",
    .source = "server_args.py: ServerArgs._handle_ssl_validation",
    .bad = {"--model-path Qwen/Qwen3-8B --ssl-keyfile /certs/key.pem", "h100"},
    .good = {
        "--model-path Qwen/Qwen3-8B --ssl-keyfile /certs/key.pem --ssl-certfile /certs/cert.pem",
        "h100"}};

constexpr Rule kCertificateNeedsKey{
    .id = "serving/ssl-certificate-needs-key",
    .exception = "ValueError",
    .message = "--ssl-certfile requires --ssl-keyfile to be specified as well.",
    .why = "TLS needs the certificate and the private key that belongs to it.",
    .source = "server_args.py: ServerArgs._handle_ssl_validation",
    .bad = {"--model-path Qwen/Qwen3-8B --ssl-certfile /certs/cert.pem", "h100"},
    .good = {
        "--model-path Qwen/Qwen3-8B --ssl-keyfile /certs/key.pem --ssl-certfile /certs/cert.pem",
        "h100"}};

constexpr Rule kCaWithoutTls{
    .id = "serving/ssl-ca-without-tls",
    .exception = "ValueError",
    .message = "--ssl-ca-certs has no effect without --ssl-certfile and --ssl-keyfile.",
    .why =
        "CA certificates check clients of a TLS server, and without certificate and key there is "
        "no TLS.",
    .source = "server_args.py: ServerArgs._handle_ssl_validation",
    .bad = {"--model-path Qwen/Qwen3-8B --ssl-ca-certs /certs/ca.pem", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B", "h100"}};

constexpr Rule kPasswordWithoutTls{
    .id = "serving/ssl-password-without-tls",
    .exception = "ValueError",
    .message = "--ssl-keyfile-password has no effect without --ssl-certfile and --ssl-keyfile.",
    .why = "The password opens the private key, and no key is given.",
    .source = "server_args.py: ServerArgs._handle_ssl_validation",
    .bad = {"--model-path Qwen/Qwen3-8B --ssl-keyfile-password secret", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B", "h100"}};

constexpr Rule kKeyNotFound{
    .id = "serving/ssl-key-not-found",
    .exception = "ValueError",
    .message = "SSL key file not found: '{}'. Please check the --ssl-keyfile path.",
    .why =
        "SGLang looks for the file before it loads anything. A relative path is taken from the "
        "working directory of the server.",
    .source = "server_args.py: ServerArgs._handle_ssl_validation",
    // No example: what a text names is taken to exist.
};

constexpr Rule kCertificateNotFound{
    .id = "serving/ssl-certificate-not-found",
    .exception = "ValueError",
    .message = "SSL certificate file not found: '{}'. Please check the --ssl-certfile path.",
    .why =
        "SGLang looks for the file before it loads anything. A relative path is taken from the "
        "working directory of the server.",
    .source = "server_args.py: ServerArgs._handle_ssl_validation",
    // No example: what a text names is taken to exist.
};

constexpr Rule kCaNotFound{
    .id = "serving/ssl-ca-not-found",
    .exception = "ValueError",
    .message = "SSL CA certificates file not found: '{}'. Please check the --ssl-ca-certs path.",
    .why =
        "SGLang looks for the file before it loads anything. A relative path is taken from the "
        "working directory of the server.",
    .source = "server_args.py: ServerArgs._handle_ssl_validation",
    // No example: what a text names is taken to exist.
};

constexpr Rule kRefreshWithoutTls{
    .id = "serving/ssl-refresh-without-tls",
    .exception = "ValueError",
    .message = "--enable-ssl-refresh requires --ssl-certfile and --ssl-keyfile to be specified.",
    .why = "Refreshing watches the certificate and the key for changes, and neither is given.",
    .source = "server_args.py: ServerArgs._handle_ssl_validation",
    .bad = {"--model-path Qwen/Qwen3-8B --enable-ssl-refresh", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B", "h100"}};

constexpr Rule kHttp2Streams{
    .id = "serving/http2-max-concurrent-streams",
    .exception = "ValueError",
    .message = "--http2-max-concurrent-streams must be between 1 and 4294967295.",
    .why = "HTTP/2 counts streams in 32 bits, and 0 would let no request through.",
    .source = "server_args.py: ServerArgs._handle_ssl_validation",
    .bad = {"--model-path Qwen/Qwen3-8B --enable-http2 --http2-max-concurrent-streams 0", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --http2-max-concurrent-streams 256", "h100"},
    .releases = {Release::v0_5_18, Release::v0_5_18}};

constexpr Rule kHttp2NeedsGranian{.id = "serving/http2-needs-granian",
                                  .exception = "ValueError",
                                  .message =
                                      "--enable-http2 requires the 'granian' package. Install it "
                                      "with: pip install \"sglang[http2]\"",
                                  .why =
                                      "The default server (uvicorn) speaks HTTP/1.1 only. HTTP/2 "
                                      "comes from granian, which a plain installation of SGLang "
                                      "does not bring.",
                                  .source = "server_args.py: ServerArgs._handle_ssl_validation",
                                  .bad = {"--model-path Qwen/Qwen3-8B --enable-http2", "h100"},
                                  .good = {"--model-path Qwen/Qwen3-8B", "h100"}};

constexpr Rule kHttp2Refresh{
    .id = "serving/http2-cannot-refresh-certificates",
    .exception = "ValueError",
    .message =
        "--enable-ssl-refresh is not supported with --enable-http2. Granian does not support SSL "
        "certificate hot-reloading. Use Uvicorn (the default) or handle certificate rotation "
        "externally.",
    .why = "granian, the HTTP/2 server, reads certificates once at start.",
    .source = "server_args.py: ServerArgs._handle_ssl_validation",
    // No example: it needs a machine with granian, which no catalogue machine has.
    .bad = {},
    .good = {}};

constexpr Rule kAsrBuffer{
    .id = "serving/asr-max-buffer-seconds",
    .exception = "ValueError",
    .message = "--asr-max-buffer-seconds must be positive (got {}).",
    .why = "A transcription session needs room for some audio.",
    .source = "server_args.py: ServerArgs._handle_asr_validation",
    .bad = {"--model-path Qwen/Qwen3-8B --asr-max-buffer-seconds 0", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --asr-max-buffer-seconds 1", "h100"}};

constexpr Rule kAsrSessions{
    .id = "serving/asr-max-concurrent-sessions",
    .exception = "ValueError",
    .message = "--asr-max-concurrent-sessions must be positive (got {}).",
    .why = "With no session allowed no transcription could ever start.",
    .source = "server_args.py: ServerArgs._handle_asr_validation",
    .bad = {"--model-path Qwen/Qwen3-8B --asr-max-concurrent-sessions 0", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --asr-max-concurrent-sessions 1", "h100"}};

// 0.5.18 checks this in _handle_other_validations.
constexpr Rule kChatTemplateKwargs{
    .id = "serving/chat-template-kwargs-0.5.17",
    .exception = "ValueError",
    .message = "--default-chat-template-kwargs must decode to a JSON object",
    .why = "The chat template takes named arguments, so the JSON must be an object.",
    .source = "server_args.py: ServerArgs.__post_init__",
    .bad = {"--model-path Qwen/Qwen3-8B --default-chat-template-kwargs []", "h100", "0.5.17"},
    .good = {"--model-path Qwen/Qwen3-8B --default-chat-template-kwargs {}", "h100", "0.5.17"},
    .releases = {Release::v0_5_16, Release::v0_5_17}};

constexpr Rule kNoAccelerator{
    .id = "serving/no-accelerator",
    .exception = "RuntimeError",
    .message = "No accelerator (CUDA, XPU, HPU, NPU, MUSA, MPS) or platform plugin is available.",
    .why =
        "SGLang found nothing to run on. In a container this usually means that the GPUs were not "
        "passed in (docker run --gpus all); for a CPU server SGLANG_USE_CPU_ENGINE=1 must be set.",
    .source = "utils/common.py: get_device",
    // No example: no catalogue machine is without an accelerator.
    .bad = {},
    .good = {}};

constexpr Rule kTwoTokenizerBatchings{
    .id = "serving/two-tokenizer-batchings",
    .exception = "ValueError",
    .message =
        "Cannot enable both --enable-tokenizer-batch-encode and --enable-dynamic-batch-tokenizer. "
        "Please choose one tokenizer batching approach.",
    .why =
        "One batches the prompts of a request, the other batches requests that arrive together; "
        "the tokenizer process runs one of them.",
    .source = "server_args.py: ServerArgs._handle_tokenizer_batching",
    .bad = {"--model-path Qwen/Qwen3-8B --enable-tokenizer-batch-encode "
            "--enable-dynamic-batch-tokenizer",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --enable-dynamic-batch-tokenizer", "h100"}};

// Whether a file is there for the server. Only the files that came with the request are known;
// another one is taken to exist, unless the request comes with all files: then an absolute path may
// still lie outside of them.
bool file_exists(Resolution& r, std::string_view path) {
  const Files& files = r.facts().files;
  if (files.find(path) != files.end()) return true;
  if (path.empty() || (r.facts().all_files && path.front() != '/')) return false;
  r.assume(fill("{} exists on the server.", {path}));
  return true;
}

// utils/common.py: get_device
std::string_view detect_device(Resolution& r) {
  const Machine& m = r.machine();
  if (is_cpu(r)) {
    if (cpu_has_amx_support(m))
      r.info("Intel AMX is detected, using CPU with Intel AMX support.");
    else
      r.warn("CPU device enabled, using torch native backend, low performance expected.");
    return "cpu";
  }
  switch (m.platform) {
    case Platform::cuda:
    case Platform::hip:
      return "cuda";
    case Platform::xpu:
      return "xpu";
    case Platform::npu:
      return "npu";
    case Platform::hpu:
      return "hpu";
    case Platform::musa:
      return "musa";
    case Platform::mps:
      return "mps";
    case Platform::cpu:
    case Platform::none:
      break;
  }
  r.reject(kNoAccelerator, {}, {}, {Field::device});
  return "";
}

}  // namespace

void return_hidden_states_mode(Resolution& r) {
  const auto mode = r.get(f::return_hidden_states_mode);
  if (mode && *mode != "last" && *mode != "full")
    return r.reject(kHiddenStatesMode, {}, {{{set(f::return_hidden_states_mode, "full")}, ""}});
  if (mode) {
    r.set(f::enable_return_hidden_states, true,
          "--return-hidden-states-mode asks for hidden states.");
  } else if (r.get(f::enable_return_hidden_states)) {
    r.set(f::return_hidden_states_mode, "full",
          "--enable-return-hidden-states alone means the hidden states of all tokens.");
  }
}

void ssl_validation(Resolution& r) {
  const auto key = r.get(f::ssl_keyfile), certificate = r.get(f::ssl_certfile),
             ca = r.get(f::ssl_ca_certs);
  const bool has_key = key && !key->empty(), has_certificate = certificate && !certificate->empty();
  const bool has_ca = ca && !ca->empty();
  const Fix no_tls{{unset(f::ssl_keyfile), unset(f::ssl_certfile)}, "the server speaks plain HTTP"};
  if (has_key && !has_certificate)
    return r.reject(kKeyNeedsCertificate, {},
                    {{{unset(f::ssl_keyfile)}, "the server speaks plain HTTP"}});
  if (has_certificate && !has_key)
    return r.reject(kCertificateNeedsKey, {},
                    {{{unset(f::ssl_certfile)}, "the server speaks plain HTTP"}});
  if (!has_certificate && !has_key) {
    if (has_ca) return r.reject(kCaWithoutTls, {}, {{{unset(f::ssl_ca_certs)}, ""}});
    if (!r.get(f::ssl_keyfile_password).value_or("").empty())
      return r.reject(kPasswordWithoutTls, {}, {{{unset(f::ssl_keyfile_password)}, ""}});
  }
  if (has_key && !file_exists(r, *key)) return r.reject(kKeyNotFound, {*key}, {no_tls});
  if (has_certificate && !file_exists(r, *certificate))
    return r.reject(kCertificateNotFound, {*certificate}, {no_tls});
  if (has_ca && !file_exists(r, *ca))
    return r.reject(kCaNotFound, {*ca},
                    {{{unset(f::ssl_ca_certs)}, "client certificates are not checked"}});
  const bool refresh = r.get(f::enable_ssl_refresh);
  if (refresh && !(has_certificate && has_key))
    return r.reject(kRefreshWithoutTls, {}, {{{unset(f::enable_ssl_refresh)}, ""}});
  if (!r.get(f::enable_http2)) return;
  const Fix no_http2{{unset(f::enable_http2)}, "serves HTTP/1.1"};
  if (r.since(Release::v0_5_18)) {
    const int64_t streams = r.get(f::http2_max_concurrent_streams);
    if (streams <= 0 || streams >= (int64_t{1} << 32))
      return r.reject(kHttp2Streams, {},
                      {{{unset(f::http2_max_concurrent_streams)}, "the default limit"}, no_http2});
  }
  if (!has_package(r.machine(), "granian")) return r.reject(kHttp2NeedsGranian, {}, {no_http2});
  if (refresh)
    r.reject(kHttp2Refresh, {},
             {{{unset(f::enable_ssl_refresh)}, "certificates are read once, at start"}, no_http2});
}

void asr_validation(Resolution& r) {
  const int64_t seconds = r.get(f::asr_max_buffer_seconds);
  if (seconds <= 0)
    return r.reject(kAsrBuffer, {seconds}, {{{unset(f::asr_max_buffer_seconds)}, "the default"}});
  const int64_t sessions = r.get(f::asr_max_concurrent_sessions);
  if (sessions <= 0)
    return r.reject(kAsrSessions, {sessions},
                    {{{unset(f::asr_max_concurrent_sessions)}, "the default"}});
  const Value& kwargs = r.value(f::default_chat_template_kwargs);
  if (kChatTemplateKwargs.releases.contains(r.release()) && !kwargs.is_none() && !kwargs.is_dict())
    r.reject(kChatTemplateKwargs, {},
             {{{unset(f::default_chat_template_kwargs)}, "the template's own defaults"}});
}

void prefill_delayer_env_compat(Resolution& r) {
  const Environment& env = r.env();
  if (env.flag("SGLANG_SCHEDULER_DECREASE_PREFILL_IDLE"))
    r.set(f::enable_prefill_delayer, true,
          "SGLANG_SCHEDULER_DECREASE_PREFILL_IDLE (deprecated) turns it on.");
  const Value passes = env.get("SGLANG_PREFILL_DELAYER_MAX_DELAY_PASSES");
  if (passes.truthy())
    r.set(f::prefill_delayer_max_delay_passes, passes,
          "SGLANG_PREFILL_DELAYER_MAX_DELAY_PASSES (deprecated) outranks the flag.");
  const Value watermark = env.get("SGLANG_PREFILL_DELAYER_TOKEN_USAGE_LOW_WATERMARK");
  if (watermark.truthy())
    r.set(f::prefill_delayer_token_usage_low_watermark, watermark,
          "SGLANG_PREFILL_DELAYER_TOKEN_USAGE_LOW_WATERMARK (deprecated) outranks the flag.");
}

// random_seed, when not given, is drawn at each start: it stays open here.
void missing_default_values(Resolution& r) {
  if (!r.get(f::tokenizer_path))
    r.set(f::tokenizer_path, r.value(f::model_path), "The tokenizer is the model's own.");
  if (!r.get(f::served_model_name))
    r.set(f::served_model_name, r.value(f::model_path), "The model is served under its path.");
  if (!r.get(f::device)) {
    const std::string_view device = detect_device(r);
    if (r.stopped()) return;
    r.set(f::device, device, "What the machine has.");
  }
  const std::string_view device = *r.get(f::device);
  if (contains(device, ":"))
    r.set(f::device, device.substr(0, device.find(':')),
          "A device index is cut off; --base-gpu-id chooses GPUs.");
  if (r.value(f::mm_process_config).is_none())
    r.set(f::mm_process_config, Value::dict(), "No settings for the multimodal processor.");
  if (r.env().flag("SGLANG_USE_MODELSCOPE"))
    r.assume(
        "SGLANG_USE_MODELSCOPE is set: the paths ModelScope downloads to are not known, so the "
        "paths stay as given.");

  if (r.since(Release::v0_5_18) &&
      r.value(f::_speculative_draft_quantization_explicitly_set).is_none())
    r.set(f::_speculative_draft_quantization_explicitly_set,
          r.get(f::speculative_draft_model_quantization).has_value(),
          "Whether --speculative-draft-model-quantization was given.");
  if (!r.get(f::speculative_draft_model_quantization) && r.get(f::quantization))
    r.set(f::speculative_draft_model_quantization, r.value(f::quantization),
          "The draft model takes the target model's --quantization unless it has its own.");
  const bool unquant = r.get(f::quantization) == "unquant";
  r.set_attribute("quantization_explicitly_unset", unquant);
  if (unquant)
    r.set(f::quantization, Value(), "unquant means: load unquantized, and detect no quantization.");
  if (r.get(f::speculative_draft_model_quantization) == "unquant")
    r.set(f::speculative_draft_model_quantization, Value(),
          "unquant means: load the draft model unquantized.");
}

void tokenizer_batching(Resolution& r) {
  if (r.get(f::enable_tokenizer_batch_encode) && r.get(f::enable_dynamic_batch_tokenizer))
    return r.reject(
        kTwoTokenizerBatchings, {},
        {{{unset(f::enable_tokenizer_batch_encode)}, "batches across requests, not within one"},
         {{unset(f::enable_dynamic_batch_tokenizer)}, "batches within a request, not across"}});
  if (!r.get(f::skip_tokenizer_init)) return;
  if (r.since(Release::v0_5_17) && r.env().flag("SGLANG_RUST_SERVER")) return;
  const char* const because = "With --skip-tokenizer-init no text is tokenized or detokenized.";
  if (!r.since(Release::v0_5_16) && r.get(f::tokenizer_worker_num) != 1) {
    r.warn(
        "skip_tokenizer_init=True disables tokenizer workers; forcing tokenizer_worker_num=1 "
        "(requested {}).",
        {r.value(f::tokenizer_worker_num)});
    r.set(f::tokenizer_worker_num, 1, because);
  }
  if (r.get(f::detokenizer_worker_num) != 1) {
    r.warn(r.since(Release::v0_5_16)
               ? "skip_tokenizer_init=True leaves no decode work for detokenizer workers; forcing "
                 "detokenizer_worker_num=1 (requested {})."
               : "skip_tokenizer_init=True disables detokenizer workers; forcing "
                 "detokenizer_worker_num=1 (requested {}).",
           {r.value(f::detokenizer_worker_num)});
    r.set(f::detokenizer_worker_num, 1, because);
  }
  if (r.get(f::enable_tokenizer_batch_encode)) {
    r.warn("skip_tokenizer_init=True ignores --enable-tokenizer-batch-encode; disabling it.");
    r.set(f::enable_tokenizer_batch_encode, false, because);
  }
  if (r.get(f::enable_dynamic_batch_tokenizer)) {
    r.warn("skip_tokenizer_init=True ignores --enable-dynamic-batch-tokenizer; disabling it.");
    r.set(f::enable_dynamic_batch_tokenizer, false, because);
  }
  r.info(
      "skip_tokenizer_init=True: string-based stop conditions (stop, stop_regex) and "
      "min_new_tokens are unavailable.");
}

void grammar_backend(Resolution& r) {
  if (!r.get(f::grammar_backend))
    r.set(f::grammar_backend, "xgrammar", "The default grammar backend.");
}

RuleList serving_rules() {
  return {&kHiddenStatesMode,    &kKeyNeedsCertificate,  &kCertificateNeedsKey,
          &kCaWithoutTls,        &kPasswordWithoutTls,   &kKeyNotFound,
          &kCertificateNotFound, &kCaNotFound,           &kRefreshWithoutTls,
          &kHttp2Streams,        &kHttp2NeedsGranian,    &kHttp2Refresh,
          &kAsrBuffer,           &kAsrSessions,          &kNoAccelerator,
          &kChatTemplateKwargs,  &kTwoTokenizerBatchings};
}

}  // namespace sglint
