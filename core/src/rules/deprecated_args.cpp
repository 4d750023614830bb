// Old names that still work, and the gRPC and sidecar flags that SGLang checks along with them.
#include "rules/steps.h"

namespace sglint {
namespace {

constexpr ReleaseRange kSince16{Release::v0_5_16, Release::v0_5_18};

constexpr Rule kFastImageProcessor{
    .id = "deprecated-args/fast-image-processor-conflict",
    .exception = "ValueError",
    .message = "--disable-fast-image-processor conflicts with --image-processor-backend={}.",
    .why =
        "--disable-fast-image-processor is the old name of --image-processor-backend pil, so it "
        "cannot stand beside another backend.",
    .source = "server_args.py: ServerArgs._handle_deprecated_args",
    .bad = {"--model-path Qwen/Qwen3-8B --disable-fast-image-processor --image-processor-backend "
            "torchvision",
            "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --image-processor-backend pil", "h100"},
    .releases = {Release::v0_5_18, Release::v0_5_18}};

constexpr Rule kGrpcPort{
    .id = "deprecated-args/grpc-port-range",
    .exception = "ValueError",
    .message = "--grpc-port / SGLANG_GRPC_PORT ({}) must be between 1 and 65535",
    .why =
        "With --smg-grpc-mode the gRPC port is --port + 10000 unless --grpc-port says otherwise, "
        "which passes 65535 for ports over 55535.",
    .source = "server_args.py: ServerArgs._handle_deprecated_args",
    .bad = {"--model-path Qwen/Qwen3-8B --grpc-port 70000", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --grpc-port 40000", "h100"},
    .releases = kSince16};

constexpr Rule kGrpcPort15{
    .id = "deprecated-args/grpc-port-range-0.5.15",
    .exception = "ValueError",
    .message = "SGLANG_GRPC_PORT ({}) must be between 1 and 65535",
    .why =
        "The gRPC port is --port + 10000, gRPC or not, so a --port over 55535 needs "
        "SGLANG_GRPC_PORT.",
    .source = "server_args.py: ServerArgs._handle_deprecated_args",
    .bad = {"--model-path Qwen/Qwen3-8B --port 60000", "h100", "0.5.15.post1"},
    .good = {"--model-path Qwen/Qwen3-8B --port 30000", "h100", "0.5.15.post1"},
    .releases = {Release::v0_5_15_post1, Release::v0_5_15_post1}};

constexpr Rule kGrpcWorkers{.id = "deprecated-args/grpc-worker-threads",
                            .exception = "ValueError",
                            .message = "SGLANG_GRPC_WORKER_THREADS ({}) must be >= 1",
                            .why = "The native gRPC server needs a thread to run on.",
                            .source = "server_args.py: ServerArgs._handle_deprecated_args",
                            // No example: it needs an environment variable.
                            .bad = {},
                            .good = {},
                            .releases = kSince16};

constexpr Rule kSidecarArgsAlone{
    .id = "deprecated-args/sidecar-args-without-sidecar",
    .exception = "ValueError",
    .message = "--sidecar-args requires --sidecar.",
    .why = "The arguments are for the sidecar process, and none is named.",
    .source = "server_args.py: ServerArgs._handle_deprecated_args",
    .bad = {"--model-path Qwen/Qwen3-8B --sidecar-args '[\"a\"]'", "h100"},
    .good =
        {"--model-path Qwen/Qwen3-8B --grpc-port 40000 --sidecar proxy --sidecar-args '[\"a\"]'",
         "h100"},
    .releases = kSince16};

constexpr Rule kSidecarArgsType{
    .id = "deprecated-args/sidecar-args-are-not-strings",
    .exception = "ValueError",
    .message = "--sidecar-args must be a JSON array of strings.",
    .why = "The list becomes the argv of the sidecar process.",
    .source = "server_args.py: ServerArgs._handle_deprecated_args",
    .bad = {"--model-path Qwen/Qwen3-8B --grpc-port 40000 --sidecar proxy --sidecar-args '[1]'",
            "h100"},
    .good =
        {"--model-path Qwen/Qwen3-8B --grpc-port 40000 --sidecar proxy --sidecar-args '[\"1\"]'",
         "h100"},
    .releases = kSince16};

constexpr Rule kSidecarEmpty{
    .id = "deprecated-args/sidecar-is-empty",
    .exception = "ValueError",
    .message = "--sidecar must not be empty.",
    .why = "--sidecar names the program to start beside the server.",
    .source = "server_args.py: ServerArgs._handle_deprecated_args",
    .bad = {"--model-path Qwen/Qwen3-8B --grpc-port 40000 --sidecar ''", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --grpc-port 40000 --sidecar proxy", "h100"},
    .releases = kSince16};

constexpr Rule kSidecarLegacyGrpc{
    .id = "deprecated-args/sidecar-with-smg-grpc",
    .exception = "ValueError",
    .message =
        "--sidecar requires SGLang's native gRPC server; it cannot be combined with "
        "--smg-grpc-mode/--grpc-mode.",
    .why = "A sidecar talks to the native gRPC server, which --smg-grpc-mode does not start.",
    .source = "server_args.py: ServerArgs._handle_deprecated_args",
    .bad = {"--model-path Qwen/Qwen3-8B --smg-grpc-mode --sidecar proxy", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --grpc-port 40000 --sidecar proxy", "h100"},
    .releases = kSince16};

constexpr Rule kSidecarGrpcPort{
    .id = "deprecated-args/sidecar-needs-grpc-port",
    .exception = "ValueError",
    .message = "--sidecar requires --grpc-port or SGLANG_GRPC_PORT.",
    .why = "A sidecar talks to the native gRPC server, which needs a port.",
    .source = "server_args.py: ServerArgs._handle_deprecated_args",
    .bad = {"--model-path Qwen/Qwen3-8B --sidecar proxy", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --grpc-port 40000 --sidecar proxy", "h100"},
    .releases = kSince16};

constexpr Rule kGrpcRay{.id = "deprecated-args/grpc-with-ray",
                        .exception = "ValueError",
                        .message =
                            "--grpc-port is not supported with --use-ray: the Ray serve launch "
                            "path does not start the native gRPC server.",
                        .why = "A launch through Ray starts the HTTP server only.",
                        .source = "server_args.py: ServerArgs._handle_deprecated_args",
                        .bad = {"--model-path Qwen/Qwen3-8B --grpc-port 40000 --use-ray", "h100"},
                        .good = {"--model-path Qwen/Qwen3-8B --use-ray", "h100"},
                        .releases = kSince16};

constexpr Rule kGrpcEncoder{
    .id = "deprecated-args/grpc-with-encoder-only",
    .exception = "ValueError",
    .message =
        "--grpc-port is not supported with --encoder-only: encoder disaggregation uses its own "
        "server.",
    .why = "An encoder-only process serves encoders, not the generation API.",
    .source = "server_args.py: ServerArgs._handle_deprecated_args",
    .bad = {"--model-path Qwen/Qwen2.5-VL-7B-Instruct --grpc-port 40000 --encoder-only", "h100"},
    .good = {"--model-path Qwen/Qwen2.5-VL-7B-Instruct --encoder-only", "h100"},
    .releases = kSince16};

constexpr Rule kGrpcTokenizers{
    .id = "deprecated-args/grpc-with-tokenizer-workers",
    .exception = "ValueError",
    .message =
        "Native gRPC does not yet support --tokenizer-worker-num > 1. Unset --grpc-port or set "
        "--tokenizer-worker-num 1.",
    .why = "The native gRPC server talks to a single tokenizer process.",
    .source = "server_args.py: ServerArgs._handle_deprecated_args",
    .bad = {"--model-path Qwen/Qwen3-8B --grpc-port 40000 --tokenizer-worker-num 2", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --grpc-port 40000", "h100"},
    .releases = kSince16};

constexpr Rule kGrpcApiKey{
    .id = "deprecated-args/grpc-with-api-key",
    .exception = "ValueError",
    .message =
        "--grpc-port is incompatible with --api-key/--admin-api-key: the native gRPC listener "
        "bypasses HTTP auth middleware.",
    .why = "The key is checked by the HTTP server; over gRPC everybody would get in without it.",
    .source = "server_args.py: ServerArgs._handle_deprecated_args",
    .bad = {"--model-path Qwen/Qwen3-8B --grpc-port 40000 --api-key secret", "h100"},
    .good = {"--model-path Qwen/Qwen3-8B --api-key secret", "h100"},
    .releases = kSince16};

Fix no_grpc(const Resolution& r) {
  return {{r.typed(f::grpc_port) ? unset(f::grpc_port) : unset_env("SGLANG_GRPC_PORT")},
          "serves HTTP only"};
}

void fast_image_processor(Resolution& r) {
  if (!r.get(f::disable_fast_image_processor)) return;
  const std::string_view backend = r.get(f::image_processor_backend);
  if (backend != "auto" && backend != "pil")
    return r.reject(kFastImageProcessor, {backend},
                    {{{unset(f::disable_fast_image_processor)}, ""}},
                    {Field::image_processor_backend});
  r.warn(
      "--disable-fast-image-processor is deprecated; use --image-processor-backend=pil instead.");
  r.set(f::image_processor_backend, "pil", "--disable-fast-image-processor is its old name.");
}

void sidecar(Resolution& r, bool legacy_grpc) {
  const Value& arguments = r.value(f::sidecar_args);
  const auto program = r.get(f::sidecar);
  const Fix no_sidecar{{unset(f::sidecar)}, "no sidecar process"};
  if (!arguments.is_none()) {
    if (!program) return r.reject(kSidecarArgsAlone, {}, {{{unset(f::sidecar_args)}, ""}});
    bool strings = arguments.is_list();
    for (const Value& a : arguments.as_list()) strings = strings && a.is_str();
    if (!strings)
      return r.reject(kSidecarArgsType, {},
                      {{{unset(f::sidecar_args)}, "starts it without arguments"}});
  }
  if (!program) return;
  if (program->find_first_not_of(" \t\n\r\f\v") == std::string_view::npos)
    return r.reject(kSidecarEmpty, {}, {no_sidecar});
  if (legacy_grpc)
    return r.reject(
        kSidecarLegacyGrpc, {},
        {no_sidecar,
         {{unset(f::smg_grpc_mode), set(f::grpc_port, "40000")}, "native gRPC in place of SMG's"}});
  if (!r.get(f::grpc_port))
    r.reject(
        kSidecarGrpcPort, {},
        {{{set(f::grpc_port, "40000")}, "opens a gRPC port without authentication"}, no_sidecar});
}

void native_grpc(Resolution& r) {
  if (r.get(f::use_ray)) return r.reject(kGrpcRay, {}, {no_grpc(r)}, {Field::use_ray});
  if (r.get(f::encoder_only))
    return r.reject(kGrpcEncoder, {}, {no_grpc(r)}, {Field::encoder_only});
  if (r.get(f::tokenizer_worker_num) > 1)
    return r.reject(kGrpcTokenizers, {},
                    {{{unset(f::tokenizer_worker_num)}, "one tokenizer process"}, no_grpc(r)});
  const bool key =
      !r.get(f::api_key).value_or("").empty() || !r.get(f::admin_api_key).value_or("").empty();
  if (key) r.reject(kGrpcApiKey, {}, {no_grpc(r)}, {Field::api_key, Field::admin_api_key});
}

// From 0.5.16 on gRPC is opt-in; before, its port was derived and checked in every launch.
void grpc(Resolution& r) {
  const Value from_env = r.env().get("SGLANG_GRPC_PORT");
  if (!r.since(Release::v0_5_16)) {
    const int64_t port = from_env.as_int(r.get(f::port) + 10000);
    if (port < 1 || port > 65535)
      r.reject(kGrpcPort15, {port}, {{{set_env("SGLANG_GRPC_PORT", "40000")}, ""}}, {Field::port});
    return;
  }
  if (r.get(f::grpc_mode) && !r.get(f::smg_grpc_mode)) {
    r.warn(
        "--grpc-mode is deprecated and will be removed in a future version. Use --smg-grpc-mode "
        "for the legacy SMG gRPC server, or --grpc-port for the native gRPC server.");
    r.set(f::smg_grpc_mode, true, "--grpc-mode is its old name.");
  }
  if (!r.get(f::grpc_port) && !from_env.is_none())
    r.set(f::grpc_port, from_env, "SGLANG_GRPC_PORT sets it where the flag does not.");
  const bool legacy = r.get(f::smg_grpc_mode);
  if (legacy && !r.get(f::grpc_port))
    r.set(f::grpc_port, r.get(f::port) + 10000, "The SMG gRPC server listens at --port + 10000.");
  if (const auto port = r.get(f::grpc_port)) {
    if (*port < 1 || *port > 65535)
      return r.reject(kGrpcPort, {*port}, {{{set(f::grpc_port, "40000")}, ""}, no_grpc(r)},
                      {Field::port});
    const Value workers = r.env().get("SGLANG_GRPC_WORKER_THREADS");
    if (workers.as_int() < 1)
      return r.reject(kGrpcWorkers, {workers},
                      {{{unset_env("SGLANG_GRPC_WORKER_THREADS")}, "the default"}});
  }
  sidecar(r, legacy);
  if (r.get(f::grpc_port) && !legacy) native_grpc(r);
}

}  // namespace

void deprecated_args(Resolution& r) {
  if (r.since(Release::v0_5_18)) fast_image_processor(r);
  const auto parser = r.get(f::tool_call_parser);
  if (parser == "qwen25" || parser == "glm45") {
    const char* name = parser == "qwen25" ? "qwen" : "glm";
    r.warn("The tool_call_parser '{}' is deprecated. Please use '{}' instead.", {*parser, name});
    r.set(f::tool_call_parser, name, "The parser was renamed.");
  }
  if (r.get(f::enable_flashinfer_allreduce_fusion)) {
    if (!r.get(f::flashinfer_allreduce_fusion_backend)) {
      r.warn(
          "--enable-flashinfer-allreduce-fusion is deprecated. Please use "
          "--flashinfer-allreduce-fusion-backend=auto instead.");
      r.set(f::flashinfer_allreduce_fusion_backend, "auto",
            "--enable-flashinfer-allreduce-fusion is its old name.");
    }
    r.set(f::enable_flashinfer_allreduce_fusion, false,
          "Replaced by --flashinfer-allreduce-fusion-backend.");
  }
  const std::pair<Field, const char*> backends[] = {
      {Field::attention_backend, "attention-backend"},
      {Field::decode_attention_backend, "decode-attention-backend"},
      {Field::prefill_attention_backend, "prefill-attention-backend"},
      {Field::speculative_draft_attention_backend, "speculative-draft-attention-backend"},
  };
  for (const auto& [field, flag] : backends) {
    if (r.value(field).as_str() != "compressed") continue;
    r.warn("--{}=compressed is deprecated; use 'dsv4' instead.", {flag});
    r.set(field, "dsv4", "The backend was renamed.");
  }
  grpc(r);
}

RuleList deprecated_args_rules() {
  return {&kFastImageProcessor, &kGrpcPort,        &kGrpcPort15,   &kGrpcWorkers,
          &kSidecarArgsAlone,   &kSidecarArgsType, &kSidecarEmpty, &kSidecarLegacyGrpc,
          &kSidecarGrpcPort,    &kGrpcRay,         &kGrpcEncoder,  &kGrpcTokenizers,
          &kGrpcApiKey};
}

}  // namespace sglint
